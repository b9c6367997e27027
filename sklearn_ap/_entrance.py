"""The front door: what every public score and curve calls with its arguments.

A score is read, ranked, added up and averaged; a lone ranking of few rows takes the short way instead, which
comes to the same bits. A curve is read and ranked.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._averaging import Averaging, rankings_in
from ._definition import Definition
from ._ranking._blocks import BLOCK_ROWS, LONE_ROWS
from ._ranking._cut import cut_depth
from ._ranking._few import FewKernel, ShortKernel, few_of
from ._ranking._prevalence import at_prevalence
from ._ranking._rankings import Curve, Rankings, Rows, curve_of
from ._ranking._steps import LONE, added
from ._ranking._summed import GroupKernel
from ._reading._options import read_zero_division
from ._reading._queries import QueryIds, distinct_queries
from ._reading._read import Checked, read
from ._reading._totals import Stated, check_named, not_below_found, read_totals, totals_of_rankings
from ._reading._values import reference_of
from ._typing import Average, FloatArray, ForeignArray, Label, Totals, ZeroDivision

_MANY_LEVELS = 2**30  # so that products of levels and few rows are exact


class Input(NamedTuple):
    """What a public score is given, but for the options of its definition."""

    y_true: ArrayLike
    y_score: ArrayLike
    average: Average
    pos_label: Label
    sample_weight: ArrayLike | None
    query_id: ArrayLike | None
    n_positives: Totals | None = None
    zero_division: ZeroDivision = 0.0


def score(caller: str, definition: Definition, given: Input) -> float | FloatArray:
    """Return the score of the public function `caller`: read, rank, add up, average."""
    # Checked first, so a wrong word is refused before the rows are read.
    without_positives = read_zero_division(given.zero_division)
    y_true, y_score, average, pos_label, sample_weight, query_id, n_positives, _ = given
    checked = read(y_true, y_score, average, pos_label, sample_weight, query_id=query_id, caller=caller)
    return score_of_checked(
        definition,
        checked,
        caller=caller,
        average=average,
        n_positives=n_positives,
        zero_division=without_positives,
        reference=reference_of(y_score) if average is None else None,
    )


def score_of_checked(
    definition: Definition,
    checked: Checked,
    *,
    caller: str,
    average: Average,
    n_positives: Totals | None,
    zero_division: ZeroDivision,
    reference: ForeignArray | None = None,
) -> float | FloatArray:
    """Return the score of rows that were read already."""
    if n_positives is None:
        value = _short_score(definition, checked)
        if value is not None:
            return value
    rankings, averaging = rankings_in(
        checked,
        None if n_positives is None else read_totals(n_positives, checked.query),
        average=average,
        definition=definition,
    )
    return averaging.of(
        definition.of(rankings), zero_division=zero_division, caller=caller, reference=reference
    )


class Ranked(NamedTuple):
    """A lone ranking that was ranked elsewhere, brought to the totals and the prevalence of its number."""

    definition: Definition
    ranking: Rankings
    caller: str
    zero_division: ZeroDivision

    def values(self) -> FloatArray:
        """Return the number, or 0 without positives."""
        return self.definition.of(self.ranking)

    def score(self, values: FloatArray | None = None) -> float:
        """Return the score, and warn if there are no positives."""
        averaging = Averaging(self.ranking.n_positives > 0, None, one_value=True)
        values = self.values() if values is None else values
        return float(
            averaging.of(values, zero_division=self.zero_division, caller=self.caller, reference=None)
        )


def ranked_for(
    definition: Definition,
    ranking: Rankings,
    *,
    caller: str,
    n_positives: Totals | None,
    zero_division: ZeroDivision,
    unit: float | None = None,
    at_prevalence: Callable[[Rankings, float | None], Rankings] = at_prevalence,
) -> Ranked:
    """Bring a lone ranking that was ranked elsewhere to what a score needs.

    `unit` is the weight of one count: 1 if weights differ, and None if there are none. `at_prevalence`
    brings the ranking to another prevalence; rows that were added up with their weights have their own.
    """
    stated = read_totals(n_positives, None)
    if ranking.weighted:
        definition.refuse_weights(states_totals=stated is not None)
    ranking = at_prevalence(with_total(ranking, stated, unit), definition.prevalence)
    return Ranked(definition, ranking, caller, zero_division)


def with_total(ranking: Rankings, stated: Stated | None, unit: float | None = None) -> Rankings:
    """Return a lone ranking with its stated total of positives; `unit` is the weight of one count, if any."""
    if stated is None:
        return ranking
    totals, of_one = totals_of_rankings(stated, 1, 1), 1.0 if unit is None else np.array([unit])
    counted = not_below_found(totals, ranking.n_positives, n_rows=ranking.n_rows, unit=of_one)
    return ranking._replace(n_positives=counted)


def _short_score(definition: Definition, checked: Checked) -> float | None:
    """Return the score of a lone, short ranking with positives, or None if it takes the long way.

    The long way comes to the same, and spends half of a short call between its rooms.
    """
    n_rows = checked.score.size
    most = BLOCK_ROWS if definition.k is None else LONE_ROWS - 1  # longer ones are cut first
    if n_rows > most or checked.positive.ndim > 1 or checked.query is not None or definition.tie_order:
        return None
    few = few_of(checked.positive, checked.score, checked.weight, checked.bounds, definition.prevalence)
    if few is None or not few.n_found.item():
        return None
    value = short_value(definition, few)
    if value is not None:
        return value
    offsets, weighted_rows = np.array((0, n_rows)), None
    if isinstance(few, GroupKernel):
        definition.refuse_weights(states_totals=False)
        weighted_rows = Rows(checked.positive, checked.score, checked.weight, offsets)
    return float(definition.of(Rankings(few, offsets, weighted_rows, few.n_found, few.n_found))[0])


def short_value(definition: Definition, few: ShortKernel) -> float | None:
    """Return the number of a lone ranking in one block, to the bits of `of`; None if that takes more.

    A call of 100 rows spends most of its time between numpy's functions, and here are few of them.
    """
    if not definition.is_plain:
        return None
    if definition.grid is None and definition.cut is None:
        gain = definition.area.gain
        return None if gain is None else min(added(gain(few.steps()), LONE).item() / few.n_found.item(), 1.0)
    if isinstance(few, GroupKernel):  # sums of weights are rounded, and these would round otherwise
        return None
    if definition.grid is None:
        return _value_up_to_cut(definition, few) if isinstance(few, FewKernel) else None
    levels, gain_at_levels = definition.grid, definition.area.gain_at_levels
    if gain_at_levels is None or not isinstance(levels, int) or levels > _MANY_LEVELS:
        return None
    value: float = added(gain_at_levels(few.steps(), levels), LONE).item() / levels
    return value


def _value_up_to_cut(definition: Definition, few: FewKernel) -> float | None:
    n_found = few.n_found.item()
    depth = n_found if definition.cut == "n_positives" else cut_depth(few.n_samples, definition.k).item()
    if definition.area.gain is None or few.divides(int(depth)):
        return None
    steps = few.steps()
    gained, below = definition.area.gain(steps), np.count_nonzero(steps.retrieved > depth)
    gained[:below] = 0.0
    hits = steps.tp.item(below) if below < gained.size else 0.0
    divisor = {"k": depth, "hits": hits, "min": min(depth, n_found)}.get(definition.normalizer, n_found)
    return added(gained, LONE).item() / divisor if divisor else 0.0


def curve_in(checked: Checked, n_positives: Totals | None = None, *, has_area: bool = False) -> Curve:
    """Rank the checked input of a curve.

    With `has_area` weights are scaled, so that products of tiny weights do not underflow in its area.
    Without, they stay as given, so that points hold the weights themselves.
    """
    ranking, _ = rankings_in(
        checked, read_total(n_positives, checked.query), average="micro", scaled=has_area
    )
    return curve_of(ranking)


def read_total(n_positives: Totals | None, query: QueryIds | None) -> FloatArray | None:
    """Return the stated total of a curve, which has at most one query."""
    stated = read_totals(n_positives, query)
    if not isinstance(stated, dict) or query is None:
        return stated  # type: ignore[return-value]  # a mapping was refused without queries
    # The mapping may name other queries, which do not count here.
    names, _ = distinct_queries(query)
    check_named(names, stated)
    return np.array(stated[names[0]], dtype=np.float64)
