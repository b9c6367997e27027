"""Read a score, its arguments and the units that were drawn, once: a `SampledScore`."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from .._averaging import Averaging, rankings_in
from .._definition import Definition
from .._family import arguments_of, definition_of, name_of
from .._public import warn_user
from .._ranking._rankings import Rankings
from .._reading._options import read_zero_division
from .._reading._queries import distinct_queries
from .._reading._read import Checked, read
from .._reading._totals import read_totals
from .._reading._values import on_host
from .._typing import AnyArray, Average, BoolArray, FloatArray, IntArray, ScoreFunction
from ._any_score import AnyScore
from ._influence import Lone, has_slopes
from ._sample import MeanSample, RankedSample, Sample

_FIRST_ROWS = 10
_LEAST = 5e-324  # a row of weight 0 would not be there


class SampledScore(NamedTuple):
    """A score of one sample, or several scores with ``average=None``."""

    score: Any  # what the score function returns
    samples: list[Sample]
    score_again: Callable[[AnyArray], float]  # the score of other scores of the same rows
    unit_of_rows: IntArray | None  # None if each row is a unit
    is_pooled: bool  # whether scores of different columns may be compared
    is_array: bool = False  # whether there is an estimate per ranking

    @property
    def sample(self) -> Sample:
        """The only sample."""
        if self.is_array:
            raise ValueError("average must not be None here: one number is needed; got average=None.")
        return self.samples[0]


class ReadRows(NamedTuple):
    """The rows of a call of one of our scores, once they were read."""

    definition: Definition
    checked: Checked
    average: Average  # "micro" if there is a single ranking
    arguments: Mapping[str, Any]
    kept: IntArray | None  # which of the rows given; None if all have weight
    scale: float  # what the weights were divided by


def sampled_score(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, unit_id: ArrayLike | None, **params: Any
) -> SampledScore:
    """Read the score of a sample, and what was drawn."""
    score = score_func(y_true, y_score, **params)  # first, so that errors and warnings are those of the score
    rows = read_rows(score_func, y_true, y_score, params)
    any_score = AnyScore(score_func, y_true, y_score, params)
    units = any_score.units(unit_id)
    pooled = rows is None or rows.average == "micro"
    question = SampledScore(score, [], any_score.of, any_score.drawn(units), pooled)
    if rows is None:
        return question._replace(samples=[any_score.sample(units, any_score.binary())])
    warn_of_labels(rows.checked, y_true)
    if not rows.checked.positive.any():
        raise ValueError("y_true must hold a positive: without one, nothing says how sure the score is.")
    kept = (
        units if units is None or rows.kept is None else np.unique(units[rows.kept], return_inverse=True)[1]
    )
    if rows.average is None:
        return question._replace(samples=_each(rows, kept), is_array=True)
    if rows.average == "samples" or (rows.checked.query is not None and rows.average != "micro"):
        return question._replace(samples=[_mean(rows, kept)])
    if _fits_cells(rows):
        return question._replace(samples=[_ranked(rows, kept)])
    return question._replace(samples=[any_score.sample(units, _holds_positive(rows, len(any_score)))])


def read_rows(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, params: Mapping[str, Any]
) -> ReadRows | None:
    """Read the rows of one of our scores; None for any other callable."""
    arguments = arguments_of(score_func, params)
    if arguments is None:
        return None
    definition = definition_of(score_func, arguments)
    average, weight = arguments["average"], arguments["sample_weight"]
    checked = read(
        y_true,
        y_score,
        caller=name_of(score_func),
        average=average,
        pos_label=arguments["pos_label"],
        sample_weight=weight,
        query_id=arguments["query_id"],
    )
    kept, scale = None, 1.0
    if weight is not None:
        given = np.asarray(column_or_1d(on_host("sample_weight", weight)), dtype=np.float64)
        if len(checked.positive) < given.size:
            kept = given.nonzero()[0]
        checked, scale = _scaled(checked, given.max().item(), keep=average == "samples")
    if checked.positive.ndim == 1 and checked.query is None:
        average = "micro"  # as in scikit-learn, binary labels are one ranking with any `average`
    return ReadRows(definition, checked, average, arguments, kept, scale)


def _scaled(checked: Checked, heaviest: float, *, keep: bool) -> tuple[Checked, float]:
    """Divide the weights, so that squares of them neither underflow nor overflow; equal ones are counts.

    A power of 2 rounds nothing, so recalls reach the same levels as before.
    """
    weight = checked.weight
    if weight is not None and weight.min() < weight.max():
        scale = float(np.ldexp(1.0, np.frexp(heaviest)[1] - 1))
        return checked._replace(weight=np.maximum(weight / scale, _LEAST)), scale
    keep = keep and weight is not None
    return checked._replace(weight=np.ones(len(checked.positive)) if keep else None), heaviest


def warn_of_labels(checked: Checked, y_true: ArrayLike) -> None:
    """Warn where the scores of binary labels are such labels, as a classifier predicts them.

    `cross_val_predict` returns them unless its `method` is named. They rank rows in two groups only.
    """
    low, high = checked.bounds
    if checked.positive.ndim > 1 or low == high:
        return
    # Nearly all scores are told from labels by their first rows, so the other rows cost nothing.
    if not {low, high}.issuperset(checked.score[:_FIRST_ROWS].tolist()):
        return
    if not ((checked.score == low) | (checked.score == high)).all():
        return
    labels = np.unique(np.asarray(on_host("y_true", y_true))).tolist()
    if labels == [low, high]:
        warn_user(
            f"y_score holds nothing but the labels {labels[0]} and {labels[1]}: if a classifier predicted "
            "them, pass its scores instead, such as cross_val_predict(..., method='predict_proba')[:, 1]."
        )


def influence_of_all_rows(rows: ReadRows) -> FloatArray:
    """Return the derivative of the score with respect to the weight of each row; 0 for weightless rows."""
    if not has_slopes(rows.definition):
        raise ValueError(f"score_func must be the area of whole rankings; got {rows.definition}.")
    if rows.average is None:
        raise ValueError("average must not be None: influence values need one number; got average=None.")
    if not rows.checked.positive.any():
        raise ValueError("y_true must hold a positive: without one, no row moves the score.")
    if rows.checked.query is not None and rows.average != "micro":
        of_rows = _influence_in_queries(rows)
    elif rows.average == "samples":
        values, share, _ = _averaged(rows)
        of_rows = share * (values - (share * values).sum())
        if rows.checked.weight is not None:
            of_rows = np.divide(of_rows, rows.checked.weight, out=np.zeros_like(of_rows), where=share > 0)
    else:
        of_rows, _ = _ranked(rows, None).influence_of_rows()
        of_rows = of_rows.reshape(len(rows.checked.positive), -1).sum(axis=1)
    of_rows = of_rows / rows.scale
    if rows.kept is None:
        return of_rows
    of_all = np.zeros(np.size(rows.arguments["sample_weight"]))
    of_all[rows.kept] = of_rows
    return of_all


def _influence_in_queries(rows: ReadRows) -> FloatArray:
    """Return the influence of each row on the mean over queries; the queries themselves are given."""
    values, share, weight_of_all = _averaged(rows)
    checked, of_rows = rows.checked, np.zeros(rows.checked.positive.size)
    assert checked.query is not None, "queries"
    names, query = distinct_queries(checked.query)
    stated = None if _stated_of(rows) is None else _rankings(rows)[0].n_positives
    if stated is not None:
        _refuse_totals_of_weights(rows)
        if len(names) < values.size:
            raise ValueError("n_positives must not name queries without rows here; leave them out.")
    for one, place in enumerate(_rows_of_each(query)):
        part = checked.take(place)
        if not share[one] or not part.positive.any():  # then no row changes the value
            continue
        total = None if stated is None else stated[one].item()
        lone = Lone(part.positive, part.score, part.weight, total)
        of_rows[place] = share[one] * RankedSample(rows.definition, [lone]).influence_of_rows()[0]
        if rows.average == "weighted":
            of_rows[place] += part.positive * ((values[one] - (share * values).sum()) / weight_of_all)
    return of_rows


def _rows_of_each(query: IntArray) -> list[IntArray]:
    """Return the rows of each query."""
    return np.split(query.argsort(kind="stable"), np.cumsum(np.bincount(query))[:-1])


def _averaged(rows: ReadRows) -> tuple[FloatArray, FloatArray, float]:
    """Return the value of each ranking, its share in their mean, and what all of them weigh.

    Rankings that are left out have the value 0 and the share 0.
    """
    rankings, averaging = _rankings(rows)
    values = np.where(averaging.defined, rows.definition.of(rankings), _undefined(rows))
    weight = np.ones(values.size) if averaging.weights is None else averaging.weights
    weight = np.where(np.isnan(values), 0.0, weight)
    weight_of_all = float(weight.sum())
    if not weight_of_all:
        raise ValueError("y_true must hold a positive in a ranking that counts in the mean.")
    return np.where(weight > 0, values, 0.0), weight / weight_of_all, weight_of_all


def _holds_positive(rows: ReadRows, n_rows: int) -> BoolArray:
    """Return which of the rows given hold a positive."""
    positive = rows.checked.positive.reshape(len(rows.checked.positive), -1).any(axis=1)
    if rows.kept is None:
        return np.asarray(positive)
    of_all = np.zeros(n_rows, dtype=bool)
    of_all[rows.kept] = positive
    return of_all


def _fits_cells(rows: ReadRows) -> bool:
    """Whether the number depends on the rows only through the weight of each cell of equal rows."""
    one = rows.definition
    is_cut = one.cut is not None or not (one.is_whole or one.grid is not None)
    return one.tie_order is None and (rows.checked.weight is None or not is_cut)


def _stated_of(rows: ReadRows) -> Any:
    return rows.arguments.get("n_positives")


def _rankings(rows: ReadRows) -> tuple[Rankings, Averaging]:
    stated = read_totals(_stated_of(rows), rows.checked.query)
    if isinstance(stated, dict):
        stated = {name: total / rows.scale for name, total in stated.items()}
    elif stated is not None:
        stated = stated / rows.scale
    return rankings_in(
        rows.checked,
        stated,
        average=rows.average,
        definition=rows.definition,
    )


def _mean(rows: ReadRows, units: IntArray | None) -> Sample:
    """Return the sample of a mean over queries, or over the rows of a label matrix."""
    values, share, _ = _averaged(rows)
    counted = share > 0
    of_rankings = None if units is None else _units_of_queries(rows, units, values.size)[counted]
    if of_rankings is not None:
        of_rankings = np.unique(of_rankings, return_inverse=True)[1]
    return MeanSample(values[counted], share[counted], of_rankings, rows.checked.positive.size)


def _undefined(rows: ReadRows) -> float:
    zero_division = read_zero_division(rows.arguments.get("zero_division", 0.0))
    return 0.0 if zero_division == "warn" else float(zero_division)


def _units_of_queries(rows: ReadRows, units: IntArray, n_rankings: int) -> IntArray:
    """Return the unit of each ranking, whose rows must all belong to it."""
    if rows.checked.query is None:
        return units
    names, query = distinct_queries(rows.checked.query)
    if len(names) < n_rankings:
        raise ValueError("unit_id needs queries with rows: n_positives names a query that has none.")
    of_queries = np.zeros(n_rankings, dtype=np.int64)
    of_queries[query] = units
    split = (of_queries[query] != units).nonzero()[0]
    if split.size:
        raise ValueError(
            f"unit_id must be the same in all rows of a query; query {names[query[split[0]]]!r} has several."
        )
    return of_queries


def _ranked(rows: ReadRows, units: IntArray | None) -> RankedSample:
    """Return the sample of a single ranking, or of the mean over columns."""
    checked = rows.checked
    stated = _stated_of(rows) is not None
    if checked.query is not None:  # pooled: queries are the units
        _, query = distinct_queries(checked.query)
        units = query if units is None else _units_of_queries(rows, units, int(query.max()) + 1)[query]
    if stated and (checked.positive.ndim == 2 or checked.query is not None):
        raise ValueError(
            "n_positives must be left out where rows of a matrix or pooled queries are the units: nobody "
            f"knows whose positives were missed; got {_stated_of(rows)!r}."
        )
    if checked.positive.ndim == 1:
        return RankedSample(rows.definition, [_lone(rows)], units)
    if rows.average == "micro":
        n_columns = checked.positive.shape[1]
        by_row = np.repeat(np.arange(len(checked.positive)) if units is None else units, n_columns)
        weight = None if checked.weight is None else np.repeat(checked.weight, n_columns)
        pooled = Lone(checked.positive.reshape(-1), checked.score.reshape(-1), weight)
        return RankedSample(rows.definition, [pooled], by_row)
    by_positives = rows.average == "weighted"
    undefined = _undefined(rows)
    return RankedSample(
        rows.definition, _lone_columns(checked), units, by_positives=by_positives, undefined=undefined
    )


def _lone(rows: ReadRows) -> Lone:
    """Return the only ranking, with a stated total in rows."""
    checked, n_positives = rows.checked, None
    if _stated_of(rows) is not None:
        _refuse_totals_of_weights(rows)
        n_positives = _rankings(rows)[0].n_positives.item()
    return Lone(checked.positive, checked.score, checked.weight, n_positives)


def _refuse_totals_of_weights(rows: ReadRows) -> None:
    if rows.checked.weight is not None:
        raise ValueError(
            "n_positives with weights that differ leaves open what missed positives weigh; "
            f"got {_stated_of(rows)!r}. Leave one of them out."
        )


def _lone_columns(checked: Checked) -> list[Lone]:
    pairs = zip(checked.positive.T, checked.score.T, strict=True)
    return [Lone(np.ascontiguousarray(y), np.ascontiguousarray(s), checked.weight) for y, s in pairs]


def _each(rows: ReadRows, units: IntArray | None) -> list[Sample]:
    """Return a sample per column, or per query, whose rows are then the units."""
    checked = rows.checked
    if _stated_of(rows) is not None:
        raise ValueError(
            f"n_positives must be left out with average=None; got {_stated_of(rows)!r}. Ask ranking by "
            "ranking."
        )
    if not _fits_cells(rows):
        raise ValueError(f"average must not be None for {rows.definition}; ask ranking by ranking.")
    if checked.query is None:
        lones, groups = _lone_columns(checked), [units] * checked.positive.shape[1]
    else:
        _, query = distinct_queries(checked.query)
        places = _rows_of_each(query)
        parts = map(checked.take, places)
        lones = [Lone(part.positive, part.score, part.weight) for part in parts]
        groups = [None if units is None else units[place] for place in places]
    samples: list[Sample] = []
    for lone, group in zip(lones, groups, strict=True):
        if not lone.positive.any():
            raise ValueError("y_true must hold a positive in each ranking with average=None.")
        dense = None if group is None else np.unique(group, return_inverse=True)[1]
        samples.append(RankedSample(rows.definition, [lone], dense))
    return samples
