"""Rows that arrive in parts, and states that add up:

- `_state`: `RankingState`
- `_entries`: its rows, of which equal ones are one entry
- `_arguments`: a score with its checked arguments
- `_groups`: the score of counted rows

For rows that an engine holds, let the engine group them. These few weighted rows have
the score of all rows::

    few = con.sql("select label, score, count(*) n from rows group by all").fetchnumpy()
    average_precision_score(few["label"], few["score"], sample_weight=few["n"])
"""

from ._state import RankingState

__all__ = [
    "RankingState",
]
