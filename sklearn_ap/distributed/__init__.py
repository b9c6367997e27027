"""Average precision of rows that an engine holds, and that need not fit into memory.

Rows that fit into memory are gathered as narrow columns, and the ordinary functions
score them. If they do not fit, they are read twice, without a sort: the first pass
collects the distinct scores of positives, and the second adds up the rows at these
scores and between them. These sums are a few weighted rows, which the ordinary
functions score, too. To read the code, begin here:

- `_api`: the public functions
- `_batches`: the batches of an engine as checked arrays
- `_stream`: rows of an engine in this process, which are gathered or read twice
- `_spark`: rows of Spark, where both passes run on the executors
- `_passes`: the functions that reduce the rows of a pass
- `_few_rows`: the few rows with the score of all rows
- `_arguments`: a score with its checked arguments
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
