"""The queries of a picture: checked, paired by their ids, and sorted."""

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

import numpy as np

from .._reading import check_option
from .._typing import FloatArray, QueryKind, ScoreByQuery

__all__ = ["Queries", "kind_of", "models_of", "queries_of"]


class Queries(NamedTuple):
    """The queries with a value, from left to right, and what the picture says about them."""

    query_id: list[Any]
    values: dict[str, FloatArray]  # of each model
    means: dict[str, float]
    left_out: int


def models_of(scores: ScoreByQuery | Mapping[str, ScoreByQuery], name: str) -> dict[str, dict[Any, float]]:
    """Return the scores of each model by query, in the order of the first model's queries."""
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError(f"scores must be what score_by_query returns, not empty; got {scores!r}.")
    several = [isinstance(one, Mapping) for one in scores.values()]
    if any(several) and not all(several):
        raise ValueError("scores must map queries to numbers, or names to such mappings; got both.")
    models: dict[str, Any] = dict(scores) if several[0] else {name: scores}
    first, queries = next(iter(models.items()))
    if not queries:
        raise ValueError(f"scores must hold a query of {first!r}; got {scores!r}.")
    for other, of_query in models.items():
        unpaired = [
            query for query in {**queries, **of_query} if query not in queries or query not in of_query
        ]
        if unpaired:
            raise ValueError(
                f"scores must hold the same queries for every model; got {unpaired[0]!r} for only one of "
                f"{first!r} and {other!r}."
            )
    return {name: {query: of_query[query] for query in queries} for name, of_query in models.items()}


def kind_of(kind: QueryKind | None, n_models: int) -> QueryKind:
    """Return what is drawn of so many models."""
    if kind is None:
        return "difference" if n_models == 2 else "values"
    check_option("kind", kind, get_args(QueryKind))
    if kind == "difference" and n_models != 2:
        raise ValueError(f"kind='difference' needs two models; got {n_models}. Use kind='values'.")
    return kind


def queries_of(models: Mapping[str, Mapping[Any, float]], kind: QueryKind) -> Queries:
    """Leave out queries with an undefined score, and sort the others for the picture."""
    given = {name: np.array(list(one.values()), dtype=np.float64) for name, one in models.items()}
    for name, one in given.items():
        if np.isinf(one).any():
            raise ValueError(
                f"scores must be finite numbers or NaN; got {one[np.isinf(one)][0]} of {name!r}."
            )
    kept = ~np.any([np.isnan(one) for one in given.values()], axis=0)
    if not kept.any():
        raise ValueError("scores must hold a query whose score is defined; all of them are NaN.")
    values = {name: one[kept] for name, one in given.items()}
    queries = [query for query, drawn in zip(next(iter(models.values())), kept, strict=True) if drawn]
    first, last = (list(values.values())[place] for place in (0, -1))
    # In a stable order, so that queries of equal scores stay in their own order.
    order = np.argsort(first - last if kind == "difference" else -first, kind="stable")
    return Queries(
        [queries[place] for place in order.tolist()],
        {name: one[order] for name, one in values.items()},
        {name: float(one.mean()) for name, one in values.items()},
        int(np.count_nonzero(~kept)),
    )
