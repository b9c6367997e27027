"""What packages do to scores before they compare them: rounding, a sigmoid, or a few fixed thresholds."""

from bisect import bisect_left
from operator import attrgetter

import numpy as np
from scipy.special import expit

from .._reading._read import Checked
from .._typing import AnyArray, BoolArray, FloatArray
from ._choices import Thresholds, even_thresholds
from ._convention import Convention

_NEAR = 1e-8  # CatBoost takes scores that differ by less as tied


def transformed(checked: Checked, convention: Convention) -> tuple[Checked, BoolArray | None]:
    """Return the rows as a record compares them, and which positives no threshold retrieves, or None.

    Positives that no threshold retrieves become negatives below all other rows: there they change no number.
    """
    score = _squashed(checked.score, convention)
    if convention.transform == "above 0":
        checked = checked._replace(positive=checked.positive & (score > 0))
    if convention.thresholds is not None:
        score = _at_thresholds(score, checked.weight, convention.thresholds)
    lost = None
    if convention.thresholds is not None and (out_of_reach := score < 0).any():
        lost = checked.positive & out_of_reach
        checked = checked._replace(positive=checked.positive & ~out_of_reach)
    if score is checked.score:  # unchanged scores keep their bounds, and need no new ones
        return checked, lost
    return checked._replace(score=score, bounds=(score.min(), score.max())), lost


def _squashed(score: AnyArray, convention: Convention) -> AnyArray:
    if convention.score_dtype is not None:
        with np.errstate(over="ignore"):  # scores that are too large become infinite, as in the packages
            score = score.astype(convention.score_dtype)
    if convention.transform == "input order":
        return -np.arange(score.size)
    if convention.transform == "sigmoid" and (score.min() < 0 or score.max() > 1):
        wide = score.dtype.kind == "f" and score.dtype.itemsize > 2  # scipy takes int8 for float16
        return np.asarray(expit(score if wide else score.astype(np.float64)))
    return _chained(score) if convention.transform == "near" else score


def _chained(score: AnyArray) -> AnyArray:
    """Give scores that are within 1e-8 of their neighbours, and chains of such scores, the lowest of them."""
    distinct, place = np.unique(score.astype(np.float64), return_inverse=True)
    with np.errstate(over="ignore"):
        starts = np.append(True, np.diff(distinct) >= _NEAR)
    return np.asarray(distinct[starts][np.cumsum(starts) - 1][place])


def _at_thresholds(score: AnyArray, weight: FloatArray | None, thresholds: Thresholds) -> AnyArray:
    """Return the place of the highest threshold that each score meets, from 0 on; -1 if it meets none."""
    last = thresholds.count - 1
    match thresholds.rule:
        case "merged":
            distinct, place = np.unique(score, return_inverse=True)
            from_best = distinct.size - 1 - place
            # Spark merges neighbours from the best score down, so the last bin may be smaller.
            merged = from_best // max(distinct.size // thresholds.count, 1)
            return np.asarray(distinct.size - merged)
        case "streamed":
            return _streamed(score, np.ones(score.size) if weight is None else weight, thresholds.count)
        case "above" | "strictly above":
            scaled = np.float32(last) * np.clip(score, 0, 1).astype(np.float32)
            lowest = 0 if thresholds.rule == "above" else -1
            return np.asarray(np.maximum(np.ceil(scaled) - 1, lowest))
        case _:
            return np.asarray(np.searchsorted(even_thresholds(thresholds.count), score, side="right") - 1)


def _streamed(score: AnyArray, weight: FloatArray, count: int) -> AnyArray:
    """Return the place of the bin of each row, after all rows were added in their order."""
    histogram = _Histogram(count)
    with np.errstate(over="ignore", invalid="ignore"):  # of scores beyond float32
        for row, (one, its_weight) in enumerate(zip(score.tolist(), weight.tolist(), strict=True)):
            histogram.add(_Bin([row], float(one), its_weight))
    place = np.empty(score.size, dtype=np.int64)
    for number, found in enumerate(histogram.bins):
        place[found.rows] = number
    return place


