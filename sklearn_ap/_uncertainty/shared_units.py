"""Units that occur in two samples, such as the customers of two months.

If the caller passed ids, an estimate keeps the ids of its units and the influence of
each unit on the score. `shared_units` matches the units of two samples by their ids.
The rules of `paired` then compare the two scores like the scores of two models on the
same rows.
"""

import re
from collections.abc import Sequence
from itertools import chain
from math import sqrt
from typing import Any

import numpy as np
from scipy.linalg import block_diag
from scipy.sparse import csr_array

from .._core.reading.ids import as_list, ids_in, numbered_together
from .._core.reading.values import on_host
from .._core.typing import AnyArray, IntArray
from .paired import PairedScore

# How two samples are paired if they spell the same ids differently.
RESPELLED = "paired by ids that are spelled differently"
# Neighbours in the order of the ids are alike if the influences of units at distances
# of 1 to 5 are correlated by more than the first number, and by more than the second
# number of standard errors, on average. At most `_MOST_UNITS` units are examined.
_CORRELATED, _FAR, _MOST_LAGS = 0.1, 3.0, 5
_MOST_UNITS = 2_000
# The parts of an id that some files omit: the leading zeros of 00042, the decimals of
# 42.0, and the midnight of a date.
_omitted = re.compile(r"^0+(?=\d)|[T ]00:00(:00(\.0+)?)?$|\.0+$")
# Number of ids of each sample that are examined for such parts.
_MOST_IDS = 1_000


def count_rows(unit_id: Any) -> bool:
    """Return whether ids are consecutive numbers in the order of the rows, such as 1,
    2, 3 or "1", "2", "3".
    """
    ids = np.ravel(on_host("unit_id", unit_id))
    try:
        # For most other ids, the first and the last one already show that the ids do
        # not count the rows. This saves a pass over all ids.
        if float(ids[-1]) - float(ids[0]) != ids.size - 1:
            return False
        return bool((np.diff(ids.astype(np.float64)) == 1).all())
    except (TypeError, ValueError):
        return False


def are_in_order(score: PairedScore) -> bool:
    """Return whether units that follow one another in the order of their ids have
    similar influences on the score, as sorted rows have that were numbered.

    Pairing two samples by ids does no harm if the ids are independent of the
    influences: then products of the influences of two different units have the mean 0.
    If both samples are sorted and numbered, rows with the same number are alike, and
    equal models are rejected in up to half of the samples.
    """
    influences, ids = score.influences.of_units, score.ids
    if influences.size > _MOST_UNITS:
        # Most of the variance is due to the units with the largest influences.
        examined = np.argpartition(-abs(influences), _MOST_UNITS)[:_MOST_UNITS]
        influences, ids = influences[examined], ids[examined]
    keys = [ids]
    if ids.dtype.kind in "OSU":
        # Shorter texts come first, so that row_9 is before row_10.
        texts = [*map(str, as_list(ids))]
        keys = [np.array(texts), np.array([*map(len, texts)])]
    ordered = influences[np.lexsort(keys)]
    ordered -= ordered.mean()
    # The sums of products of units at distances of 1 to `_MOST_LAGS`.
    products = [ordered[lag:] @ ordered[:-lag] for lag in range(1, _MOST_LAGS + 1)]
    correlation = np.mean(products) / (ordered @ ordered or 1.0)
    error = 1 / sqrt(_MOST_LAGS * ordered.size)
    return bool(correlation > max(_CORRELATED, _FAR * error))


def match_ids(
    first: AnyArray, second: AnyArray
) -> tuple[AnyArray, Sequence[IntArray], str]:
    """Return the distinct ids of the units of two samples, the places of the ids of
    each sample among them, and a text about how they are matched.

    A number is equal to its text. If no id is in both samples, ids are matched without
    blanks and the parts that some files omit, unless this makes two ids of a sample
    equal.
    """
    parts = [first, second]
    try:
        ids, places = numbered_together(parts)
    except ValueError:
        # Numbers and text cannot be sorted together.
        parts = [ids_in([*map(str, as_list(part))]) for part in parts]
        ids, places = numbered_together(parts)
    # A part of the ids shows how they are spelled.
    few = (as_list(part[:: part.size // _MOST_IDS + 1]) for part in parts)
    if ids.size < first.size + second.size or all(
        _without_omitted(unit) == str(unit) for unit in chain(*few)
    ):
        return ids, places, "paired"
    texts = [[*map(_without_omitted, as_list(part))] for part in parts]
    if any(len({*part}) < len(part) for part in texts):
        return ids, places, "paired"
    return *numbered_together([*map(ids_in, texts)]), RESPELLED


def _without_omitted(unit: Any) -> str:
    """Return an id as text, without blanks and the parts that some files omit."""
    return _omitted.sub("", str(unit).strip())


def shared_units(
    first: PairedScore,
    second: PairedScore,
    ids: AnyArray,
    places: Sequence[IntArray],
) -> list[PairedScore]:
    """Return the scores of two samples, both with influences of the units of either
    sample. A unit that a sample does not contain has the influence 0 on its score.
    `ids` and `places` are those of `match_ids`.

    Both scores have the number of positives of the sample with fewer positives, which
    limits the degrees of freedom. If both samples have the same totals, missed
    positives are matched by unit: a positive that only one sample finds in a unit was
    missed there by the other sample, and both samples missed the rest. It would not
    suffice to match missed positives without regard to their units: then equal
    detectors that miss different objects are rejected in .17 of samples. With different
    totals, the data do not show which missed positives are the same, so none are
    matched.
    """
    both = first, second
    parts = first.influences, second.influences
    # A unit that a sample does not contain keeps the influence 0 and the share 0.
    of_units, shares = np.zeros((2, ids.size)), np.zeros((2, ids.size))
    for number, place in enumerate(places):
        of_units[number, place] = parts[number].of_units
        shares[number, place] = both[number].share_of_positives
    if first.totals is not None and first.totals == second.totals:
        found = [
            _found_in_units(score.found, place, ids.size)
            for score, place in zip(both, places, strict=True)
        ]
        of_first, of_second = found
        # In each unit, the number of positives of the sample that found more of them.
        known = of_first.maximum(of_second)
        of_missed: Any = [part.of_missed for part in parts]
        of_units += [
            of @ (known - each) for of, each in zip(of_missed, found, strict=True)
        ]
        n_missed = (first.totals - known.sum(axis=1)).clip(0)
        shares[:] = first.share_of_missed * known.sum(axis=0)
    else:
        of_missed = block_diag(*(part.of_missed for part in parts))
        n_missed = np.hstack([part.n_missed for part in parts])
    # 0 if the first sample has fewer positives, 1 if the second sample has.
    fewer = int(second.n_positives < first.n_positives)
    return [
        both[fewer]._replace(
            score=score.score,
            influences=score.influences._replace(
                of_units=units, of_missed=missed, n_missed=n_missed
            ),
            share_of_positives=shares[fewer],
            lost_positive=score.lost_positive,
            ids=ids,
        )
        for score, units, missed in zip(both, of_units, of_missed, strict=True)
    ]


def _found_in_units(found: Sequence[IntArray], place: IntArray, n_units: int) -> Any:
    """Return a sparse matrix with the number of positives found, by ranking (row) and
    unit (column).

    `found` contains the units of the positives of each ranking, by their numbers in one
    sample. `place` is the column of each of these units.
    """
    rankings = np.repeat(np.arange(len(found)), [*map(np.size, found)])
    units = place[np.concatenate(found)]
    return csr_array((np.ones(units.size), (rankings, units)), (len(found), n_units))
