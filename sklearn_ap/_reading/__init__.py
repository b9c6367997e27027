"""Readers of arguments: each argument is read once, and refused where it is wrong."""
