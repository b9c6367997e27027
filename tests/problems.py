"""Hypothesis strategies for every score with its options and every layout of rankings,
with the expected score by its definition.
"""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn import config_context

from metrics import ALL_SCORES, KEYWORDS, counts_weight, normalizers_of
from oracles import scores as oracle
from oracles.scores import Ranking
from rankings import LARGEST
from sklearn_ap._core.reading.options import ORDERS_BY_LABEL, RANKED_TIES

EXTREME_WEIGHTS = {  # within 2**-500 and 2**500
    "near the least": [2.0**-500, 1e-150, 2e-150, 1e-149, 3e-147],
    "near the largest": [1.0, 1e145, 1e149, 3e149, 2.0**500],
    "far apart": [
        2.0**-500,
        1e-150,
        1e-149,
        1e-80,
        1e-10,
        1.0,
        3.0,
        1e10,
        1e80,
        2.0**500,
    ],
}


@contextmanager
def noted(**facts):
    """Add what is tested to the report of a failed assertion."""
    try:
        yield
    except AssertionError as error:
        lines = [f"{name} = {value!r}" for name, value in facts.items()]
        error.add_note("\n".join(lines))
        raise


# Decorates tests that draw `scores`, of which some are infinite.
infinite_scores = config_context(assume_finite=True)


@dataclass(frozen=True)
class Measure:
    """A public score with its own options, and its definition for one ranking."""

    function: Callable[..., Any]
    define: Callable[[Ranking], Any]
    options: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def keywords(self):
        return {*signature(self.function).parameters}

    def takes(self, keyword):
        return keyword in self.keywords

    def refuses(self, problem):
        """Return whether the score raises an error, because weights are unequal."""
        with_totals = "n_positives" in problem.arguments
        return self.refuses_unequal(with_totals) and any(
            len({row.weight for row in one.rows}) > 1 for one in problem.rankings
        )

    def refuses_unequal(self, with_totals):
        """Return whether weights must not differ inside a ranking."""
        ordered = self.options.get("ties") in ("expected", *ORDERS_BY_LABEL)
        unknown = self.options.get("normalizer") == "min" and with_totals
        unknown = unknown and self.options["k"] is not None
        return not counts_weight(self.function) or ordered or unknown

    def check(self, problem, zero_division=math.nan):
        """Compare a call with the definition, or expect its error."""
        call = partial(
            *(self.function, problem.y_true, problem.y_score),
            **(problem.arguments | self.options),
        )
        if self.takes("zero_division"):
            call = partial(call, zero_division=zero_division)
        if self.refuses(problem):
            with pytest.raises(ValueError, match="weights"):
                call()
            return
        undefined = 0.0 if zero_division == "warn" else zero_division
        expected, value = problem.expected(self, undefined), call()
        with noted(score=name_of(self.function), options=self.options, call=problem):
            assert value == pytest.approx(expected, 1e-12, 1e-12, nan_ok=True)
            kind = np.ndarray if isinstance(expected, list) else float
            assert isinstance(value, kind)


@dataclass(frozen=True)
class Problem:
    """A call, and its rankings."""

    y_true: Any
    y_score: Any
    arguments: dict[str, Any]
    rankings: list[Ranking]
    ranking_weights: list[Fraction] | None = None

    def expected(self, measure, zero_division):
        values = [measure.define(one) for one in self.rankings]
        if self.arguments.get("average", "macro") is None:
            return [oracle.mean([value], None, zero_division) for value in values]
        return oracle.mean(values, self.ranking_weights, zero_division)


# --- measures -------------------------------------------------------------------------


PREVALENCES = st.one_of(
    st.none(),
    st.sampled_from([0.001, 0.1, 1 / 3, 0.5, 0.99]),
    st.floats(1e-6, 1 - 1e-6),
)
# The values of each option that is also an option of the definition.
OPTIONS = {name: one.drawn for name, one in KEYWORDS.items() if one.drawn is not None}
RANKED = st.sampled_from(RANKED_TIES)


@st.composite
def of_its_name(draw, score):
    """Draw options of a score, for it and for the definition of the same name."""
    parameters = signature(score).parameters
    values = OPTIONS if counts_weight(score) else {**OPTIONS, "ties": RANKED}
    values = values | {"normalizer": st.sampled_from(normalizers_of(score))}
    options = {name: draw(values[name]) for name in values if name in parameters}
    # These two options raise an error together.
    if (options.get("ties"), options.get("normalizer")) == ("expected", "hits"):
        options["normalizer"] = "min"
    if "prevalence" in parameters:
        options["prevalence"] = draw(PREVALENCES)
    return measure_of(score, options)


def measure_of(score, options):
    """Return a score with these options, and the definition of the same name."""
    of_ranking = {name: options[name] for name in options if name != "prevalence"}
    define = partial(getattr(oracle, name_of(score)), **of_ranking)
    if "prevalence" not in options:
        return Measure(score, define, options)
    prevalence = options["prevalence"]
    return Measure(
        score, lambda one: define(oracle.at_prevalence(one, prevalence)), options
    )


