"""Clauses of the sentences about thresholds and budgets."""

from __future__ import annotations

from typing import NamedTuple

from .._core.advice import CALLED_HERE
from .._shown.numbers import count_of

# The conditions of `operating_point`, and what the threshold of each is for.
PURPOSES = {
    "recall": "for a recall of {}",
    "precision": "for a precision of {}",
    "specificity": "for a specificity of {}",
    "k": "for {}",
    "false_alarms": "for at most {} false alarms",
    "beta": "for the highest F{}",
    "miss_cost": "if a false negative costs {} false alarms",
    "threshold": "{}",
}

# Youden's index and the statistic of Kolmogorov and Smirnov are both the highest sum of
# recall and specificity, less 1.
_HIGHEST_SUM = "miss_cost, such as miss_cost=9 for nine negatives per positive"
CONDITIONS_CALLED_HERE = CALLED_HERE | {"youden": _HIGHEST_SUM, "ks": _HIGHEST_SUM}


def budget_in_words(k: int | float) -> str:
    """Return the rows of a budget in words, such as "5 rows" or "10 % of the rows"."""
    if isinstance(k, float):
        return f"{100 * k:g} % of the rows"
    return count_of(k, "row", "rows")


class Basis(NamedTuple):
    """The options that sentences about thresholds and budgets mention."""

    has_weights: bool = False
    prevalence: float | None = None
    has_queries: bool = False

    @property
    def clause(self) -> str:
        """Clause in parentheses about the weights and the prevalence; empty if there
        are neither weights nor a prevalence.
        """
        words = []
        if self.has_weights:
            words.append("weighted by sample_weight")
        if self.prevalence is not None:
            words.append(f"at a prevalence of {100 * self.prevalence:.6g} %")
        return f" ({', '.join(words)})" if words else ""


PLAIN = Basis()
