"""Read a score, its arguments and the units that were drawn, once: a `SampledScore`."""

from collections.abc import Mapping
from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import label_binarize
from sklearn.utils import column_or_1d

from .._api import Averaging, rankings_in
from .._definition import Definition
from .._public import warn_user
from .._ranking._rankings import Rankings
from .._reading._options import read_zero_division
from .._reading._queries import distinct_queries, read_totals
from .._reading._read import Checked, Input, read
from .._reading._values import on_host
from .._registry import arguments_of, definition_of, name_of
from .._typing import AnyArray, Average, FloatArray, IntArray, ScoreFunction
from ._influence import SingleRanking
from ._sample import AnySample, MeanSample, RankedSample, Sample, unit_numbers
from ._warnings import warn_of_weights

_SOME = 10_000  # rows that tell whether weights go with scores: a mean of so many is known to 1 %
_FEWEST = 5  # of them above the median positive; fewer say little about their mean
_HEAVIER = 3  # where they weigh so much more than others, simulated intervals cover too little


class SampledScore(NamedTuple):
    """A score of one sample."""

    score: float
    sample: Sample
    n_rows: int  # those of weight 0 too
    rows: "ReadRows | None"  # None if the score is any other callable


class ReadRows(NamedTuple):
    """The rows of a call of one of our scores, once they were read."""

    definition: Definition
    checked: Checked
    average: Average  # "micro" if there is a single ranking
    arguments: Mapping[str, Any]
    kept: IntArray | None  # which of the rows given; None if all have weight
    scale: float  # what the weights were divided by

    @property
    def is_mean(self) -> bool:
        """Whether the score is a mean over queries, or over the rows of a label matrix."""
        return self.average == "samples" or (self.checked.query is not None and self.average != "micro")

    @property
    def cut(self) -> Definition | None:
        """The definition, if it cuts single rankings."""
        is_single = self.checked.positive.ndim == 1 and not self.is_mean
        return self.definition if is_single and self.definition.cut is not None else None

    @property
    def stated(self) -> Any:
        """The stated totals of positives, as the caller gave them."""
        return self.arguments.get("n_positives")

    @property
    def undefined(self) -> float:
        """The number of rankings without positives."""
        zero_division = read_zero_division(self.arguments.get("zero_division", 0.0))
        return 0.0 if zero_division == "warn" else float(zero_division)

    def of_all(self, values: AnyArray) -> AnyArray:
        """Return the values of all rows given, which are 0 for rows of weight 0."""
        if self.kept is None:
            return values
        of_all = np.zeros(np.size(self.arguments["sample_weight"]), dtype=values.dtype)
        of_all[self.kept] = values
        return of_all


def sampled_score(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, unit_id: ArrayLike | None, **params: Any
) -> SampledScore:
    """Read the score of a sample, and what was drawn."""
    # First, so that errors and warnings are those of the score.
    score = refuse_several(score_func(y_true, y_score, **params))
    rows = read_rows(score_func, y_true, y_score, params)
    n_rows = len(np.asarray(on_host("y_score", y_score)))
    unit = None if unit_id is None else unit_numbers("unit_id", unit_id, n_rows)
    if rows is None:
        return SampledScore(score, AnySample(score_func, y_true, y_score, params, unit=unit), n_rows, None)
    warn_of_labels(rows.checked, y_true)
    if rows.is_mean or _fits_cells(rows):
        if unit is not None and rows.kept is not None:
            unit = np.unique(unit[rows.kept], return_inverse=True)[1]
        sample = _mean_sample(rows, unit) if rows.is_mean else ranked_sample(rows, unit)
    else:
        positive = rows.checked.positive.reshape(len(rows.checked.positive), -1)
        positive = rows.of_all(np.logical_or.reduce(positive, axis=1))
        labels = y_true if rows.checked.positive.ndim == 1 else _indicator(y_true)
        sample = AnySample(score_func, labels, y_score, params, unit=unit, positive=positive, cut=rows.cut)
    return SampledScore(score, sample, n_rows, rows)


def sampled_scores(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    unit_id: ArrayLike | None,
    **params: Any,
) -> list[SampledScore]:
    """Read the score of each model on the same rows; an error tells which argument its scores are."""
    samples = []
    for name, y_score in models.items():
        try:
            samples.append(sampled_score(score_func, y_true, y_score, unit_id, **params))
        except ValueError as error:
            error.add_note(f"The scores are those of {name}.")
            raise
    return samples


