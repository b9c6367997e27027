"""Choices that may not be combined: one table for scores and records.

Each parameter alone is checked where it is read. A rule looks at several parameters, which `Asked` holds.
Scores call `refuse`. Records call `broken`, and put the text of the rule into their own error.
"""

from collections.abc import Callable
from typing import NamedTuple

from .._typing import Average, Normalizer


class Asked(NamedTuple):
    """The choices that rules look at; callers pass those they know."""

    ties: str | None = None
    normalizer: Normalizer | None = None
    cuts: bool = False  # whether k is given
    weighted: bool = False  # whether weights differ inside a ranking
    counts_weight: bool = True  # whether the area adds up weights; a rank counts rows
    states_totals: bool = False  # whether n_positives is given
    totals_by_query: object = None  # n_positives, if it maps ids of queries to totals
    average: Average = None
    has_queries: bool = False
    several_columns: bool = False  # multilabel or multiclass labels
    joined_area: tuple[str, str] | None = None  # an area that joins points, and the areas that do not
    totals_by_rows: object = None  # n_positives of a display whose axis counts rows


class Rule(NamedTuple):
    """A combination that is refused, and the text of its error.

    `text` is formatted with the fields of `Asked`, `record_text` with the name of the record. Rules that no
    record can break have neither `record_text` nor `reason`.
    """

    name: str
    broken_by: Callable[[Asked], bool]
    text: str
    record_text: str = ""
    reason: str = ""  # in a few words, the same for all records


RULES = (
    Rule(  # goes first: the next one would recommend other `ties`
        "a rank has no weights",
        lambda asked: asked.weighted and not asked.counts_weight,
        "sample_weight must be equal inside each ranking, since a rank counts rows, so weights would not "
        "change it; leave sample_weight out, or pass weights of 0 and 1 to drop rows.",
        "sample_weight must be equal inside each ranking for {name!r}: a rank counts rows.",
        "weights must be equal inside each ranking",
    ),
    Rule(
        "an order of equal scores has no weights",
        lambda asked: asked.weighted and asked.ties in ("expected", "optimistic", "pessimistic"),
        "ties={ties!r} needs weights that are equal inside each ranking; use ties='proportional' or "
        "'stable'.",
        "sample_weight must be equal inside each ranking for {name!r}: an order of equal scores has no "
        "weights.",
        "weights must be equal inside each ranking",
    ),
    Rule(
        "missed positives have no weights",
        lambda asked: asked.weighted and asked.normalizer == "min" and asked.cuts and asked.states_totals,
        "normalizer='min' with n_positives needs equal weights, since the weights of missed positives are "
        "unknown; use normalizer='n_positives', 'k' or 'hits'.",
        "sample_weight must be equal inside each ranking for {name!r}: missed positives have no weights.",
        "weights must be equal inside each ranking",
    ),
    Rule(
        "a column is a ranking, and cannot be several queries",
        lambda asked: asked.has_queries and asked.several_columns,
        "query_id goes with binary y_true: multilabel and multiclass labels already are one ranking per "
        "column; pass one column at a time.",
    ),
    Rule(
        "a row is a ranking with samples, and cannot belong to a query",
        lambda asked: asked.has_queries and asked.average == "samples",
        "average='samples' makes every row a ranking, but with query_id a ranking is a query; use 'macro' "
        "(the mean over queries), 'weighted', 'micro' or None.",
    ),
    Rule(
        "totals by query need queries",
        lambda asked: asked.totals_by_query is not None and not asked.has_queries,
        "n_positives maps query ids to totals, but query_id is None; got {totals_by_query!r}.",
    ),
    Rule(
        "missed positives have no points to join",
        lambda asked: asked.joined_area is not None and asked.states_totals,
        "n_positives goes with the areas {joined_area[1]}; got area={joined_area[0]!r}, which would join "
        "points to positives that were missed.",
    ),
    Rule(
        "missed positives have no rows among rows with weights",
        lambda asked: asked.weighted and asked.totals_by_rows is not None,
        "n_positives needs equal weights here: the axis counts rows, and with unequal weights the number of "
        "rows that were missed is unknown; got {totals_by_rows!r}.",
    ),
)


def broken(asked: Asked) -> Rule | None:
    """Return the first rule that is broken, or None."""
    for rule in RULES:  # a generator would take half as long again, in every call with weights or queries
        if rule.broken_by(asked):
            return rule
    return None


def refuse(asked: Asked) -> None:
    """Raise the ValueError of the first broken rule, if there is one."""
    rule = broken(asked)
    if rule is not None:
        raise ValueError(rule.text.format(**asked._asdict()))
