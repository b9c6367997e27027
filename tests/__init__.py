"""A package, so that `python -m tests.peers` finds no other folder `tests` that may be
installed.
"""
