"""Average precision of rows in files, tables and clusters, which need not fit into
memory.

If the rows fit into memory, they are gathered as narrow columns and scored by the
ordinary functions. If they do not fit, they are counted between the scores of
positives, or sorted by DuckDB or Spark. Scores are computed from the tied groups of the
sorted rows. To read the code, begin here:

- `_api`: the public functions, which open the rows, and gather them or reduce them
- `_batches`: `Source`, the interface of files and of Spark; the best rows of batches
- `_sort`: rows that `_rows` reads in this process, and that DuckDB sorts
- `_spark`: frames of Spark, which are sorted and reduced on its executors
- `_tied_groups`: the tied groups of sorted rows
- `_positives`: the same tied groups by two passes without a sort
- `_streams`: `SortedStream`, the kernel of a sorted ranking
- `_bound_scores`: a score with its arguments, and its value for such a ranking
- `_queries`: the scores of queries
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
