"""What `sklearn-ap` does: files are read, numbers are printed; without a file, a demonstration."""
