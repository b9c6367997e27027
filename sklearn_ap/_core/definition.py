"""The definition of a score: an area, at recall levels or up to a cut, with a rule for
equal scores.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Literal

import numpy as np

from .areas.area import Area, Cuts
from .areas.hits import hits_within
from .ranking.cut import cut_depth
from .ranking.rankings import Rankings, ratio
from .reading.options import (
    ORDERS_BY_LABEL,
    RANKED_TIES,
    TIES,
    check_option,
    read_k,
    short_repr,
)
from .typing import (
    FirstRows,
    FloatArray,
    Levels,
    Normalizer,
    Share,
    TieOrder,
    TiePolicy,
)


# Definitions are compared by identity: `levels` may be an array, and the comparison of
# two arrays has no truth value.
@dataclass(frozen=True, eq=False)
class Definition:
    """The definition of a score, which `compute` evaluates for each ranking.

    The rankings must be those of `rankings_in`, which sorts equal scores in the order
    of the definition and sets its prevalence.

    Parameters
    ----------
    area : Area
        The sum over steps.
    levels : int or ndarray, default=None
        Levels of recall at which the area is evaluated or, for recall at precision, the
        level of precision. An integer N means the levels j / (N - 1).
    cut : int, float or 'n_positives', default=None
        Where each ranking ends: after a number of rows, after a share of its rows or,
        for 'n_positives', where the weight of its rows reaches the weight of its
        positives.
    ties : str, default='proportional'
        The rule for equal scores, named as in public scores.
    normalizer : str, default='n_positives'
        The divisor of the sum up to a cut.
    prevalence : float, default=None
        The share of positives at which each ranking is scored. With None, each ranking
        keeps its own share.

    Raises
    ------
    ValueError
        If the options cannot be combined.
    """

    area: Area
    levels: Levels | None = None
    cut: int | float | Literal["n_positives"] | None = None
    ties: TiePolicy = "proportional"
    normalizer: Normalizer = "n_positives"
    prevalence: Share = None

    def __post_init__(self) -> None:
        """Raise ValueError if options cannot be combined, or if the area cannot compute
        them. Callers of public scores can only reach the first check.
        """
        # The order of equal scores changes both the sum and its divisor, so the
        # expected ratio is not the ratio of the two expected values.
        if self.ties == "expected" and self.normalizer == "hits":
            raise ValueError(
                "ties='expected' is not supported with normalizer='hits': remove ties "
                "or normalizer."
            )
        if not self._is_computable():
            raise ValueError(
                f"area {self.area.name!r} has no number with "
                f"levels={short_repr(self.levels)}, cut={self.cut!r}, "
                f"ties={self.ties!r}, normalizer={self.normalizer!r}, "
                f"prevalence={self.prevalence!r}."
            )

    def _is_computable(self) -> bool:
        """Return whether the area can compute this definition."""
        area = self.area
        # An area with `counts_weight=False`, such as the reciprocal rank, is an *area
        # of ranks*: it counts rows, and so does ties='expected'. A prevalence changes
        # the weights of rows, so it cannot be combined with either.
        counts_rows = not area.counts_weight or self.ties == "expected"
        if counts_rows and self.prevalence is not None:
            return False
        # The score of an area of ranks has no divisor, so no other normalizer than the
        # default can be passed.
        if not area.counts_weight and self.normalizer != "n_positives":
            return False
        if self.levels is not None:
            return self.is_whole and area.score_at_levels is not None
        has_whole = self.is_whole and area.score_full is not None
        return has_whole or area.gain_to_cut is not None

    @cached_property
    def is_whole(self) -> bool:
        """Whether the score is the area of the whole ranking, divided by all positives.
        With ties='expected', the sum is not this area.
        """
        return (
            self.cut is None
            and self.ties != "expected"
            and self.divisor == "n_positives"
        )

    @property
    def divisor(self) -> Normalizer:
        """The divisor of the sum: that of the normalizer, or an equal one."""
        # Without a cut, min(k, R) is R, the weight of all positives.
        if self.cut is None and self.normalizer == "min":
            return "n_positives"
        # With cut='n_positives', the ranking ends where the weight of its rows equals
        # R. So k is R, too, and so is min(k, R).
        if self.cut == "n_positives" and self.normalizer in ("k", "min"):
            return "n_positives"
        return self.normalizer

    def compute(self, rankings: Rankings) -> FloatArray:
        """Return the score of each ranking."""
        return np.minimum(self._unbounded(rankings), self.area.highest)

    def _unbounded(self, rankings: Rankings) -> FloatArray:
        """Return the score of each ranking. Rounding may lift it above the highest
        value of the area.
        """
        # `__post_init__` has checked that the area can compute this definition. So the
        # checks of `score_at_levels` and `gain_to_cut` for None are for type checkers
        # only.
        if self.levels is not None and self.area.score_at_levels is not None:
            return self.area.score_at_levels(rankings, self.levels)
        if self.is_whole and self.area.score_full is not None:
            return self.area.score_full(rankings)
        assert self.area.gain_to_cut is not None, self
        if self.cut == "n_positives":
            # With weights, `n_positives` is a weight. The ranking ends where the weight
            # of its rows reaches this weight.
            cuts = Cuts(rankings.n_positives, in_weight=True)
        else:
            cuts = Cuts(cut_depth(rankings.n_rows, self.k))
        sums = rankings.kernel.sum_over_steps(
            partial(self.area.gain_to_cut, cuts, self.ties)
        )
        # The sum of an area of ranks, such as the reciprocal rank, has no divisor.
        if not self.area.counts_weight:
            return sums
        return self._normalized(rankings, sums, cuts)

    def check_weights(self, *, has_totals: bool) -> None:
        """Raise ValueError if this score cannot use weights that differ within a
        ranking. `has_totals` is True if the caller passed `n_positives`.
        """
        needs = self.needs_equal_weights(has_totals=has_totals)
        if needs is not None:
            reason, remedy = needs
            raise ValueError(
                f"sample_weight must be equal inside each ranking: {reason}; {remedy}."
            )

    def needs_equal_weights(self, *, has_totals: bool) -> tuple[str, str] | None:
        """Return why weights must be equal within each ranking, and what to write; None
        if weights may differ.
        """
        # Check the area before `ties`, since the error about `ties` would recommend
        # others, which do not help here.
        if not self.area.counts_weight:
            return (
                "a rank counts rows, so weights would not change it",
                "omit sample_weight, or pass weights of 0 and 1 to drop rows",
            )
        if self.ties == "expected" or self.ties in ORDERS_BY_LABEL:
            return (
                f"ties={self.ties!r} is defined for rows with equal weights",
                "use ties='proportional' or 'stable'",
            )
        if self.normalizer == "min" and self.cut is not None and has_totals:
            return (
                "normalizer='min' needs the weights of missed positives, which "
                "n_positives does not specify",
                "use another normalizer, such as 'n_positives'",
            )
        return None

    @property
    def level(self) -> float | None:
        """The level of recall or precision, if the definition has a single level;
        otherwise None.
        """
        if isinstance(self.levels, np.ndarray) and self.levels.size == 1:
            return self.levels.item()
        return None

    # `k` and `tie_order` are cached, since short calls read them often.
    @cached_property
    def k(self) -> FirstRows:
        """The number or share of the first rows that the score uses; None if it may use
        all rows.
        """
        return None if self.cut == "n_positives" else self.cut

    @cached_property
    def tie_order(self) -> TieOrder | None:
        """The order in which rows with equal scores rank; None if such rows are one
        step.
        """
        match self.ties:
            case "proportional" | "expected":
                return None
            case order:
                return order

    def _normalized(
        self, rankings: Rankings, sums: FloatArray, cuts: Cuts
    ) -> FloatArray:
        """Return the sums up to a cut, divided by the divisor of each ranking."""
        divisor: FloatArray
        match self.divisor:
            case "k":
                # The divisor is a number of rows, even if a ranking has fewer.
                if not rankings.weighted:
                    return ratio(sums, cuts.end)
                # With weights, the divisor is the weight of these rows. If a ranking
                # has fewer, the quotient is also multiplied by the share that it has.
                filled = ratio(np.minimum(cuts.end, rankings.n_rows), cuts.end)
                return filled * ratio(sums, rankings.kernel.weight_of_first(cuts.end))
            # With this divisor, a ranking that finds fewer positives may score higher
            # than one that finds more. torchmetrics divides by the hits, too.
            case "hits":
                divisor = rankings.kernel.sum_over_steps(
                    partial(hits_within, cuts, self.ties)
                )
            case "min":
                # The best ranking has the heaviest positives in its first rows.
                divisor = rankings.heaviest_positives(cuts.end)
            case "n_positives":
                divisor = rankings.n_positives
        return ratio(sums, divisor)


# Most calls use the same few definitions, so they are cached. The cache is typed, since
# a cut of 1 is one row and a cut of 1.0 is a share, although the two are equal.
define = lru_cache(typed=True)(Definition)


def at_cut(
    area: Area,
    k: int | float | None,
    ties: TiePolicy,
    normalizer: Normalizer = "n_positives",
) -> Definition:
    """Return the definition of an area up to the caller's cut `k`. Raise an error if
    `ties` or `k` is not valid.
    """
    # A rank is a number of rows, so a cut takes no share of equal scores.
    check_option("ties", ties, TIES if area.counts_weight else RANKED_TIES)
    return define(area, cut=read_k(k), ties=ties, normalizer=normalizer)


@lru_cache
def at_level(area: Area, level: float, prevalence: Share) -> Definition:
    """Return the definition of an area at a single level of recall or precision."""
    return Definition(area, levels=np.array([level]), prevalence=prevalence)
