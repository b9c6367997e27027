"""The number of a convention as its record words it: slow, row by row, in exact
fractions.

Beside `oracle`, which has the definitions of the papers, and `areas_oracle`, which has
the areas of other packages, this has what those packages do to the input: one function
per choice of a record. It reads the fields of a record and shares no code with the
package.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from operator import mul
from typing import NamedTuple

import numpy as np
from scipy.special import expit

import oracle
from areas_oracle import RefusedError, of_ranking
from oracle import Ranking, Row
from sklearn_ap.compatibility._records import Convention

Totals = int | dict[str, int] | None


class Data(NamedTuple):
    """Rows as a user passes them; `None` is not passed."""

    labels: list[int]
    scores: list[float]
    weights: list[float] | None = None
    queries: list[str] | None = None
    items: list[str] | None = None
    n_positives: int | dict[str, int] | None = None
    k: int | float | None = None

    def arguments(self) -> dict[str, object]:
        return {
            "k": self.k,
            "sample_weight": self.weights,
            "query_id": self.queries,
            "n_positives": self.n_positives,
            "item_id": self.items,
        }


Number = Fraction | Decimal | float


class Answer(NamedTuple):
    """What one ranking gives: numbers, or what the convention says in their place."""

    values: list[Number | str]
    n_rows: int
    in_place: bool = False  # of a number; the convention may leave such answers out


def value(convention: Convention, data: Data) -> Number:
    """The number, NaN where that is the answer."""
    least, greatest = extremes(convention, data)
    if least != greatest and not (math.isnan(least) and math.isnan(greatest)):
        raise RefusedError("the order of equal scores is open, and decides")
    return least


def extremes(convention: Convention, data: Data) -> tuple[Number, Number]:
    """The least and the greatest number over all orders of equal scores, where their
    order is open.
    """
    if convention.cut == "k" and data.k is None:
        raise RefusedError("k")
    if convention.queries == "refused" and data.queries is not None:
        raise RefusedError("one ranking per call")
    rankings = sorted(_rankings(convention, data), key=lambda one: bool(one.positives))
    _refuse_orders_without_bounds(convention, data, rankings)
    answers = [_answer(convention, data, ranking) for ranking in rankings]
    return tuple(_over_rankings(convention, answers, best) for best in (min, max))


def is_over_hits(convention: Convention) -> bool:
    """Whether it divides precisions by the hits in the cut: its range over all orders
    is unknown.
    """
    return (convention.area, convention.normalizer) == ("step", "hits")


def _answer(convention: Convention, data: Data, ranking: Ranking) -> Answer:
    """The numbers of a ranking in every order that is possible, or the answer in their
    place.
    """
    n_rows = len(ranking.rows)
    if convention.one_row == "perfect" and n_rows == 1:
        return Answer([Fraction(1)], n_rows)
    if not ranking.positives:
        return Answer([convention.without_positives], n_rows, in_place=True)
    if convention.without_negatives is not None and all(
        row.label for row in ranking.rows
    ):
        return Answer([convention.without_negatives], n_rows, in_place=True)
    orders = _orders(convention, ranking, known=_order_is_known(convention, data))
    values = [of_ranking(convention, one, data.k) for one in orders]
    if convention.without_hits == "left out" and not any(values):
        return Answer([convention.without_positives], n_rows, in_place=True)
    return Answer(values, n_rows)


def _over_rankings(
    convention: Convention,
    answers: Sequence[Answer],
    best: Callable[[list[Number | str]], Number | str],
) -> Number:
    """The mean of the rankings' best numbers and answers; where none counts, the first
    answer.
    """
    by_rows = convention.queries == "mean by rows"
    weighted = [
        (best(answer.values), answer.n_rows if by_rows else 1)
        for answer in answers
        if not (answer.in_place and convention.left_out)
    ] or [(best(answers[0].values), 1)]
    values, weights = zip(*weighted, strict=True)
    if "error" in values:
        raise RefusedError("one class")
    if any(map(math.isnan, values)):
        return math.nan
    return sum(map(mul, map(Fraction, values), weights)) / sum(weights)


# --- rows -----------------------------------------------------------------------------


def _rankings(convention: Convention, data: Data) -> list[Ranking]:
    """The rankings that the convention sees, equal scores in the order of its ids, if
    it has one.
    """
    weights = _weights(convention, data)
    labels = {row: bool(data.labels[row]) for row in weights}
    if convention.transform == "above 0":
        above = _rounded(convention, data.scores) > 0
        labels = {row: label and bool(above[row]) for row, label in labels.items()}
    compared = _scores(convention, [data.scores[row] for row in weights])
    scores = dict(zip(weights, compared, strict=True))
    stated = _stated(convention, data)
    if isinstance(stated, dict) and not _by_query(convention, data):
        stated = sum(stated.values())
    rankings = []
    for query, members in _members(convention, data, list(weights), stated).items():
        total = stated[query] if isinstance(stated, dict) else stated
        positives = [row for row in members if labels[row]]
        if total is None and any(scores[row] is None for row in positives):
            total = sum(weights[row] for row in positives)
        rows = tuple(
            # what meets no threshold stands last, and is found by none
            Row(False, -1, weights[row])
            if scores[row] is None
            else Row(labels[row], scores[row], weights[row])
            for row in sorted(members, key=partial(_place, convention, data))
        )
        one = Ranking(rows, None if total is None else Fraction(total))
        if convention.prevalence is not None:
            one = oracle.at_prevalence(one, convention.prevalence)
        rankings.append(one)
    return rankings


def _weights(convention: Convention, data: Data) -> dict[int, Fraction]:
    """The rows that count, and their weights."""
    if data.weights is None or convention.weights == "ignored":
        return dict.fromkeys(range(len(data.labels)), Fraction(1))
    return {row: Fraction(weight) for row, weight in enumerate(data.weights) if weight}


def _stated(convention: Convention, data: Data) -> Totals:
    """The totals that the convention takes notice of."""
    if convention.total == "found" or data.n_positives is None:
        return None
    if data.weights is not None and convention.weights == "ignored":
        raise RefusedError("counts beside weights")
    return data.n_positives


def _by_query(convention: Convention, data: Data) -> bool:
    return data.queries is not None and convention.queries != "pooled"


def _members(
    convention: Convention, data: Data, rows: list[int], stated: Totals
) -> dict[str, list[int]]:
    """The rows of each ranking: of all rows, of the queries that have rows, or of those
    with a total.
    """
    if not _by_query(convention, data):
        return {"": rows}
    of_query = {query: [] for query in stated} if isinstance(stated, dict) else {}
    for row in rows:
        of_query.setdefault(data.queries[row], []).append(row)
    return of_query


# --- the order of equal scores --------------------------------------------------------


def _place(convention: Convention, data: Data, row: int) -> object:
    """What sorts the rows such that a stable sort by score leaves equal scores in the
    convention's order.
    """
    if convention.ties == "reversed":
        return -row
    if convention.ties == "item_id" and data.items is not None:
        # a longer id of the same letters is larger
        return [-ord(letter) for letter in data.items[row]] + [1]
    if convention.ties == "ascending item_id" and data.items is not None:
        return data.items[row]
    return row


def _order_is_known(convention: Convention, data: Data) -> bool:
    by_item = convention.ties in ("item_id", "ascending item_id")
    return convention.ties != "unspecified" and not (by_item and data.items is None)


def _refuse_orders_without_bounds(
    convention: Convention, data: Data, rankings: list[Ranking]
) -> None:
    """Orders of unequal weights are not looked into."""
    unequal = any(len({row.weight for row in ranking.rows}) > 1 for ranking in rankings)
    ordered = convention.ties in ("expected", "optimistic", "pessimistic")
    # ranks count rows
    if unequal and (ordered or convention.area in ("reciprocal rank", "success")):
        raise RefusedError("unequal weights")
    if unequal and not _order_is_known(convention, data):
        groups = [group for one in rankings for group in oracle.tied_groups(one)]
        if any(len({row.label for row in group}) == 2 for group in groups):
            raise RefusedError("ties")


def _orders(
    convention: Convention, ranking: Ranking, *, known: bool
) -> Iterator[Ranking]:
    """The ranking in its order of equal scores; in every order of them, where that is
    open.
    """
    ties = convention.ties
    if known and ties in ("proportional", "expected"):
        yield ranking
        return
    order = ties if ties in ("optimistic", "pessimistic") else "stable"
    for rows in oracle.orders(ranking, order if known else "every"):
        yield Ranking(
            tuple(Row(row.label, -n, row.weight) for n, row in enumerate(rows)),
            ranking.total,
        )


# --- scores ---------------------------------------------------------------------------


def _scores(convention: Convention, scores: Sequence[float]) -> list[float | None]:
    """Scores as they are compared; None reaches no threshold."""
    rounded = _rounded(convention, scores)
    if convention.transform in TRANSFORMS:
        rounded = TRANSFORMS[convention.transform](rounded)
    thresholds = convention.thresholds
    if thresholds is None:
        return rounded.tolist()
    return RULES[thresholds.rule](rounded.tolist(), thresholds.count)


def _rounded(convention: Convention, scores: Sequence[float]) -> np.ndarray:
    return np.array(scores, dtype=convention.score_dtype or "float64")


def _input_order(scores):
    return -np.arange(scores.size)


def _sigmoid(scores):
    """The sigmoid of all scores where one leaves [0, 1]."""
    return scores if all(0 <= score <= 1 for score in scores) else expit(scores)


def _near(scores):
    """Scores that lie within 1e-8 of a lower one are made equal to it, from the lowest
    on.
    """
    made: dict[float, float] = {}
    for score in sorted(set(scores.tolist())):
        near = [other for other in made if score - other < 1e-8]
        made[score] = made[max(near)] if near else score
    return np.array([made[score] for score in scores.tolist()])


def _merged(scores, count):
    """As many neighbouring distinct scores are one as leaves about `count`."""
    distinct = sorted(set(scores), reverse=True)
    width = max(len(distinct) // count, 1)
    return [-(distinct.index(score) // width) for score in scores]


def _above(scores, count):
    """The threshold that a score exceeds, in float32."""
    clipped = [np.float32(min(max(score, 0.0), 1.0)) for score in scores]
    return [max(math.ceil(np.float32(count - 1) * score) - 1, 0) for score in clipped]


def _strictly_above(scores, count):
    """The same, but a score of 0 or less exceeds no threshold."""
    places = _above(scores, count)
    exceeds = [np.float32(score) > 0 for score in scores]
    return [place if one else None for place, one in zip(places, exceeds, strict=True)]


def _at_or_above(scores, count):
    """The highest threshold that a score reaches: they are float32, laid out from both
    ends.
    """
    step = Fraction(float(np.float32(1 / (count - 1))))
    grid = [
        step * j if j < count // 2 else 1 - step * (count - 1 - j) for j in range(count)
    ]
    places = [float(np.float32(float(place))) for place in grid]
    reached = (
        [j for j, place in enumerate(places) if score >= place] for score in scores
    )
    return [max(places_reached, default=None) for places_reached in reached]


# What makes scores of scores: an array of each row -> another.
TRANSFORMS = {
    "input order": _input_order,
    "sigmoid": _sigmoid,
    "near": _near,
}
# What makes scores of thresholds: (scores, count) -> the place of each row.
RULES = {
    "at or above": _at_or_above,
    "above": _above,
    "strictly above": _strictly_above,
    "merged": _merged,
}
