"""A user's own scores: columns of CSV or Parquet files.

`found` tells which files are meant, `counted` how much they hold, and `read` returns columns as the files
hold them. One function per role turns a column into labels, scores,
weights or ids. Nothing is rounded: different numbers stay different scores. Errors name the file, the
column and the row, and show the value there.
"""

from ._column import Coded, Column, FileError, Located, Role, listed, shown
from ._numerals import number_of
from ._read import Counted, Files, columns, counted, found, read
from ._roles import items, positive_labels, positives, queries, scores, totals, weights

__all__ = [
    "Coded",
    "Column",
    "Counted",
    "FileError",
    "Files",
    "Located",
    "Role",
    "columns",
    "counted",
    "found",
    "items",
    "listed",
    "number_of",
    "positive_labels",
    "positives",
    "queries",
    "read",
    "scores",
    "shown",
    "totals",
    "weights",
]