def name_of(score):
    return score.__name__.removesuffix("_score")


for score in ALL_SCORES:
    if not hasattr(oracle, name_of(score)):
        raise NotImplementedError(
            f"write the definition of {score.__name__} into tests/oracles/scores.py"
        )

MEASURES = {name_of(score): of_its_name(score) for score in ALL_SCORES}


# --- problems -------------------------------------------------------------------------


def scores(size):
    """Few distinct values, so that most of them are tied. Those of the last kind need
    `infinite_scores`.
    """
    return st.one_of(
        st.lists(values, min_size=size, max_size=size)
        for values in (
            st.sampled_from([0.0, 0.25, 0.5, 1.0]),
            st.integers(-3, 3),
            st.floats(-1, 1, width=16),
            st.sampled_from([-math.inf, -1e39, 0.5, 2.0, 1e39, LARGEST, math.inf]),
        )
    )


def labels(size):
    return st.lists(st.booleans(), min_size=size, max_size=size)


@st.composite
def labels_with_a_positive(draw, size):
    drawn = draw(labels(size))
    drawn[draw(st.integers(0, size - 1))] = True
    return drawn


@st.composite
def weights(draw, size, *, extreme=True, equal=False):
    """Draw no weights, equal weights, whole numbers, decimals, floats, or extremes."""
    kinds = ["none", "none", "equal", "whole", "tenths", "any"]
    if equal:
        kinds = kinds[:3]
    elif extreme:
        kinds += EXTREME_WEIGHTS
    kind = draw(st.sampled_from(kinds))
    if kind == "none":
        return None
    unit = draw(st.sampled_from([0.1, 1 / 3, 2.0, 1e-9, 1e9]))
    element = {
        "equal": st.sampled_from([unit, unit, 0.0]),
        "whole": st.integers(0, 3),
        "tenths": st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7]),
        "any": st.floats(1e-3, 1e3),
        **{end: st.sampled_from(weights) for end, weights in EXTREME_WEIGHTS.items()},
    }[kind]
    values = draw(st.lists(element, min_size=size, max_size=size))
    return values if any(values) else [1] * size


@st.composite
def class_weights(draw, positive, rows, equal):
    """Draw weights. If they may differ, those of `rows`, which are one ranking, may be
    one weight per class.
    """
    weight = draw(weights(len(positive), equal=equal))
    if equal or not draw(st.booleans()):
        return weight
    classes = [draw(st.sampled_from([0.1, 1.0, 2.0, 3.0])) for _ in range(2)]
    weight = [1.0] * len(positive) if weight is None else [*weight]
    for row in rows:
        weight[row] = classes[int(positive[row])]
    return weight


def draw_total(draw, *found):
    """Draw a total of positives that is not below the positives found."""
    return max(found) + draw(st.sampled_from([0.0, 0.5, 1.0, 3.0, 10.0]))


class Cells(NamedTuple):
    """Labels, scores and weights, of which rankings are made."""

    labels: Sequence[bool]
    scores: Sequence[float]
    weights: Sequence[float]

    def ranking(self, cells, total=None):
        return oracle.ranking(*([one[i] for i in cells] for one in self), total)

    def found(self, cells):
        return float(self.ranking(cells).found)


@st.composite
def vectors(draw, with_totals, equal):
    size = draw(st.integers(1, 10))
    y_true, y_score = draw(labels(size)), draw(scores(size))
    weight = draw(class_weights(y_true, range(size), equal))
    arguments: dict[str, Any] = {"sample_weight": weight}
    cells, every, total = (
        Cells(y_true, y_score, weight or [1] * size),
        range(size),
        None,
    )
    if with_totals:
        arguments["n_positives"] = total = draw_total(draw, cells.found(every))
    return Problem(y_true, y_score, arguments, [cells.ranking(every, total)])


@st.composite
def matrices(draw, with_totals, equal):
    """Draw a call of several columns."""
    y_true, positive = draw(labels_of_columns())
    size, columns = positive.shape
    y_score = np.array([draw(scores(columns)) for _ in range(size)])
    # Weights may depend on the class in the first column. They are mixed in the others.
    weight = draw(class_weights(positive[:, 0], range(size), equal))
    average = draw(st.sampled_from(["macro", "micro", "weighted", "samples", None]))
    arguments = {"sample_weight": weight, "average": average}
    # With "samples", weights only count in the mean.
    inside = [1] * size if average == "samples" else weight or [1] * size
    cells = Cells(
        *(positive.ravel(), y_score.ravel().tolist()),
        np.repeat(inside, columns).tolist(),
    )
    parts = parts_of_matrix(size, columns, average)
    totals: list[float | None] = [None] * len(parts)
    if with_totals:
        totals = [draw_total(draw, cells.found(part)) for part in parts]
        arguments["n_positives"] = totals[0] if average == "micro" else totals
    rankings = list(map(cells.ranking, parts, totals))
    in_mean = weights_of_rankings(rankings, weight, average)
    return Problem(y_true, y_score, arguments, rankings, in_mean)