def refuse_several(score: Any) -> float:
    """Return the number that a score function gave, or refuse several."""
    if np.ndim(score):
        raise ValueError(
            "average must not be None, and the score must be a single number; got an array of shape "
            f"{np.shape(score)}. Pass one class, column or query at a time, such as y_true == label."
        )
    return float(score)


def _indicator(y_true: ArrayLike) -> Any:
    """Return a column per label: a bootstrap sample may lose a class, but not its column."""
    if hasattr(y_true, "tocsr"):
        return y_true
    labels = np.asarray(on_host("y_true", y_true))
    return labels if labels.size > len(labels) else label_binarize(labels.ravel(), classes=np.unique(labels))


def read_rows(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, params: Mapping[str, Any]
) -> ReadRows | None:
    """Read the rows of one of our scores; None for any other callable."""
    arguments = arguments_of(score_func, params)
    if arguments is None:
        return None
    definition = definition_of(score_func, arguments)
    average, weight = arguments["average"], arguments["sample_weight"]
    pos_label, query_id = arguments["pos_label"], arguments["query_id"]
    caller = name_of(score_func)
    of_queries, totals = arguments["query_weight"], arguments.get("n_positives")
    inputs = Input(y_true, y_score, average, pos_label, weight, query_id, of_queries, totals)
    checked = read(inputs, caller=caller)
    if not checked.positive.any():
        raise ValueError("y_true contains no positive samples; a standard error is undefined.")
    kept, scale = None, 1.0
    if weight is not None:
        if type(weight) is not np.ndarray or weight.ndim > 1:  # else it takes longer than a short score
            weight = column_or_1d(on_host("sample_weight", weight))
        weight = np.asarray(weight, dtype=np.float64)
        if len(checked.positive) < weight.size:
            kept = weight.nonzero()[0]
        checked, scale = _scaled(checked, np.maximum.reduce(weight).item(), keep=average == "samples")
    if checked.positive.ndim == 1 and checked.query is None:
        average = "micro"  # as in scikit-learn, binary labels are one ranking with any `average`
    return ReadRows(definition, checked, average, arguments, kept, scale)


def _scaled(checked: Checked, heaviest: float, *, keep: bool) -> tuple[Checked, float]:
    """Divide the weights by a power of 2, so that squares stay within range; equal weights are counts."""
    weight = checked.weight
    if weight is not None and np.minimum.reduce(weight) < heaviest:
        scale = 2.0 ** (frexp(heaviest)[1] - 1)  # rounds nothing, so recalls reach the same levels
        return checked._replace(weight=weight / scale), scale
    keep = keep and weight is not None
    return checked._replace(weight=np.ones(len(checked.positive)) if keep else None), heaviest


