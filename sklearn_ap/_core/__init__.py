"""The core: scores, curves and scorers, and what they need."""
