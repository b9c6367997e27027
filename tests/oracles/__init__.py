"""Definitions in fractions and plain loops, which the tests compare with."""
