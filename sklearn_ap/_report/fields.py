"""The fields of an answer, in the order of the JSON.

`sentences` writes the statements of an answer, which text, page and JSON all show.

A threshold is an `OperatingPoint`, and the totals of a budget are `BudgetTotals`. In
JSON, they have the fields of `to_dict`. A number that does not exist is NaN here, and
null in JSON. `schema.json` describes all fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from math import nan
from typing import Any, NamedTuple

from .._core.typing import Label
from .._decisions.budgets import BudgetTotals
from .._decisions.operating_points import OperatingPoint
from .._decisions.wording import Wording
from .._shown.tables import SCHEMA_VERSION, json_value
from .._uncertainty.results import Result, ScoreComparison, ScoreEstimate

AP = "average_precision"
ROW = "row"


@dataclass(frozen=True)
class Sums:
    """Total weight or total amount of all rows, and that of the positives only."""

    all: float
    positives: float


class Whole(NamedTuple):
    """The number, the weight or the amount of all positives, of which a budget finds a
    share.
    """

    # A key of `SUMS_OF_SHARES`.
    kind: str
    # The name of the total in sentences.
    words: str


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Sizes and names of the rows. Rows of weight 0 are not counted."""

    rows: int = 0
    positives: int = 0
    # The total of the positives, found or missed; None if the caller did not pass it.
    all_positives: float | None = None
    queries: int | None = None
    # Number of queries that have a total, but no rows.
    queries_without_rows: int = 0
    query_name: str = "query"
    # Number of classes, if each query is a class; otherwise 0. The query of a class
    # contains all rows.
    n_classes: int = 0
    queries_without_positives: int = 0
    # Names of the first few queries without positives.
    first_without_positives: Sequence[str] = ()
    # Score of a query without positives; NaN if the mean excludes it.
    zero_division: float = 0.0
    # Names of the columns of labels and scores, if they have names.
    label_column: str = ""
    score_column: str = ""
    # The positive label, unless the labels are 0 and 1, -1 and 1, or booleans.
    pos_label: Label | None = None
    # The first few negative labels, if there are several.
    other_labels: Sequence[str] = ()
    weight: Sums | None = None
    weight_name: str = "weight"
    # The sums of the amounts, after the amount of each row is multiplied by its weight.
    amount: Sums | None = None
    amount_name: str = "amount"
    # Name of the sampled units, such as customer.
    unit_name: str = ROW
    has_units: bool = False
    # Number of the caller's units that contain a positive row; None without units.
    units_with_positives: int | None = None
    # Number of rows of weight 0.
    rows_left_out: int = 0
    # Number of rows that were dropped because a value is missing, if the caller asked
    # for it, and the number of missing values in each column.
    rows_dropped: int = 0
    missing_values: Mapping[str, int] = field(default_factory=dict)
    # Number of positives among these rows.
    positives_dropped: int = 0
    # Whether low scores are better. Scores were negated when they were read; the answer
    # shows scores and thresholds with the sign of the caller.
    lower_is_better: bool = False
    # Whether the rows are the output of a detector, such as the boxes of one class.
    # Missed objects have no rows, and true negatives are not counted.
    are_emitted: bool = False

    @property
    def sign(self) -> int:
        """Factor that restores the sign of the caller's scores."""
        return -1 if self.lower_is_better else 1

    @property
    def sums(self) -> Sums:
        """Weight of all rows and of the positives; without weights, their number."""
        return self.weight or Sums(self.rows, self.positives)

    @property
    def total(self) -> float:
        """Weight of all positives, found or missed; without weights, their number."""
        return self.all_positives or self.sums.positives

    @property
    def are_all_missed(self) -> bool:
        """Whether there are positives, and none of them has a row."""
        return self.total > 0 and not self.positives

    @property
    def title(self) -> str:
        """Short name of the score."""
        return "MAP" if self.queries else "AP"

    @property
    def prevalence(self) -> float:
        """Prevalence of the rows, in weight, with the missed positives."""
        return self.total / (self.total + (self.sums.all - self.sums.positives))

    @property
    def no_positives(self) -> str:
        """The reason why a ranking without positives has no score; else empty."""
        if self.total:
            return ""
        row = "no row of weight above 0" if self.weight else "no row"
        if self.pos_label is not None:
            return f"{row} has the label {self.pos_label!r}"
        return f"{row} is positive"

    @property
    def whole(self) -> Whole:
        """The number, the weight or the amount of all positives, of which a budget
        finds a share.
        """
        # Only budgets per query have a share of the amount.
        if self.amount and self.queries:
            return Whole("amount", self.amount_name)
        if self.weight:
            return Whole("weight", f"{self.weight_name} of positives")
        return Whole("positives", "positives")

    @property
    def basis(self) -> Wording:
        """The caller's names and options, for the sentences of results."""
        return Wording(
            weight_name=self.weight_name if self.weight else None,
            has_missed=self.all_positives is not None,
            amount_name=self.amount_name,
            or_more="or less" if self.lower_is_better else "or more",
            query_name=self.query_name,
        )


