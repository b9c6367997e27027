"""What the caller may pass: each argument is read once, and refused where it is wrong."""
