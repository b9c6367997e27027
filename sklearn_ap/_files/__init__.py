"""A user's own scores: columns of a CSV or Parquet file.

`read` returns columns as the file holds them, and a function for each role says what they mean. Nothing is
rounded on the way: different numbers of the file are different scores. Errors name the file, the column and
the row, and show what stands there.
"""

from ._column import FileError, shown
from ._numerals import number_of
from ._read import read
from ._roles import items, positives, queries, scores, weights

__all__ = ["FileError", "items", "number_of", "positives", "queries", "read", "scores", "shown", "weights"]