def label_text(label: Label) -> str:
    """Return a label as text, such as "1" for 1.0."""
    return str(label).strip().removesuffix(".0")


def label_fields(positive: Label, negatives: Iterable[Label]) -> dict[str, Any]:
    """Return the fields of `Counts` about labels: the positive label, and the first few
    negative labels if there are several.

    Return no fields if the labels are 0 and 1, -1 and 1, or booleans.
    """
    word, *other_words = (label_text(label).lower() for label in (positive, *negatives))
    if word in ("1", "true") and {*other_words} <= {"-1", "0", "false"}:
        return {}
    first = [*map(str, negatives)][:3]
    return {"pos_label": positive, "other_labels": first if len(first) > 1 else []}


@dataclass(frozen=True)
class ShownScore:
    """A score or a share with its interval."""

    value: float
    # Endpoints of the interval; NaN if the rows determine no interval.
    low: float = nan
    high: float = nan
    # Number of units that the interval draws; None without an interval.
    n_units: int | None = None
    n_fixed_queries: int | None = None
    _estimate: ScoreEstimate | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ThresholdForCondition:
    """A condition and the best threshold for it; None if no threshold meets it."""

    condition: dict[str, float]
    threshold: OperatingPoint | None
    # The reason why no threshold meets the condition; empty for a budget of rows.
    no_threshold: str = ""


