"""Read a score, its arguments and the units that were drawn, once; and warn of what the sample lacks."""

from collections.abc import Mapping, Sequence
from math import frexp, inf
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
from .._reading._queries import distinct_queries
from .._reading._read import Checked, read
from .._reading._totals import read_totals
from .._reading._values import on_host
from .._registry import arguments_of, definition_of, name_of
from .._typing import AnyArray, Average, FloatArray, IntArray, ScoreFunction
from ._results import SINGULAR, ScoreEstimate
from ._sample import AnySample, MeanSample, RankedSample, Sample, single_ranking, unit_numbers

# Below these numbers, simulated intervals of influences cover too little, or say nothing.
_FEW = 3  # positives, or units that contain one
_AT_TOP = 0.5  # positives times their score
_HEAVY = 2  # equal negatives that would do as much to the score, where each stands for several
_UNITS = 5  # equal units that would contain all negatives
FEW_DRAWN = 10  # positives or heavy negatives, for percentiles of a bootstrap
_AT_TOP_OF_PAIR = 2  # positives times the lower of two scores, for percentiles
_FEW_FOR_MARGIN = 40  # positives, for a test of one side
_SOME = 10_000  # rows that tell whether weights go with scores: a mean of so many is known to 1 %
_FEWEST_AT_TOP = 5  # of them above the median positive; fewer say little about their mean
_HEAVIER = 3  # where they weigh so much more than others, simulated intervals cover too little


class ScoreCall(NamedTuple):
    """A call of one of our scores, whose rows were read."""

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

    @property
    def n_rows(self) -> int:
        """Number of rows given, those of weight 0 among them."""
        return len(self.checked.positive) if self.kept is None else np.size(self.arguments["sample_weight"])

    def of_all(self, values: AnyArray) -> AnyArray:
        """Return the values of all rows given, which are 0 for rows of weight 0."""
        if self.kept is None:
            return values
        of_all = np.zeros(self.n_rows, dtype=values.dtype)
        of_all[self.kept] = values
        return of_all


def sampled_score(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, unit_id: ArrayLike | None, **params: Any
) -> Sample:
    """Read the score of a sample, and what was drawn."""
    # First, so that errors and warnings are those of the score.
    score = refuse_several(score_func(y_true, y_score, **params))
    call = read_call(score_func, y_true, y_score, params)
    unit = None
    if unit_id is not None:
        unit = unit_numbers("unit_id", unit_id, len(np.asarray(on_host("y_score", y_score))))
    if call is None:
        return AnySample(score, score_func, y_true, y_score, params, unit=unit)
    warn_of_labels(call.checked, y_true)
    if call.is_mean or _fits_cells(call):
        if unit is not None and call.kept is not None:
            unit = np.unique(unit[call.kept], return_inverse=True)[1]
        return (_mean_sample if call.is_mean else ranked_sample)(score, call, unit)
    positive = call.checked.positive.reshape(len(call.checked.positive), -1)
    positive = call.of_all(np.logical_or.reduce(positive, axis=1))
    labels = y_true if call.checked.positive.ndim == 1 else _indicator(y_true)
    return AnySample(score, score_func, labels, y_score, params, unit=unit, positive=positive, cut=call.cut)


def sampled_scores(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    unit_id: ArrayLike | None,
    **params: Any,
) -> list[Sample]:
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


def read_call(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, params: Mapping[str, Any]
) -> ScoreCall | None:
    """Read the rows of one of our scores; None for any other callable."""
    arguments = arguments_of(score_func, params)
    if arguments is None:
        return None
    definition = definition_of(score_func, arguments)
    average, weight = arguments["average"], arguments["sample_weight"]
    pos_label, query_id = arguments["pos_label"], arguments["query_id"]
    caller = name_of(score_func)
    given, of_queries = (y_true, y_score, average, pos_label, weight), arguments["query_weight"]
    totals = arguments.get("n_positives")
    checked = read(*given, query_id=query_id, query_weight=of_queries, n_positives=totals, caller=caller)
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
    return ScoreCall(definition, checked, average, arguments, kept, scale)


def _scaled(checked: Checked, heaviest: float, *, keep: bool) -> tuple[Checked, float]:
    """Divide the weights by a power of 2, so that squares stay within range; equal weights are counts."""
    weight = checked.weight
    if weight is not None and np.minimum.reduce(weight) < heaviest:
        scale = 2.0 ** (frexp(heaviest)[1] - 1)  # rounds nothing, so recalls reach the same levels
        return checked._replace(weight=weight / scale), scale
    keep = keep and weight is not None
    return checked._replace(weight=np.ones(len(checked.positive)) if keep else None), heaviest


