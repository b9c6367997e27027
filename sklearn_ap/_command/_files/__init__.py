"""A user's own scores: columns of a CSV or Parquet file.

`read` returns columns as the file holds them. One function per role turns a column into labels, scores,
weights or ids. Nothing is rounded: different numbers in the file stay different scores. Errors name the file,
the column and the row, and show the value there.
"""

from ._column import FileError, Role, shown
from ._numerals import number_of
from ._read import read
from ._roles import items, positives, queries, scores, totals, weights

__all__ = [
    "FileError",
    "Role",
    "items",
    "number_of",
    "positives",
    "queries",
    "read",
    "scores",
    "shown",
    "totals",
    "weights",
]
