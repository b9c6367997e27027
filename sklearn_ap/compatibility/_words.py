"""The words that fields of records take, for type checkers and editors; `OPTIONS` says what each means."""

from typing import Literal

from .._typing import Normalizer, Ties

__all__ = [
    "Answer",
    "FirstPoint",
    "LastPoint",
    "LevelWeights",
    "MetBy",
    "Normalizer",
    "OneRow",
    "Queries",
    "RecordTies",
    "Rule",
    "ScoreDtype",
    "Total",
    "Transform",
    "Weights",
]

ScoreDtype = Literal["float32"] | None
Transform = Literal["sigmoid", "near", "input order", "above 0"] | None
Queries = Literal["pooled", "mean", "mean by rows", "refused"]
OneRow = Literal["perfect"] | None
RecordTies = Ties | Literal["reversed", "item_id", "ascending item_id", "unspecified"]
Weights = Literal["used", "ignored"]
FirstPoint = Literal["(0, 1)", "(0, p1)", "none"]
LastPoint = Literal["none", "(1, 0)"]
Total = Literal["found", "stated"]
Answer = float | Literal["error"]
Rule = Literal["at or above", "above", "strictly above", "merged", "streamed"]
MetBy = Literal["recall", "greater recall", "rounded documents", "documents", "nearest positives"]
LevelWeights = Literal["equal", "trapezoid", "differences"]
