"""The fields of the first answer, each named once: JSON has them in this order.

`sentences` makes the statements of an answer, which text, page and JSON all show.

Thresholds and totals of budgets are the results of the library, as `to_dict` has them.
A number that does not exist is NaN here, and null in JSON. `schema.json` describes all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from math import nan
from typing import Any

from .._core.typing import Label
from .._decisions.budgets import BudgetTotals, Wording
from .._decisions.operating_points import OperatingPoint
from .._shown.tables import SCHEMA_VERSION, json_value
from .._uncertainty.results import Result, ScoreComparison, ScoreEstimate

AP = "average_precision"
ROW = "row"


@dataclass(frozen=True)
class Sums:
    """The weight or the amount of all rows, and that of the positives."""

    all: float
    positives: float


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The sizes of the rows, without the rows of weight 0."""

    rows: int = 0
    positives: int = 0
    all_positives: float | None = None  # found or missed, if the caller states it
    queries: int | None = None
    queries_without_rows: int = 0  # which only a total names
    query_name: str = "query"
    n_classes: int = 0  # which each have all rows
    queries_without_positives: int = 0
    first_without_positives: Sequence[str] = ()  # the names of the first ones
    zero_division: float = 0.0  # what they count as; NaN if they are left out
    # The columns of the labels and of the scores, if the caller names them.
    label_column: str = ""
    score_column: str = ""
    pos_label: Label | None = None  # if it is not one of 0 and 1, -1 and 1, or booleans
    # of several that are negative, the first ones
    other_labels: Sequence[str] = ()
    weight: Sums | None = None
    weight_name: str = "weight"
    amount: Sums | None = None  # times the weight of each row
    amount_name: str = "amount"
    unit_name: str = ROW  # what was drawn in the names of the caller
    has_units: bool = False
    rows_left_out: int = 0
    # which lack a value of a column, and how many lack each; none unless that was asked
    rows_dropped: int = 0
    missing_values: Mapping[str, int] = field(default_factory=dict)
    # Scores were negated where they were read; each number about them is that of the
    # caller.
    lower_is_better: bool = False
    # Whether a model emitted the rows, as boxes of a class: objects that it missed have
    # none, and nobody counts what it rightly left out.
    are_emitted: bool = False

    @property
    def sign(self) -> int:
        """Factor that turns a score into the score of the caller."""
        return -1 if self.lower_is_better else 1

    @property
    def sums(self) -> Sums:
        """The weight of the rows; without weights, their number."""
        return self.weight or Sums(self.rows, self.positives)

    @property
    def total(self) -> float:
        """The weight of all positives, found or missed."""
        return self.all_positives or self.sums.positives

    @property
    def title(self) -> str:
        """The short name of the score."""
        return "MAP" if self.queries else "AP"

    @property
    def share(self) -> float:
        """The share of positives, found or missed, in their weight."""
        return self.total / (self.total + (self.sums.all - self.sums.positives))

    @property
    def no_positives(self) -> str:
        """Why a ranking without positives has no score; empty if it has one."""
        if self.total:
            return ""
        row = f"no row{' of weight above 0' * bool(self.weight)}"
        if self.pos_label is not None:
            return f"{row} has the label {self.pos_label!r}"
        return f"{row} is positive"

    @property
    def whole(self) -> tuple[str, str]:
        """The total that the share of a budget refers to, as fields and as the caller
        name it; amounts are of budgets of queries.
        """
        if self.amount and self.queries:
            return "amount", self.amount_name
        if self.weight:
            return "weight", f"{self.weight_name} of positives"
        return "positives", "positives"

    @property
    def basis(self) -> Wording:
        """What the numbers of results refer to, in the names of the caller."""
        return Wording(
            weight_name=self.weight_name if self.weight else None,
            has_missed=self.all_positives is not None,
            amount_name=self.amount_name,
            or_more="or less" if self.lower_is_better else "or more",
            query_name=self.query_name,
        )


def label_text(label: Label) -> str:
    """Return a label as text, where 1.0 is 1."""
    return str(label).strip().removesuffix(".0")


def label_fields(positive: Label, negatives: Iterable[Label]) -> dict[str, Any]:
    """Return the fields of `Counts` about labels: which one is positive, unless that is
    plain, and the first others, if there are several.
    """
    word, *others = (label_text(label).lower() for label in (positive, *negatives))
    if word in ("1", "true") and {*others} <= {"-1", "0", "false"}:
        return {}
    others = [*map(str, negatives)][:3]
    return {"pos_label": positive, "other_labels": others * (len(others) > 1)}


