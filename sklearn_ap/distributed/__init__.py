"""Average precision of rows in files, tables and clusters, which need not fit into
memory.

Rows that fit are gathered as narrow columns and scored by the ordinary functions. Rows
that do not are counted between the scores of positives, or sorted by an engine, and one
kernel reduces the sorted groups. To read the code, start here:

- `_api`: the public functions: open the rows, gather them or reduce the sorted parts
- `_batches`: `Source`, what engines do; the best rows of all batches
- `_sort`: rows that `_rows` reads in this process, and sorts of them by DuckDB
- `_spark`: frames of Spark: sorted and reduced on its executors
- `_groups`: the tied groups of sorted rows
- `_positives`: the same groups by two passes without a sort
- `_streams`: `SortedStream`, the kernel of a sorted ranking; the scores of such
  rankings, and of queries
- `_state`: `RankingState`, for rows that arrive in parts
"""

from .._shown.sources import SourceError
from ._api import score, score_by_query
from ._state import RankingState

__all__ = [
    "RankingState",
    "SourceError",
    "score",
    "score_by_query",
]
