"""Tools: benchmark, perft, and the provenance of figures."""