class _Bin:
    """Rows at the mean of their scores; the error is the sum of their squared distances to the mean."""

    __slots__ = "error", "mean", "rows", "single", "weight"

    def __init__(self, rows: list[int], mean: float, weight: float) -> None:
        self.rows, self.mean, self.weight, self.error = rows, mean, weight, 0.0
        self.single = np.float32(mean)  # from which distances are computed

    def take(self, other: "_Bin", error: float) -> None:
        """Add the rows of another bin."""
        together = self.weight + other.weight
        self.mean = (other.mean * other.weight + self.mean * self.weight) / together
        self.single, self.weight, self.error = np.float32(self.mean), together, error
        self.rows += other.rows


_MEAN = attrgetter("mean")


class _Histogram:
    """H2O's histogram: rows are added one by one; beyond `count` bins, the cheapest neighbours are merged.

    The cost of a merge is the error of the merged bin; bins that are equal in float32 are merged first. Costs
    are stored, since a row changes at most two of them.
    """

    def __init__(self, count: int) -> None:
        self.bins: list[_Bin] = []  # lowest first
        self._count = count
        self._cost: list[float] = []  # of merging a bin with the next one; -1 if they are equal
        self._cheapest: int | None = None  # the bin whose merge with the next one is cheapest, if known

    def add(self, row: _Bin) -> None:
        """Add a row to the bin at its score, to a neighbour that it joins, or as a new bin."""
        place = bisect_left(self.bins, row.mean, key=_MEAN)
        if place < len(self.bins) and self.bins[place].mean == row.mean:
            self.bins[place].weight += row.weight
            self.bins[place].rows += row.rows
            self._cheapest = None
            self._price(place)
        elif not self._join(place, row):
            self._insert(place, row)
            if len(self.bins) > self._count:
                self._merge()

    def _join(self, place: int, row: _Bin) -> bool:
        """Add a row to one of its two neighbours, if that costs less than the cheapest merge."""
        if len(self.bins) < self._count or not 0 < place < len(self.bins):
            return False
        below, above, cheapest = self.bins[place - 1], self.bins[place], self._find_cheapest()
        if below.mean == above.mean:
            return False
        from_below = below.error + _squared_distances(below, row)
        from_above = above.error + _squared_distances(row, above)
        if not min(from_below, from_above) < self._cost_of(cheapest):
            return False
        joined = place if from_above < from_below else place - 1
        if cheapest in (joined - 1, joined):
            self._cheapest = None
        self.bins[joined].take(row, min(from_below, from_above))
        self._price(joined)
        return True

    def _insert(self, place: int, row: _Bin) -> None:
        """Give a row a new bin. The cheapest merge stays known unless the new bin may change it."""
        if place in (0, len(self.bins), self._cheapest):
            self._cheapest = None
        elif self._cheapest is not None and place < self._cheapest:
            self._cheapest += 1
        if self.bins:
            self._cost.insert(place, 0.0)
        self.bins.insert(place, row)
        self._price(place)

    def _merge(self) -> None:
        """Merge the cheapest bin with the next one."""
        place = self._find_cheapest()
        cost = self._cost_of(place)
        self.bins[place].take(self.bins.pop(place + 1), cost)
        del self._cost[place]
        self._cheapest = None
        self._price(place)

    def _price(self, place: int) -> None:
        """Compute again the costs of merging a bin with its neighbours."""
        for one in range(max(place - 1, 0), min(place + 1, len(self._cost))):
            below, above = self.bins[one], self.bins[one + 1]
            added = _squared_distances(below, above)
            self._cost[one] = below.error + above.error + added if added else -1.0

    def _cost_of(self, place: int) -> float:
        cost = self._cost[place]
        return cost if cost >= 0 else self.bins[place].error + self.bins[place + 1].error

    def _find_cheapest(self) -> int:
        if self._cheapest is None:
            self._cheapest = self._cost.index(min(self._cost))
        return self._cheapest


def _squared_distances(below: _Bin, above: _Bin) -> float:
    """Return the weighted sum of the squared distances of two bins to their common mean."""
    apart = float(above.single - below.single)
    return apart * apart * below.weight * above.weight / (below.weight + above.weight)
