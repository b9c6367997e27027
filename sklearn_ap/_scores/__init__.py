"""The public scores: for each a signature, a docstring, and beside it the definition that it computes."""