def _warn_of_weights(checked: Checked) -> None:
    """Warn where weights depend on scores, so that a few heavy negatives at the top decide the score."""
    weight, positive, score = checked.weight, checked.positive, checked.score
    if weight is None or positive.ndim > 1 or checked.query is not None:
        return
    some = slice(None, None, weight.size // _SOME + 1)  # of many rows, so that this takes no time
    negative, weight = ~positive[some], weight[some]
    light = _HEAVIER * weight.dot(negative) / max(np.count_nonzero(negative), 1)
    if np.maximum.reduce(weight) <= light:  # true of most weights, and five times faster than a median
        return
    places = positive.nonzero()[0]
    if not (light and places.size):
        return
    middle = np.median(score[places[:: places.size // _SOME + 1]])
    top = negative & (score[some] > middle)
    if np.count_nonzero(top) >= _FEWEST and weight[top].mean() > light:
        warn_of_weights()


def warn_of_labels(checked: Checked, y_true: ArrayLike) -> None:
    """Warn where scores are the two labels, as `cross_val_predict` returns them without a `method`."""
    _warn_of_weights(checked)
    low, high = checked.bounds
    if checked.positive.ndim > 1 or low == high:
        return
    if not ((checked.score == low) | (checked.score == high)).all():
        return
    labels = np.unique(np.asarray(on_host("y_true", y_true))).tolist()
    if labels == [low, high]:
        warn_user(
            f"y_score contains nothing but the labels {labels[0]} and {labels[1]}: if a classifier predicted "
            "them, pass its scores instead, such as cross_val_predict(..., method='predict_proba')[:, 1]."
        )


def _values_to_average(rows: ReadRows) -> tuple[FloatArray, FloatArray]:
    """Return the value of each ranking, and its share in their mean; both 0 if it is left out."""
    rankings, averaging = _read_rankings(rows)
    values = np.where(averaging.defined, rows.definition.compute(rankings), rows.undefined)
    weight = np.ones(values.size) if averaging.weights is None else averaging.weights
    weight = np.where(np.isnan(values), 0.0, weight)
    weight_of_all = float(weight.sum())
    if not weight_of_all:
        raise ValueError("y_true must contain a positive in a ranking that counts in the mean.")
    return np.where(weight > 0, values, 0.0), weight / weight_of_all


def _read_rankings(rows: ReadRows) -> tuple[Rankings, Averaging]:
    """Rank the rows, and read how their rankings are averaged."""
    stated = read_totals(rows.stated, rows.checked.query)
    if isinstance(stated, dict):
        stated = {name: total / rows.scale for name, total in stated.items()}
    elif stated is not None:
        stated = stated / rows.scale
    return rankings_in(rows.checked, stated, average=rows.average, definition=rows.definition)


def _fits_cells(rows: ReadRows) -> bool:
    """Whether the number depends on the rows only through the weight of each cell of equal rows."""
    definition = rows.definition
    is_cut = definition.cut is not None or (definition.reads_all_recalls and not definition.is_whole)
    return definition.tie_order is None and (rows.checked.weight is None or not is_cut)


def _mean_sample(rows: ReadRows, units: IntArray | None) -> Sample:
    """Return the sample of a mean over queries, or over the rows of a label matrix."""
    values, share = _values_to_average(rows)
    counted = share > 0
    if units is not None:
        units = np.unique(_units_of_rankings(rows, units, values.size)[counted], return_inverse=True)[1]
    return MeanSample(values[counted], share[counted], units, rows.checked.positive.size)


def _units_of_rankings(rows: ReadRows, units: IntArray, n_rankings: int) -> IntArray:
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
            f"unit_id must be the same in all rows of a query; query {names[query[split[0]]]!r} has several. "
            "Leave out unit_id: queries are then the units."
        )
    return of_queries


def ranked_sample(rows: ReadRows, units: IntArray | None) -> RankedSample:
    """Return the sample of a single ranking, or of the mean over columns."""
    checked, is_matrix = rows.checked, rows.checked.positive.ndim == 2
    if checked.query is not None:  # pooled: queries are the units
        _, query = distinct_queries(checked.query)
        units = query if units is None else _units_of_rankings(rows, units, int(query.max()) + 1)[query]
    if rows.stated is not None and (is_matrix or checked.query is not None):
        raise ValueError(
            "n_positives must be left out where rows of a matrix or pooled queries are the units: nobody "
            f"knows whose positives were missed; got {rows.stated!r}."
        )
    if is_matrix and rows.average == "micro":
        n_rows, n_columns = checked.positive.shape
        units = np.repeat(np.arange(n_rows) if units is None else units, n_columns)
    return RankedSample(
        rows.definition,
        _single_rankings(rows),
        units,
        by_positives=rows.average == "weighted",
        undefined=rows.undefined,
        is_cut=rows.cut is not None,
    )


def _single_rankings(rows: ReadRows) -> list[SingleRanking]:
    """Return the rankings that the rows are: a single one, or one per column."""
    checked = rows.checked
    if checked.positive.ndim == 2:
        positive, score, weight = checked.positive, checked.score, checked.weight
        if rows.average == "micro":  # row by row, the units of a row one after the other
            weight = None if weight is None else np.repeat(weight, positive.shape[1])
            return [SingleRanking(positive.reshape(-1), score.reshape(-1), weight)]
        columns = zip(np.ascontiguousarray(positive.T), np.ascontiguousarray(score.T), strict=True)
        return [SingleRanking(*column, weight) for column in columns]
    missed = 0.0
    if rows.stated is not None:
        if checked.weight is not None:
            raise ValueError(
                "n_positives with weights that differ leaves open what missed positives weigh; "
                f"got {rows.stated!r}. Leave one of them out."
            )
        missed = _read_rankings(rows)[0].n_positives.item() - np.count_nonzero(checked.positive)
    return [SingleRanking(checked.positive, checked.score, checked.weight, missed)]
