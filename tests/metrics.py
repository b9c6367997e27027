"""The public functions, for tests that hold of all of them."""

from collections.abc import Callable
from typing import Any

import sklearn_ap
from sklearn_ap._family import FAMILY

ALL_SCORES = [getattr(sklearn_ap, name) for name in sklearn_ap.__all__ if name.endswith("_score")]
# A rank counts rows, so its score refuses weights that differ inside a ranking.
WEIGHTED_SCORES = [score for score in ALL_SCORES if score is not sklearn_ap.reciprocal_rank_score]
CURVES = [getattr(sklearn_ap, name) for name in sklearn_ap.__all__ if name.endswith("_curve")]


def calls(k: int) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every number of the package by its name: the function and its arguments, cut at `k` if it takes one."""
    return {one.name: (one.score, one.options | ({"k": k} if one.is_cut else {})) for one in FAMILY}
