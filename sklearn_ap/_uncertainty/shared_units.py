"""Units that occur in two samples, such as the customers of two months.

If the caller passed ids, an estimate keeps the ids of its units and the influence of
each unit on the score. `shared_units` matches the units of two samples by their ids.
The rules of `paired` then compare the two scores like the scores of two models on the
same rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import block_diag
from scipy.sparse import csr_array

from .._core.reading.ids import numbered_together
from .._core.reading.values import on_host
from .._core.typing import IntArray
from .paired import PairedScore


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


def shared_units(first: PairedScore, second: PairedScore) -> list[PairedScore]:
    """Return the scores of two samples, both with influences of the units of either
    sample. A unit that a sample does not contain has the influence 0 on its score.

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
    try:
        ids, places = numbered_together([first.ids, second.ids])
    except ValueError:
        # Numbers and text cannot be sorted together, so compare numbers as text.
        ids, places = numbered_together([score.ids.astype(str) for score in both])
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
