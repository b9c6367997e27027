"""Two samples that have rows of their own: whether they can be compared and, if they
are paired, the units of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..._core.reading.ids import as_list, numbered_together
from ..._core.reading.options import short_repr
from ..._core.typing import IntArray
from ..sampling.by_unit import error_factor, sums_of
from ..sampling.sample import Sample
from ..sampling.score_call import ScoreCall
from .differences import ComparedSample


def check_ids(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """Raise ValueError if units cannot be matched by ids of the same kind. Both samples
    are the arguments of their calls.
    """
    keys, keys_of_second = (
        rows.keys() & {"unit_id", "query_id"} for rows in (first, second)
    )
    if keys != keys_of_second or not keys:
        what = "unit_id, query_id or both for paired=True (paired=False needs none)"
        raise _error_about_samples(what, [*first], [*second])


def check_rankings(first: Sample, second: Sample) -> None:
    """Raise ValueError if two samples are scored over different rankings, or if only
    one of them has two units per row. The rankings of drawn queries may differ.
    """
    _check_same(
        "number of columns of unit_id", first.n_units_per_row, second.n_units_per_row
    )
    names, names_of_second = (
        [part.ranking.name for part in sample.rankings_mean.parts]
        for sample in (first, second)
    )
    _check_same("classes, columns or fixed queries", names, names_of_second)


def align_units(
    first: ComparedSample, second: ComparedSample
) -> tuple[list[ComparedSample], int]:
    """Return two paired samples with the units of both, and how many units are in both.
    Units with equal ids are the same.
    """
    _check_units_of_queries(first.sample, second.sample)
    pair = first, second
    ids: Any = [each.sample.ids for each in pair]
    every, places_of_units = numbered_together(ids, "the ids of first and second")
    n_shared = ids[0].size + ids[1].size - every.size
    # The score of a drawn query is unknown in a sample that lacks it.
    misses_query = first.compared.is_read_as_mean and n_shared < every.size
    if misses_query or not n_shared:
        what = (
            "common units, or the same queries if these were drawn, or the same units "
            "if unit_id has two columns, for paired=True "
            f"({n_shared} of {every.size} are in both)"
        )
        raise _error_about_samples(what, *map(as_list, ids))
    _check_totals(first.sample.call, second.sample.call)
    return _with_joint_units(pair, places_of_units, every.size), n_shared


def _check_units_of_queries(first: Sample, second: Sample) -> None:
    """Raise ValueError if a drawn query is in another unit in the second sample."""
    units_in_second = second.units_of_queries
    for query, unit in first.units_of_queries.items():
        unit_in_second = units_in_second.get(query, unit)
        _check_same(f"unit of query {query!r} for paired=True", unit, unit_in_second)


def _check_totals(first: ScoreCall, second: ScoreCall) -> None:
    """Raise ValueError unless both samples have the same totals, or totals by unit."""
    if _common_totals(first) != _common_totals(second):
        what = "the same n_positives, or n_positives by unit, for paired=True"
        passed = first.inputs.n_positives, second.inputs.n_positives
        raise _error_about_samples(what, *passed)


def _common_totals(call: ScoreCall) -> object:
    """Return what two paired samples must have in common of their `n_positives`: the
    totals by name, or that these are by unit. None if no totals were passed.
    """
    if call.unit_totals is not None:
        # The samples may have different totals of a unit.
        return "by unit"
    if call.rows.totals is not None:
        return call.rows.totals.by_name
    return None


def _with_joint_units(
    samples: Sequence[ComparedSample],
    places_of_units: Sequence[IntArray],
    n_units: int,
) -> list[ComparedSample]:
    """Return both samples with the units of both. The units of each sample are at these
    places, and all others have 0 there.
    """
    # A unit has the larger of both weights, since one sample may not count positives of
    # the unit that it missed.
    weights = np.maximum(
        *(
            sums_of(each.compared.divisor_weights, places, n_units)
            for each, places in zip(samples, places_of_units, strict=True)
        )
    )
    # The smaller sample decides what is known of the difference.
    n_effective = min(each.compared.n_effective for each in samples)
    joint = []
    for each, places in zip(samples, places_of_units, strict=True):
        own = each.compared
        # Each sample should have the factor of its own number of units. But `error_of`
        # multiplies the differences of the contributions by the factor of the smaller
        # sample. So contributions are divided by this factor here, and multiplied by
        # that of their own sample.
        df_lost = int(own.is_read_as_mean)
        own_factor = error_factor(own.n_effective, df_lost)
        factor = own_factor / error_factor(n_effective, df_lost)
        contributions = replace(
            own,
            of_units=sums_of(factor * own.of_units, places, n_units),
            divisor_weights=weights,
            n_effective=n_effective,
            n_units=n_units,
        )
        shares = sums_of(each.shares, places, n_units)
        joint.append(each._replace(compared=contributions, shares=shares))
    return joint


def _check_same(what: str, of_first: object, of_second: object) -> None:
    """Raise ValueError if this differs between two samples."""
    if of_first != of_second:
        raise _error_about_samples(f"the same {what}", of_first, of_second)


def _error_about_samples(what: str, of_first: object, of_second: object) -> ValueError:
    """Return the error of two samples that do not have `what` in common."""
    return ValueError(
        f"first and second must have {what}; got {short_repr(of_first)} in first and "
        f"{short_repr(of_second)} in second."
    )
