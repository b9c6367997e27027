"""The public scores: for each a signature, a docstring, and next to it the definition
that it computes.
"""