def _values_to_average(call: ScoreCall) -> tuple[FloatArray, FloatArray]:
    """Return the value of each ranking, and its share in their mean; both 0 if it is left out."""
    rankings, averaging = _read_rankings(call)
    values = np.where(averaging.defined, call.definition.compute(rankings), call.undefined)
    weight = np.ones(values.size) if averaging.weights is None else averaging.weights
    weight = np.where(np.isnan(values), 0.0, weight)
    weight_of_all = float(weight.sum())
    if not weight_of_all:
        raise ValueError("y_true must contain a positive in a ranking that counts in the mean.")
    return np.where(weight > 0, values, 0.0), weight / weight_of_all


def _read_rankings(call: ScoreCall) -> tuple[Rankings, Averaging]:
    """Rank the rows, and read how their rankings are averaged."""
    stated = read_totals(call.stated, call.checked.query)
    if isinstance(stated, dict):
        stated = {name: total / call.scale for name, total in stated.items()}
    elif stated is not None:
        stated = stated / call.scale
    return rankings_in(call.checked, stated, average=call.average, definition=call.definition)


def _fits_cells(call: ScoreCall) -> bool:
    """Whether the number depends on the rows only through the weight of each cell of equal rows."""
    definition = call.definition
    is_cut = definition.cut is not None or (definition.reads_all_recalls and not definition.is_whole)
    return definition.tie_order is None and (call.checked.weight is None or not is_cut)


def _mean_sample(score: float, call: ScoreCall, units: IntArray | None) -> Sample:
    """Return the sample of a mean over queries, or over the rows of a label matrix."""
    values, share = _values_to_average(call)
    counted = share > 0
    if units is not None:
        units = np.unique(_units_of_rankings(call, units, values.size)[counted], return_inverse=True)[1]
    return MeanSample(score, values[counted], share[counted], units, call.checked.positive.size)


def _units_of_rankings(call: ScoreCall, units: IntArray, n_rankings: int) -> IntArray:
    """Return the unit of each ranking, whose rows must all belong to it."""
    if call.checked.query is None:
        return units
    names, query = distinct_queries(call.checked.query)
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


def ranked_sample(score: float, call: ScoreCall, units: IntArray | None) -> RankedSample:
    """Return the sample of a single ranking, or of the mean over columns."""
    checked, stated, missed = call.checked, call.stated, 0.0
    positive, y_score, weight = checked.positive, checked.score, checked.weight
    if checked.query is not None:  # pooled: queries are the units
        _, query = distinct_queries(checked.query)
        units = query if units is None else _units_of_rankings(call, units, int(query.max()) + 1)[query]
    if stated is not None:
        if positive.ndim == 2 or checked.query is not None:
            raise ValueError(
                "n_positives must be left out where rows of a matrix or pooled queries are the units: nobody "
                f"knows whose positives were missed; got {stated!r}."
            )
        if weight is not None:
            raise ValueError(
                "n_positives with weights that differ leaves open what missed positives weigh; "
                f"got {stated!r}. Leave one of them out."
            )
        missed = _read_rankings(call)[0].n_positives.item() - np.count_nonzero(positive)
    if positive.ndim == 2 and call.average == "micro":  # row by row, the units of a row one after the other
        n_rows, n_columns = positive.shape
        units = np.repeat(np.arange(n_rows) if units is None else units, n_columns)
        weight = None if weight is None else np.repeat(weight, n_columns)
        positive, y_score = positive.reshape(-1), y_score.reshape(-1)
    columns = [(positive, y_score)]
    if positive.ndim == 2:
        columns = [*zip(np.ascontiguousarray(positive.T), np.ascontiguousarray(y_score.T), strict=True)]
    return RankedSample(
        score,
        call.definition,
        [single_ranking(*column, weight) for column in columns],
        units,
        n_missed=missed,
        by_positives=call.average == "weighted",
        undefined=call.undefined,
        is_cut=call.cut is not None,
    )


