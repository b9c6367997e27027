"""Conventions of packages and papers as records, one file per family of packages."""
