"""Values of queries: totals of positives (`n_positives`), and weights (`query_weight`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._rounding import rounding_of_sums
from .._typing import Average, FloatArray, IntArray, QueryId, QueryWeight, Totals
from ._options import is_finite, short_repr
from ._queries import ObjectIds, QueryIds, distinct_queries, id_like, sorted_ids
from ._values import LEAST_WEIGHT, MOST_WEIGHT, is_missing, on_host, refuse_mask

_MAPPING = "a mapping {query: total}"
PositiveTotals = FloatArray | dict[QueryId, float]  # as read: a number, one per ranking, or one per query


def read_totals(n_positives: Totals | None, query: QueryIds | None) -> PositiveTotals | None:
    """Check `n_positives`: a number, one number per ranking, or with query ids a mapping or Series."""
    if n_positives is None:
        return None
    refuse_mask("n_positives", n_positives)
    n_positives = on_host("n_positives", n_positives)
    if isinstance(n_positives, Mapping) and query is None:
        raise ValueError(
            f"n_positives maps query ids to totals, but query_id is None; got {short_repr(n_positives)}."
        )
    if query is not None and hasattr(n_positives, "items"):
        return _by_query("n_positives", n_positives, query)
    totals = np.array(n_positives, dtype=object)  # objects, so that text and bools are seen and refused
    if totals.ndim > (1 if query is None else 0):
        several = "one number per ranking" if query is None else _MAPPING
        raise ValueError(f"n_positives must be a number or {several}; got {short_repr(n_positives)}.")
    _check_values("n_positives", totals.ravel().tolist(), n_positives)
    return totals.astype(np.float64)


def read_total(n_positives: Totals | None, query: QueryIds | None) -> FloatArray | None:
    """Return the total of a curve, which has at most one query."""
    totals = read_totals(n_positives, query)
    if not isinstance(totals, dict) or query is None:
        return totals  # type: ignore[return-value]  # a mapping was refused without queries
    # The mapping may name other queries, which do not count here.
    names, _ = distinct_queries(query)
    check_named(names, totals)
    return np.array(totals[names[0]], dtype=np.float64)


def read_query_weight(
    query_weight: QueryWeight, query: QueryIds | None, average: Average, query_id: Any = None
) -> dict[QueryId, float]:
    """Return the weight of each query by its id, from a mapping, a Series, or one weight per row.

    `query_id` is that of the caller: weights of rows have its index, if it is a Series.
    """
    if query is None:
        raise ValueError("query_weight requires query_id, since it weighs queries; got query_id=None.")
    if average not in ("macro", "weighted"):
        raise ValueError(
            f"query_weight requires a mean over queries, average='macro' or 'weighted'; got {average!r}."
        )
    refuse_mask("query_weight", query_weight)
    index = query_id.index if hasattr(query_id, "iloc") else None  # lists have a method of this name
    values: Any = on_host("query_weight", query_weight)
    n_samples = query.number.size if isinstance(query, ObjectIds) else query.size
    if isinstance(values, Mapping) or (hasattr(values, "items") and not _is_by_row(values, query, index)):
        weights = _by_query("query_weight", values, query)
    elif np.shape(values) in ((n_samples,), (n_samples, 1)):
        weights = _by_row(values, query)
    else:
        raise ValueError(
            "query_weight must be a mapping {query: weight}, or one weight for each of "
            f"{n_samples} samples; got {short_repr(values)}."
        )
    extreme = [w for w in weights.values() if w > 0 and not LEAST_WEIGHT <= w <= MOST_WEIGHT]
    if extreme:
        raise ValueError(
            f"query_weight must be 0 or from 2**-500 (3e-151) to 2**500 (3e150); got {extreme[0]!r}."
        )
    return weights


def _is_by_row(weights: Any, query: QueryIds, index: Any) -> bool:
    """Return whether a Series has one weight per row, by its index; one that could be either is refused."""
    n_samples = query.number.size if isinstance(query, ObjectIds) else query.size
    names, rows = weights.index, range(n_samples)
    is_default = len(names) == n_samples and names.tolist() == list(rows)
    if len(names) == len(ids := distinct_queries(query)[0]) and set(names.tolist()) == set(ids):
        return False
    if len(names) == n_samples and not is_default and not (index is not None and names.equals(index)):
        raise ValueError(
            "query_weight must be a Series with the queries as its index, or one weight per row; got "
            f"{n_samples} weights with another index. For one per row, pass query_weight.to_numpy()."
        )
    return len(names) == n_samples


def refuse_other_queries(query_weight: dict[QueryId, float], query: QueryIds, n_positives: Any) -> None:
    """Refuse weights that name no query of rows or totals, such as weights by the numbers of rows."""
    named = set(distinct_queries(query)[0])
    if hasattr(n_positives, "items"):
        named |= {id_like(query, name) for name, _ in n_positives.items()}
    others = [name for name in query_weight if name not in named]
    if others:
        raise ValueError(
            f"query_weight must name queries of query_id; got {others[0]!r} ({len(others)} are no query)."
        )


def _by_row(query_weight: ArrayLike, query: QueryIds) -> dict[QueryId, float]:
    """Return the weight of each query from one weight per row, equal in all rows of the query."""
    names, place = distinct_queries(query)
    of_rows = np.asarray(query_weight).ravel()
    if of_rows.dtype.kind not in "iuf":  # objects, of which numpy would read some as numbers
        _check_values("query_weight", of_rows.tolist(), query_weight)
    weights = np.zeros(len(names))
    weights[place] = of_rows
    _check_values("query_weight", weights.tolist(), query_weight)
    unequal = np.flatnonzero(weights[place] != of_rows)
    if unequal.size:
        row = unequal[0]
        name, both = names[place[row]], f"{_all_digits(of_rows[row])} and {_all_digits(weights[place[row]])}"
        raise ValueError(f"query_weight must be equal in all rows of a query; got {both} for query {name!r}.")
    return dict(zip(names, weights.tolist(), strict=True))


def weights_of_queries(
    query_weight: dict[QueryId, float], names: Sequence[QueryId], positives: FloatArray | None
) -> FloatArray:
    """Return the weights of queries in their mean; refuse queries without one, and weights of 0 alone."""
    check_named(names, query_weight, "query_weight contains no weight")
    weights = np.array([query_weight[name] for name in names], dtype=np.float64)
    check_some_weight(weights.max(initial=0.0), len(names))
    if positives is None:
        return weights
    counted = np.where(weights > 0, positives, 0.0)
    # The greatest is made about 1, so that no product is infinite, and one that becomes 0 would not count.
    products: FloatArray = weights * np.ldexp(counted, -np.frexp(counted.max())[1])
    return products


def check_some_weight(weight: float, n_queries: int) -> None:
    """Refuse weights of 0 alone, by their sum or the greatest."""
    if not weight:
        raise ValueError(f"query_weight must be above 0 for a query; got 0 for all of {n_queries}.")


def _by_query(argument: str, by_query: Any, query: QueryIds) -> dict[QueryId, float]:
    """Return values by query, with names that compare equal to the ids of the rows."""
    named = list(by_query.items())
    if any(is_missing(name) for name, _ in named):
        raise ValueError(
            f"{argument} must name queries; got {short_repr(by_query)}, where a name is missing."
        )
    values = {id_like(query, name, argument): value for name, value in named}
    if len(values) < len(named):
        raise ValueError(f"{argument} must name each query once; got {short_repr(by_query)}.")
    _check_values(argument, list(values.values()), by_query)
    return values


def _check_values(argument: str, values: list[Any], passed: object) -> None:
    if not all(is_finite(value) and value >= 0 for value in values) or np.isinf(sum(map(float, values))):
        raise ValueError(
            f"{argument} must contain non-negative numbers with a finite sum; got {short_repr(passed)}."
        )


def named_queries(
    names: Sequence[QueryId], totals: PositiveTotals | None, weightless: QueryIds | None = None
) -> list[QueryId]:
    """Return the sorted ids of queries that have rows, a total, or rows of weight 0 alone."""
    every = set(names)
    if isinstance(totals, dict):
        check_named(names, totals)
        every.update(totals)
    if weightless is not None:
        every.update(distinct_queries(weightless)[0])
    return sorted_ids(every, "n_positives must name queries as query_id does")


def check_named(
    names: Sequence[QueryId],
    values: dict[QueryId, float],
    refusal: str = "n_positives contains no total",
) -> None:
    """Refuse a query that has no value."""
    missing = [query for query in names if query not in values]
    if missing:
        raise ValueError(f"{refusal} for query {missing[0]!r} ({len(missing)} are missing).")


def totals_of_rankings(
    passed_totals: PositiveTotals,
    n_rankings: int,
    pooled_columns: int | None = None,
    names: Sequence[QueryId] | None = None,
    query: QueryIds | None = None,
) -> FloatArray:
    """Return the number of positives of each ranking as the caller passed it, in weight.

    `pooled_columns` is the number of columns if all of them are one ranking, else None. `names` are the
    queries of the rankings, and `query` is the id of each row; pooled queries have no `names`.
    """
    if isinstance(passed_totals, dict):
        if names is None and query is not None:  # pooled: the layout has not compared the names yet
            check_named(distinct_queries(query)[0], passed_totals)
        # A query whose rows all weigh 0 needs no total.
        totals = np.array([passed_totals.get(name, 0.0) for name in names or passed_totals], dtype=np.float64)
    elif passed_totals.ndim == 0:
        if pooled_columns is None:
            several = f"one total per column or sample, {n_rankings} here" if query is None else _MAPPING
            raise ValueError(
                f"n_positives must be {several}, since a number would be the total of each; got "
                f"{_all_digits(passed_totals.item())}. With average='micro', it is the total of all rows."
            )
        return passed_totals.reshape(1)
    else:
        totals = passed_totals
        expected = n_rankings if pooled_columns is None else pooled_columns
        if totals.size != expected:
            raise ValueError(
                f"n_positives must be a number, or one per column or sample: {expected} here; got {totals}."
            )
    return totals if pooled_columns is None else totals.sum(keepdims=True)


def not_below_found(
    totals: FloatArray,
    found_positives: FloatArray,
    *,
    n_rows: FloatArray | IntArray,
    count_weight: FloatArray | None = None,
    names: Sequence[QueryId] | None = None,
) -> FloatArray:
    """Return totals in counts, and refuse a total below the positives found.

    `count_weight` is the weight of one count in each ranking, None without weights. A total that differs from
    the positives found by no more than the rounding of weights is replaced by the positives found. Without
    weights, counts are exact, so a whole total is never replaced by another number.
    """
    counts, rounding = totals, np.minimum(rounding_of_sums(n_rows) * found_positives, 0.5)
    if count_weight is not None:
        # A total divided by a tiny weight may overflow. The largest float64 keeps scores finite.
        with np.errstate(over="ignore"):
            counts = np.minimum(totals / count_weight, np.finfo(np.float64).max)
        rounding = rounding_of_sums(n_rows) * found_positives
    short = np.flatnonzero(counts < found_positives - rounding)
    if short.size:
        first = short[0]
        ranking = f"ranking {first}" if names is None else repr(names[first])
        where = "" if names is None and totals.size == 1 else f" for {ranking}"
        found_weight = found_positives if count_weight is None else found_positives * count_weight
        raise ValueError(
            "n_positives must not be below the positives in y_true; got "
            f"{_all_digits(totals[first])}{where}, where {_all_digits(found_weight[first])} were found."
        )
    return np.where(counts <= found_positives + rounding, found_positives, counts)


def _all_digits(count: float) -> str:
    """Return a count or a weight with all its digits, so that two that differ look different."""
    return repr(float(count)).removesuffix(".0")
