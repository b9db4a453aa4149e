"""Measuring and counting: bench, perft, and where figures were taken."""
