"""The kernel: plain functions on one record, compiled for the CPU and, unchanged, for CUDA."""
