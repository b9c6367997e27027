"""The rows of the caller, transformed and ranked as conventions require."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from .._core.areas.step import STEP
from .._core.definition import define
from .._core.evaluate import rankings_in
from .._core.ranking.rankings import Rankings
from .._core.reading.frames import warn_of_other_order
from .._core.reading.ids import as_list, read_ids
from .._core.reading.options import read_k
from .._core.reading.per_ranking import queries_of, read_totals
from .._core.reading.read import CheckedRows, read
from .._core.reading.values import without_float16
from .._core.typing import AnyArray, IntArray, PassedRows, PerRanking
from ._records import (
    SIGN_OF_ITEM_ORDER,
    Convention,
    ConventionTies,
    Thresholds,
    even_thresholds,
    policy_of,
)


class ConventionInput:
    """The arguments of the caller, and the rankings that each convention makes of them.

    Conventions that transform and order the rows in the same way share their rankings.
    """

    def __init__(
        self,
        caller: str,
        inputs: PassedRows,
        k: int | float | None,
        item_id: ArrayLike | None,
    ) -> None:
        self.k = read_k(k)
        self.weighted = inputs.sample_weight is not None
        self._average = inputs.average
        # All rows, for conventions that ignore weights; and for the others, the rows of
        # weight above 0 with their weights.
        self._unweighted_rows = self._rows = _read_all_rows(inputs, caller)
        if self.weighted:
            self._rows = read(inputs, caller=caller)
        self.items = None
        if item_id is not None:
            warn_of_other_order({"y_true": inputs.y_true, "item_id": item_id})
            self.items = _read_items(item_id, self._unweighted_rows)
        # The number of queries, with those that have a total but no rows.
        self.n_queries: int | None = None
        self._totals = self._rows.totals
        # Raise an error if a total is wrong, even if no convention uses totals.
        if self._totals is not None:
            rankings_in(self._rows, average="macro")
        query = self._rows.query
        if query is not None:
            queries = queries_of(query, self._rows.passed_query, self._totals)
            self.n_queries = queries.ids.size
            # A convention may take the rows in another order, in which an array would
            # not be in the order of the queries. So name its totals.
            if self._totals is not None:
                self._totals = self._totals.named(queries.names)
        self._ranked: dict[object, Rankings] = {}

    def uses_totals(self, convention: Convention) -> bool:
        """Whether the convention uses totals, and the caller passed some."""
        return convention.total == "stated" and self._totals is not None

    def ranked(self, convention: Convention, *, ties: ConventionTies) -> Rankings:
        """Return the rankings of a convention, with ties in the order `ties`."""
        uses_totals = self.uses_totals(convention)
        uses_weights = self.weighted and convention.weights == "used"
        average = self._average
        if convention.queries == "pooled":
            average = "micro"
        # Conventions that agree in all of these choices share the sorted rankings.
        changes = convention.score_dtype, convention.transform, convention.thresholds
        prevalence = convention.prevalence
        key = (ties, *changes, uses_weights, average, uses_totals, prevalence)
        if key not in self._ranked:
            rows = self._rows if uses_weights else self._unweighted_rows
            checked = transformed(rows, convention)
            if uses_totals:
                checked = checked._replace(totals=self._totals)
            # A stable sort by score then breaks ties as the convention does.
            if ties == "reversed":
                checked = checked.take(slice(None, None, -1))
            elif ties in SIGN_OF_ITEM_ORDER and self.items is not None:
                items = SIGN_OF_ITEM_ORDER[ties] * checked.of_kept(self.items)
                checked = checked.take(items.argsort(kind="stable"))
            self._ranked[key], _ = rankings_in(
                checked,
                average=average,
                definition=define(STEP, ties=policy_of(ties), prevalence=prevalence),
            )
        return self._ranked[key]


def _read_all_rows(inputs: PassedRows, caller: str) -> CheckedRows:
    """Return all rows, without weights. Raise ValueError unless labels are binary."""
    rows = read(inputs._replace(sample_weight=None), caller=caller)
    if rows.positive.ndim != 1:
        raise ValueError(
            f"y_true must be binary; got {rows.positive.shape[1]} classes or labels. A "
            "convention takes one ranking, or one per query: pass one class, such as "
            "y_true == label, and its column of scores, or pos_label=label to a "
            "scorer. Scores such as interpolated_average_precision_score(..., "
            "recall_levels=np.arange(0, 1.1, 0.1)), which is the area of VOC 2007, "
            "take all columns, and so does identify."
        )
    return rows


def _read_items(item_id: ArrayLike, rows: CheckedRows) -> IntArray:
    """Return, for each row, the place of its item among the sorted ids. As in
    trec_eval, ids are compared as text.
    """
    ids = read_ids(item_id, rows.positive.size, name="item_id").of_rows
    # An id in bytes equals the same id as text.
    if ids.dtype.kind in "OS":
        ids = np.array(
            [item.decode() if isinstance(item, bytes) else str(item) for item in ids]
        )
    items, item = np.unique(ids.astype(str), return_inverse=True)
    # Each item may occur only once per query, since it would be retrieved twice
    # otherwise. Each pair of a query and an item has its own number.
    number_of_pair = rows.numbers_of_queries() * items.size + item
    pairs, n_rows = np.unique(number_of_pair, return_counts=True)
    if pairs.size < item.size:
        place, repeated = divmod(pairs[n_rows.argmax()], items.size)
        among = "the ranking"
        if rows.query is not None:
            among = f"query {as_list(rows.query.distinct)[place]!r}"
        raise ValueError(
            f"item_id must name an item once per ranking; got {str(items[repeated])!r} "
            f"in several rows of {among}. Join the rows of an item first, for example "
            "by their highest score."
        )
    return item


# --- transformations of scores, before packages compare the scores --------------------


def transformed(checked: CheckedRows, convention: Convention) -> CheckedRows:
    """Return the rows with the scores that a convention compares, and without the
    totals of the caller.

    Positives whose scores do not reach any threshold are missed. Their rows become the
    last negatives, which change no number, and the totals are the weights of all
    positives.
    """
    checked = checked._replace(totals=None)
    # Packages compute with the type that was passed.
    score = _as_compared(checked.passed_score, convention)
    if convention.transform == "above 0":
        checked = checked._replace(positive=checked.positive & (score > 0))
    if convention.thresholds is not None:
        score = _at_thresholds(score, convention.thresholds)
        if (score < 0).any():
            # The total is one number or, if there are queries, a number per query.
            weight = 1.0 if checked.weight is None else checked.weight
            weights = checked.positive * weight
            total_weights: PerRanking = weights.sum()
            if checked.query is not None:
                queries = as_list(checked.query.distinct)
                totals = np.bincount(checked.query.place, weights).tolist()
                total_weights = dict(zip(queries, totals, strict=True))
            checked = checked._replace(
                positive=checked.positive & (score >= 0),
                totals=read_totals(total_weights),
            )
    # If the scores did not change, `checked` already contains their bounds.
    if score is checked.score:
        return checked
    return checked.with_scores(without_float16(score))


def _as_compared(score: AnyArray, convention: Convention) -> AnyArray:
    """Return the scores in the type that a convention names, if any, and transformed as
    the convention requires.
    """
    if convention.score_dtype is not None:
        # As in the packages, scores that are too large become infinite.
        with np.errstate(over="ignore"):
            score = score.astype(convention.score_dtype)
    match convention.transform:
        case "input order":
            return -np.arange(score.size)
        case "sigmoid" if score.min() < 0 or score.max() > 1:
            # Compute with float64 for integers and float16. float32 stays float32.
            is_wide = score.dtype.kind == "f" and score.dtype.itemsize > 2
            return np.asarray(expit(score if is_wide else score.astype(np.float64)))
        case "near":
            # Scores within 1e-8 of their neighbours, and chains of such scores, get the
            # lowest of them.
            distinct, place = np.unique(score.astype(np.float64), return_inverse=True)
            with np.errstate(over="ignore"):
                # As in CatBoost, a group begins where the distance to the next lower
                # score is at least 1e-8. So a chain of near scores may be longer than
                # 1e-8.
                starts = np.append(True, np.diff(distinct) >= 1e-8)
            return np.asarray(distinct[starts][np.cumsum(starts) - 1][place])
        case _:
            return score


def _at_thresholds(score: AnyArray, thresholds: Thresholds) -> AnyArray:
    """Return the place of the highest threshold that each score reaches, from 0 on, or
    -1 if it reaches none.
    """
    last = thresholds.count - 1
    match thresholds.rule:
        case "merged":
            distinct, place = np.unique(without_float16(score), return_inverse=True)
            from_best = distinct.size - 1 - place
            # Spark merges neighbours from the best score down, so the last bin may be
            # smaller.
            merged = from_best // max(distinct.size // thresholds.count, 1)
            return distinct.size - merged
        case "above" | "strictly above":
            # Compute in float32 as the packages do, since the threshold that a score
            # reaches may depend on the last bit.
            scaled = np.float32(last) * np.clip(score, 0, 1).astype(np.float32)
            # The highest threshold below each score. Its place is -1 for the score 0.
            place = np.ceil(scaled) - 1
            lowest = 0 if thresholds.rule == "above" else -1
            places: AnyArray = np.maximum(place, lowest)
            return places
        case _:
            return even_thresholds(thresholds.count).searchsorted(score, "right") - 1
