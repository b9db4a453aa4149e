"""Environments: each framework's own tests, and that all of them play the same games."""
