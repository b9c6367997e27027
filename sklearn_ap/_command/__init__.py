"""What `python -m sklearn_ap` does: files are read, numbers are printed; without a file, a demonstration."""