def parts_of_matrix(size, columns, average):
    """Return the cells of each ranking: those of a row, all cells, or those of a
    column.
    """
    cells = np.arange(size * columns).reshape(size, columns)
    if average == "micro":
        cells = cells.reshape(1, -1)
    elif average != "samples":
        cells = cells.T
    return cells.tolist()


@st.composite
def labels_of_columns(draw):
    """Draw labels, and return them with a matrix of positives."""
    size, columns = draw(st.integers(2, 4)), draw(st.integers(2, 3))
    if draw(st.booleans()) and columns == 3 and size >= 3:
        others = draw(st.lists(st.integers(0, 2), min_size=size - 3, max_size=size - 3))
        classes = draw(st.permutations([0, 1, 2, *others]))
        return classes, np.array([[label == c for c in range(3)] for label in classes])
    indicators = np.array([draw(labels(columns)) for _ in range(size)]).astype(int)
    return indicators, indicators == 1


def weights_of_rankings(rankings, weight, average):
    """Return the weights of rankings in their mean; None if all are equal."""
    if average == "weighted":
        return [one.positives for one in rankings]
    if average == "samples" and weight is not None:
        return [Fraction(w) for w in weight]
    return None


@st.composite
def queries(draw, with_totals, equal):
    """Draw a call of one column of labels, with the query of each row."""
    size = draw(st.integers(1, 12))
    y_true, y_score = draw(labels(size)), draw(scores(size))
    # A query that has no rows may be the first one, the last one, or between others.
    names = draw(st.sampled_from([[*"abcd"], [-1, 2, 4, 30], [-3.5, 0.5, 1.5, 2.5]]))
    names = draw(st.permutations(names))
    query = draw(st.lists(st.sampled_from(names[:3]), min_size=size, max_size=size))
    first = [i for i in range(size) if query[i] == query[0]]
    weight = draw(class_weights(y_true, first, equal))
    average = draw(st.sampled_from(["macro", "micro", "weighted", None]))
    cells, stated = Cells(y_true, y_score, weight or [1] * size), None
    if with_totals:
        rows = {
            name: [i for i in range(size) if query[i] == name]
            for name in sorted(heavy_of(cells, query))
        }
        stated = draw(totals_of_queries(cells, rows, average, names[3]))
    return of_queries(y_true, y_score, weight, query, average, stated)


def heavy_of(cells, query):
    """Return the queries that have a row of weight above 0."""
    return {name for name, weight in zip(query, cells.weights, strict=True) if weight}


def of_queries(
    y_true,
    y_score,
    weight,
    query,
    average,
    stated=None,
):
    """Return a call of rows of queries, with the totals that are passed."""
    size = len(query)
    cells = Cells(y_true, y_score, weight or [1] * size)
    heavy = heavy_of(cells, query)
    arguments = {"sample_weight": weight, "query_id": query, "average": average}
    if stated is not None:
        arguments["n_positives"] = stated
    if average == "micro":
        total = sum(stated.values()) if isinstance(stated, dict) else stated
        pooled = [cells.ranking(range(size), total)]
        return Problem(y_true, y_score, arguments, pooled)
    # Without an average, every query has a value. A mean excludes queries of weight 0.
    listed = sorted(set(query if average is None else heavy) | set(stated or ()))
    rows = {name: [] for name in listed}
    for i in range(size):
        rows.get(query[i], []).append(i)
    # Queries of weight 0 need no total.
    totals = dict.fromkeys(listed, None if stated is None else 0.0) | (stated or {})
    rankings = [cells.ranking(rows[name], totals[name]) for name in listed]
    in_mean = weights_of_rankings(rankings, None, average)
    return Problem(y_true, y_score, arguments, rankings, in_mean)


@st.composite
def totals_of_queries(draw, cells, rows, average, absent):
    """Draw a total for each query, and perhaps for a query without rows. For pooled
    queries, there may be one total for all.
    """
    if average == "micro" and draw(st.booleans()):
        return draw_total(draw, cells.found(range(len(cells.labels))))
    totals = {name: draw_total(draw, cells.found(rows[name])) for name in rows}
    if draw(st.booleans()):
        totals[absent] = draw(st.sampled_from([0.0, 2.0]))
    return totals


@st.composite
def calls(draw, name):
    """Draw a score and a problem that it accepts."""
    measure = draw(MEASURES[name])
    with_totals = measure.takes("n_positives") and draw(st.booleans())
    layout = draw(st.sampled_from([vectors, matrices, queries]))
    return measure, draw(layout(with_totals, measure.refuses_unequal(with_totals)))


def level_named(condition, refusal):
    """Return the level that the error of an operating point suggests, if any."""
    found = re.match(rf"{condition} must be at (?:least|most) ([^ ,]+)", refusal)
    if found is None:
        return None
    return int(found[1]) if condition in ("k", "false_alarms") else float(found[1])
