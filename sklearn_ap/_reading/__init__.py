"""What the caller may pass, and the only modules that refuse it. No reduction raises."""
