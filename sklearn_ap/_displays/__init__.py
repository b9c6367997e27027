"""Displays in scikit-learn's manner; matplotlib is imported when one is drawn."""
