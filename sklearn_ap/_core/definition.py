"""The definition of a number: an area, at recall levels or up to a cut, with a rule for
equal scores.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Literal, assert_never

import numpy as np

from .areas.area import Area, RankingEnd
from .areas.hits import hits_within
from .ranking.cut import cut_depth
from .ranking.rankings import Rankings, ratio
from .reading.options import read_k, short_repr
from .typing import (
    FirstRows,
    FloatArray,
    Levels,
    Normalizer,
    Share,
    TieOrder,
    TiePolicy,
)

_ONE = np.ones(1)  # numpy takes longer to read a 1.0 of Python


@dataclass(frozen=True, eq=False)  # a grid may be an array, which has no truth value
class Definition:
    """The definition of a number: it computes the number, and refuses choices that
    exclude each other.

    `compute` returns the number of each ranking, once `rankings_in` has sorted equal
    scores in its order and set its prevalence.

    Parameters
    ----------
    area : Area
        The sum over steps.
    grid : int or ndarray, default=None
        Recall levels (or levels of precision, if the area takes these) at which the
        area is read; an integer N means the levels j / (N - 1).
    cut : int, float or 'n_positives', default=None
        Where each ranking ends: after a number of rows, after a share of its rows, or
        after as many rows as it has positives.
    ties : str, default='proportional'
        How equal scores count: a policy of public scores.
    normalizer : str, default='n_positives'
        What the sum up to a cut is divided by.
    prevalence : float, default=None
        Each ranking is scored at this share of positives. None leaves each ranking its
        own share.

    Raises
    ------
    ValueError
        If the choices exclude each other.
    """

    area: Area
    grid: Levels | None = None
    cut: int | float | Literal["n_positives"] | None = None
    ties: TiePolicy = "proportional"
    normalizer: Normalizer = "n_positives"
    prevalence: Share = None

    def __post_init__(self) -> None:
        """Refuse choices that exclude each other, of which public scores offer the first
        two alone, and what the area cannot compute.
        """
        # The order changes both sums, so the mean of their ratio is not the ratio of
        # their means.
        if self.ties == "expected" and self.normalizer == "hits":
            raise ValueError(
                "ties='expected' is not supported with normalizer='hits': remove ties "
                "or normalizer."
            )
        area, computes = self.area, self.area.gain_to_cut is not None
        if self.grid is not None:
            computes = area.score_at_levels is not None and self.is_whole
            computes &= self.level is not None or not area.at_one_level
        elif self.is_whole:
            computes |= area.score_full is not None or area.gain is not None
        if not area.counts_weight:
            computes &= self.normalizer == "n_positives"
        if not area.counts_weight or self.ties == "expected":  # rows, not their weight
            computes &= self.prevalence is None
        if not computes:
            raise ValueError(
                f"area {area.name!r} has no number with grid={short_repr(self.grid)}, "
                f"cut={self.cut!r}, ties={self.ties!r}, "
                f"normalizer={self.normalizer!r}, prevalence={self.prevalence!r}."
            )

    @cached_property
    def is_whole(self) -> bool:
        """Whether all rows count, by the formula of the area alone.

        Without a cut, 'min' divides by all positives, as the whole area does. 'k' and
        'hits' have other divisors, and 'expected' has another sum.
        """
        return (
            self.cut is None
            and self.ties != "expected"
            and self.normalizer in ("n_positives", "min")
        )

    def compute(self, rankings: Rankings) -> FloatArray:
        """Return the number of each ranking."""
        return np.minimum(self._unbounded(rankings), _ONE)

    def _unbounded(self, rankings: Rankings) -> FloatArray:
        """Return the number of each ranking, which rounding may lift a bit above 1."""
        # No score makes choices that its area lacks: most tests for None are for type
        # checkers.
        if self.grid is not None and self.area.score_at_levels is not None:
            return self.area.score_at_levels(rankings, self.grid)
        if self.is_whole and self.area.score_full is not None:
            return self.area.score_full(rankings)
        if self.is_whole and self.area.gain is not None:
            gained = rankings.kernel.sum_over_steps(self.area.gain)
            return ratio(gained, rankings.n_positives)
        assert self.area.gain_to_cut is not None, self
        if self.cut == "n_positives":
            # With weights, R is a weight, too: the cut is where the rows reach it.
            cut = RankingEnd(rankings.n_positives, in_weight=True)
        else:
            cut = RankingEnd(cut_depth(rankings.n_rows, self.k))
        sums = rankings.kernel.sum_over_steps(
            partial(self.area.gain_to_cut, cut, self.ties)
        )
        # The sum of an area of ranks, such as the reciprocal rank, is its number.
        if not self.area.counts_weight:
            return sums
        return self._normalized(rankings, sums, cut)

    def refuse_weights(self, *, states_totals: bool) -> None:
        """Refuse weights that differ inside a ranking where they mean nothing."""
        choices = self.area, self.ties, self.normalizer, self.cut
        needs = needs_equal_weights(*choices, states_totals=states_totals)
        if needs is not None:
            reason, remedy = needs
            raise ValueError(
                f"sample_weight must be equal inside each ranking: {reason}; {remedy}."
            )

    @property
    def level(self) -> float | None:
        """The level of a definition that has a single one."""
        if isinstance(self.grid, np.ndarray) and self.grid.size == 1:
            level: float = self.grid.item()
            return level
        return None

    # Cached, as `tie_order`: each would take a tenth of a microsecond of a short call.
    @cached_property
    def k(self) -> FirstRows:
        """How many rows of each ranking are looked at; None if all may be."""
        return None if self.cut == "n_positives" else self.cut

    @cached_property
    def tie_order(self) -> TieOrder | None:
        """The order in which equal scores are ranked, or None if they are one step."""
        return order_of_ties(self.ties)

    def _normalized(
        self, rankings: Rankings, sums: FloatArray, cut: RankingEnd
    ) -> FloatArray:
        """Divide sums up to a cut by the divisor that the normalizer names."""
        match self.normalizer:
            # Where a cut is a weight, the positives fit into it.
            case "k" if not cut.in_weight:
                # A ranking of fewer rows is divided as if it went on.
                if not rankings.weighted:
                    return ratio(sums, cut.depth)
                filled = ratio(np.minimum(cut.depth, rankings.n_rows), cut.depth)
                return ratio(sums, rankings.kernel.weight_of_best(cut.depth)) * filled
            case "hits":  # finding fewer may score higher, as in torchmetrics
                hits = rankings.kernel.sum_over_steps(
                    partial(hits_within, cut, self.ties)
                )
                return ratio(sums, hits)
            case "min" if self.cut is not None and not cut.in_weight:
                # The best ranking has the heaviest positives in its first rows.
                if rankings.weighted:
                    return ratio(sums, rankings.heaviest_positives(cut.depth))
                # Missed positives count too: they could have been in the first rows.
                return ratio(sums, np.minimum(cut.depth, rankings.n_positives))
            case "k" | "min" | "n_positives":
                return ratio(sums, rankings.n_positives)
            case _:
                assert_never(self.normalizer)


# Calls come with the same few choices. The cache is typed, since a cut of 1 is a row and
# a cut of 1.0 is a share, though they are equal.
define = lru_cache(typed=True)(Definition)


def at_cut(area: Area, k: int | float | None, **choices: Any) -> Definition:
    """Return the definition up to a cut of the caller."""
    return define(area, cut=read_k(k), **choices)


@lru_cache
def at_level(area: Area, level: float, prevalence: Share = None) -> Definition:
    """Return the definition at a single level, in float64."""
    return Definition(area, grid=np.array([level]), prevalence=prevalence)


def order_of_ties(ties: TiePolicy) -> TieOrder | None:
    """Return the order in which a policy ranks equal scores, or None if they are one
    step.
    """
    match ties:
        case "proportional" | "expected":
            return None
        case "stable" | "optimistic" | "pessimistic":
            return ties
        case _:
            assert_never(ties)


def needs_equal_weights(
    area: Area,
    ties: TiePolicy,
    normalizer: Normalizer,
    cut: object,
    *,
    states_totals: bool,
) -> tuple[str, str] | None:
    """Return why weights must be equal inside each ranking, and what to do; None if
    they need not.
    """
    # This rule is first, since the next one would recommend other `ties`.
    if not area.counts_weight:
        return (
            "a rank counts rows, so weights would not change it",
            "leave sample_weight out, or pass weights of 0 and 1 to drop rows",
        )
    match ties:
        case "proportional" | "stable":
            pass
        case "expected" | "optimistic" | "pessimistic":
            return (
                f"ties={ties!r} is an order of rows without weights",
                "use ties='proportional' or 'stable'",
            )
        case _:
            assert_never(ties)
    if normalizer == "min" and cut is not None and states_totals:
        what = (
            "normalizer='min' needs the weights of missed positives, which n_positives "
            "does not specify"
        )
        return what, "use another normalizer, such as 'n_positives'"
    return None