@dataclass(frozen=True, kw_only=True)
class Hits:
    """The positives among the first k rows of the ranking, or of each query."""

    k: int | float
    # Number of rows within the budget, added up over queries.
    rows: int
    # Share of all positives that is found, in number or in weight; with queries and
    # amounts, the share of the amount of all positives.
    share: ShownScore
    positives: float
    amount_found: float | None
    # Totals over queries; None without queries.
    totals: BudgetTotals | None
    # Positives found, divided by the mean number that random orders find; NaN with
    # weights, missed positives, or amounts of queries.
    lift: float = nan
    # Share of the queries with positives in which the budget finds a positive; NaN
    # without queries, with weights, or if each query is a class.
    queries_with_hit: float = nan
    # Best threshold of the first model that retrieves at most k rows. It is None with
    # queries, or if every threshold retrieves more rows.
    threshold: OperatingPoint | None = None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A difference between two scores. `name` and `score` belong to the other model or
    file.
    """

    name: str
    score: float
    difference: float
    low: float = nan
    high: float = nan
    pvalue: float = nan
    # The test of this difference, which returns the interval for any confidence level,
    # without an adjustment for the number of differences.
    _test: ScoreComparison | None = field(default=None, repr=False)
    # Whether a warning about this difference reports too few positives.
    _has_few_positives: bool = field(default=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Against(Difference):
    """The difference from earlier rows, and their score.

    Both scores are computed at one prevalence, or each score at the prevalence of its
    own rows.
    """

    # The prevalence of both scores; NaN if each score has its own prevalence.
    prevalence: float
    # Prevalences of the new and of the earlier rows, with the missed positives.
    share: float
    earlier_share: float
    # Fields of the `Counts` of the earlier rows.
    rows_dropped: int = 0
    missing_values: Mapping[str, int] = field(default_factory=dict)
    # Number of units, or of queries, in at least one of the files, and in both files;
    # None without ids.
    units: int | None = None
    units_in_both: int | None = None
    # The difference with each score at the prevalence of its own rows; None unless the
    # prevalences differ by more than chance, and the caller passed neither a prevalence
    # nor totals.
    own: Against | None = None
    # How the test has matched the units of both files, such as `NONE_IN_BOTH`.
    _matching: str = field(default="", repr=False)

    @property
    def tested(self) -> list[Against]:
        """The differences that a gate tests: this one and, if the same units are in
        both files, `own`. What recurs has not changed its share of positives by itself,
        but other units, such as those of another month, may have another share.
        """
        return [self, self.own] if self.own and self.units_in_both else [self]


@dataclass(frozen=True, kw_only=True)
class Comparison(Difference):
    """Another model on the same rows: its score with its interval, the positives that
    it finds, and the differences from the first model.

    Intervals and p-values of differences are adjusted for the number of comparisons.
    """

    estimate: ShownScore
    # What the first budget finds, and what each budget finds.
    cut: Hits | None
    cuts: Sequence[Hits] = ()
    found: Difference | None = None


@dataclass(frozen=True)
class Check:
    """Result of one check that the caller asked for, such as `--fail-below 0.8`."""

    option: str
    value: float
    # Whether the check failed; None if the score or its p-value is undefined for these
    # rows.
    failed: bool | None
    why: str
    # One-sided p-value, and the significance level: the check fails if the p-value is
    # at most this level. Both are NaN without a test.
    pvalue: float = nan
    level: float = nan
    # Name of the model or file that the score is compared with.
    _other: str = field(default="", repr=False)


@dataclass(frozen=True)
class Statement:
    """A sentence about an answer, or a table."""

    # The subject of the statement: headline, budget, comparison, threshold or note;
    # gate or verdict, if it is the verdict of a gate or of a comparison.
    place: str
    # The sentence, or the title of the table.
    text: str
    # The lines of the table: the titles of the columns, then the rows.
    table: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, kw_only=True)
class FirstAnswer:
    """The answer about one ranking, or about the rankings of queries or classes.

    `classes` has the answer about each class or query, if it was computed.
    """

    schema: int = SCHEMA_VERSION
    kind: str = "answer"
    name: str
    # Name of the first model.
    model: str = ""
    counts: Counts
    prevalence: float | None
    # Score of the first model; None without positives.
    score: ShownScore | None = None
    # Mean score of random rankings; NaN if it is unknown.
    chance: float = nan
    # Score of all rows as one ranking, if `score` is a mean that excludes days, or
    # other queries, without positives.
    pooled: ShownScore | None = None
    # What the first budget finds, and what each budget finds.
    cut: Hits | None = None
    cuts: list[Hits] = field(default_factory=list)
    thresholds: list[ThresholdForCondition] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    against: Against | None = None
    # The reason why there is no difference from earlier rows, if such were passed.
    no_difference: str = ""
    classes: list[FirstAnswer] = field(default_factory=list)
    # Number of queries, if there are too many for an answer about each; otherwise 0.
    n_classes_left_out: int = 0
    # Classes with positives in the earlier rows that are missing from these rows.
    classes_gone: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    # The warnings of a class or a query, before they were written as texts.
    _raised: Sequence[Warning] = field(default=(), repr=False)
    # Notes about mistakes that the rows suggest, from `looks`.
    _seen: list[str] = field(default_factory=list)
    # Whether a warning about the score reports too few positives.
    _has_few_positives: bool = False
    # Translates the statements, which are written in the words of Python.
    _words: Callable[[str], str] = str

    @property
    def basis(self) -> Wording:
        """The caller's names and options, with the prevalence that scores refer to."""
        return self.counts.basis._replace(prevalence=self.prevalence)


def to_json(value: Any) -> Any:
    """Return an answer, or a part of it, as values that JSON can contain."""
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