class UncertaintyWarning(UserWarning):
    """An interval or a p-value may be wrong, because the sample contains too little.

    .. versionadded:: 0.1

    Parameters
    ----------
    message : str, default=''
        What the sample lacks, and what to do.

    code : str, default=''
        Kind of the warning, also an attribute.

        - ``'few_positives'``: too few positives, or units that contain one, or too few at the top.
        - ``'missing_negatives'``: few negatives decide the score, by weights, a `prevalence` or `unit_id`,
          and the sample may lack others that score high.
        - ``'dependent_weights'``: heavy negatives have high scores.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_ap import UncertaintyWarning, average_precision_score, estimate_score
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", UncertaintyWarning)
    ...     estimate = estimate_score(average_precision_score, [1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> [warning.message.code for warning in caught]
    ['few_positives']
    """

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.code = code


def _warn(code: str, text: str) -> None:
    warn_user(UncertaintyWarning(text, code))


def warn_of_few(n_effective: float, noun: str, least: float = _FEW) -> None:
    """Warn if so few positives say little about others."""
    if n_effective < least:
        number = f"{n_effective:.3g}"
        noun = SINGULAR[noun] if number == "1" else noun
        _warn(
            "few_positives",
            f"The sample has only {number} {noun}, too few to show how much others differ: add more.",
        )


def warn_of_ranking(estimate: ScoreEstimate) -> None:
    """Warn of a single ranking, whose rows are the units."""
    warn_of_few(estimate.n_positives, "positives")
    _warn_of_late(estimate.n_positives, estimate.score)
    _warn_of_negatives(estimate._inputs.heavy_negatives, inf)


def warn_of_samples(samples: Sequence[Sample], *, drawn: bool, margin: float = 0.0) -> None:
    """Warn of the units of one or more models, and of percentiles if their samples are `drawn`."""
    fewest, noun = min(sample.fewest for sample in samples), samples[0].noun
    score = min(sample.score for sample in samples)
    is_area = samples[0].is_single and samples[0].has_influences
    least = FEW_DRAWN if drawn else _FEW
    warn_of_few(fewest, noun, _FEW_FOR_MARGIN if margin and is_area else least)
    heavy = min(sample.heavy_negatives for sample in samples)
    _warn_of_negatives(heavy, samples[0].n_negative_units, FEW_DRAWN if drawn else _HEAVY)
    if not is_area:
        return
    if not drawn or len(samples) == 1:
        _warn_of_late(fewest, score)
    elif fewest >= FEW_DRAWN:
        _warn_of_late(fewest, score, _AT_TOP_OF_PAIR, " or use method='influence', which rejects seldom")


def _warn_of_late(n_positives: float, score: float, least: float = _AT_TOP, instead: str = "") -> None:
    at_top = n_positives * score
    if n_positives >= _FEW and at_top < least:
        _warn(
            "few_positives",
            f"The score {score:.3g} of {n_positives:.4g} positives is that of about {at_top:.2g} at the top, "
            f"and the sample may lack others: add positives{instead}.",
        )


def _warn_of_negatives(heavy_negatives: float, n_units: float, least: float = _HEAVY) -> None:
    text = ""
    if n_units < _UNITS:
        text = f"{n_units:.2g} units of negatives, whose scores are luck: add units."
    elif heavy_negatives < least:
        text = (
            f"{heavy_negatives:.2g} negatives that decide the score, each for many: add some that score high."
        )
    if text:
        _warn("missing_negatives", f"The sample has only {text}")


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
    if np.count_nonzero(top) >= _FEWEST_AT_TOP and weight[top].mean() > light:
        # The text contains no number, so two models get one warning.
        _warn(
            "dependent_weights",
            "sample_weight depends on y_score, so that few heavy negatives decide the score: add negatives "
            "with high scores and small weights.",
        )


def warn_of_labels(checked: Checked, y_true: ArrayLike) -> None:
    """Warn where scores are the two labels, as `cross_val_predict` returns them without a `method`."""
    _warn_of_weights(checked)
    low, high = checked.bounds
    if checked.positive.ndim > 1 or low == high:
        return
    if checked.score[0] != low and checked.score[0] != high:  # as a rule, and all rows take a while
        return
    if not ((checked.score == low) | (checked.score == high)).all():
        return
    labels = np.unique(np.asarray(on_host("y_true", y_true))).tolist()
    if labels == [low, high]:
        warn_user(
            f"y_score contains nothing but the labels {labels[0]} and {labels[1]}: if a classifier predicted "
            "them, pass its scores instead, such as cross_val_predict(..., method='predict_proba')[:, 1]."
        )
