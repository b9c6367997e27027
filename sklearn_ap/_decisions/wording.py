"""Clauses of the sentences about thresholds and budgets."""

from __future__ import annotations

from typing import NamedTuple

from .._shown.numbers import part_of


def weighted_words(weight_name: str) -> str:
    """Return a clause that names the column of the weights, such as "weighted by
    exposure"; "with weights" for a column that is called weight.
    """
    return "with weights" if weight_name == "weight" else f"weighted by {weight_name}"


def prevalence_in_words(prevalence: float) -> str:
    """Return the clause "at a prevalence of ... %"."""
    return f"at a prevalence of {100 * prevalence:.6g} %"


def budget_in_words(k: int | float) -> str:
    """Return the rows of a budget in words, such as "5 rows" or "10 % of the rows"."""
    if isinstance(k, float):
        return f"{100 * k:g} % of the rows"
    return "1 row" if k == 1 else f"{k:,} rows"


class Wording(NamedTuple):
    """The names and options that sentences about thresholds and budgets mention."""

    weight_name: str | None = None
    prevalence: float | None = None
    # Whether the totals include missed positives, which have no row.
    has_missed: bool = False
    amount_name: str = "amount"
    # Words after a threshold: "or less" if low scores are better.
    or_more: str = "or more"
    # Name of the queries, such as day.
    query_name: str | None = None

    @property
    def clause(self) -> str:
        """Clause in parentheses about the weights and the prevalence; empty if there
        are neither weights nor a prevalence.
        """
        words = []
        if self.weight_name is not None:
            words.append(weighted_words(self.weight_name))
        if self.prevalence is not None:
            words.append(prevalence_in_words(self.prevalence))
        return f" ({', '.join(words)})" if words else ""

    def amount_clause(self, found: float | None, in_all: float | None) -> str:
        """Return a clause about the amount of the positives found; empty without
        amounts.

        The amount of missed positives is unknown. So if positives may be missed, the
        clause says that it is about these rows.
        """
        if found is None or in_all is None:
            return ""
        of_rows = " of these rows" if self.has_missed else ""
        return f"; {self.amount_name} found: {part_of(found, in_all)}{of_rows}{self.clause}"


PLAIN = Wording()