@dataclass(frozen=True)
class Score:
    """A score or a share with its interval, whose ends are NaN where the rows determine
    none, and the number of units that were drawn.
    """

    value: float
    low: float = nan
    high: float = nan
    n_units: int | None = None
    n_fixed_queries: int | None = None
    _estimate: ScoreEstimate | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ThresholdForCondition:
    """The best threshold for a condition; None if all thresholds exceed the budget."""

    condition: dict[str, float]
    threshold: OperatingPoint | None


@dataclass(frozen=True, kw_only=True)
class Hits:
    """What the first k rows contain, of the whole ranking or of each query."""

    k: int | float
    rows: int  # of all queries together
    share: Score  # of all positives, of their weight, or with queries of their amount
    positives: float
    amount_found: float | None
    totals: BudgetTotals | None  # of queries
    # Positives found, over those that a random order finds on average; NaN with weights,
    # missed positives, or amounts of queries.
    lift: float = nan
    # Share of queries with a positive within the budget; NaN without queries.
    queries_with_hit: float = nan
    # which retrieves these rows of a single ranking, of the first model
    threshold: OperatingPoint | None = None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A difference between two scores; `name` and `score` are those of the other
    model or file.
    """

    name: str
    score: float
    difference: float
    low: float = nan
    high: float = nan
    pvalue: float = nan
    # The pair alone, whose interval any level has.
    _test: ScoreComparison | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Against(Difference):
    """The difference from earlier rows, and their score: at one share of positives, or
    each at its own.
    """

    prevalence: float  # that one share; NaN if each has its own
    share: float  # of positives, found or missed, among these rows
    earlier_share: float  # among the earlier rows
    # Of the earlier rows, as in the counts of the others.
    rows_dropped: int = 0
    missing_values: Mapping[str, int] = field(default_factory=dict)
    # Number of units, or of queries, in either file and in both, if they have ids.
    units: int | None = None
    units_in_both: int | None = None


@dataclass(frozen=True, kw_only=True)
class Comparison(Difference):
    """Another model on the same rows: its score with its interval, its hits, and how
    the shares that it and the first model find differ.

    Intervals and p-values of differences are adjusted for the number of models.
    """

    estimate: Score
    cut: Hits | None
    found: Difference | None = None


@dataclass(frozen=True)
class Check:
    """Whether a score fails a demand of the caller, and why; None if these rows do not
    say whether.
    """

    option: str
    value: float
    failed: bool | None
    why: str
    # one-sided, and up to which level it fails; NaN if there was nothing to test
    pvalue: float = nan
    level: float = nan
    # name of the model or file that the score is compared with
    _other: str = field(default="", repr=False)


@dataclass(frozen=True)
class Statement:
    """A sentence about an answer, or a table: its titles, and a line per row."""

    place: str  # headline, budget, comparison, threshold, gate or note
    text: str  # a sentence, or the title of the table
    table: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, kw_only=True)
class FirstAnswer:
    """The first answer about one ranking, or about the rankings of queries or classes;
    with the answer for each class against the others, or for each query.
    """

    schema: int = SCHEMA_VERSION
    kind: str = "answer"
    name: str
    model: str = ""  # whose scores these are, if there are others
    counts: Counts
    prevalence: float | None
    score: Score | None = None  # None without positives
    chance: float = nan
    pooled: Score | None = None  # of all rows as one ranking, besides days and others
    cut: Hits | None = None
    thresholds: list[ThresholdForCondition] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    against: Against | None = None
    no_difference: str = ""  # why there is none from earlier rows
    classes: list[FirstAnswer] = field(default_factory=list)
    n_classes_left_out: int = 0  # too many for an answer each
    classes_gone: list[str] = field(default_factory=list)  # which earlier rows have
    checks: list[Check] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _seen: list[str] = field(default_factory=list)  # in the rows; see `looks`
    # Translates the statements, which are made in the words of Python.
    _words: Callable[[str], str] = str


def to_json(value: Any) -> Any:
    """Return an answer, or a part of it, as JSON has it."""
    if isinstance(value, list):
        return list(map(to_json, value))
    if isinstance(value, Result):
        return {"text": str(value), **value._numbers()}
    if not is_dataclass(value):
        return json_value(value)
    return {
        name: to_json(part)
        for name, part in vars(value).items()
        if not name.startswith("_")
    }
