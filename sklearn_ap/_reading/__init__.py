"""What the caller may pass: read once, checked, and refused with a line that says what would be accepted.

_read     labels, scores, weights and queries, together; plain arrays take a short way
_queries  ids of queries
_totals   `n_positives`
_options  words and single numbers
_values   what all of them share: missing values, masks, arrays of other libraries
"""
