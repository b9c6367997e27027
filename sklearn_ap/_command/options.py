"""The options of `sklearn-ap`: their help, their readers, and the combinations that are
errors.
"""

import argparse
from argparse import ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, NoReturn

from .. import __version__
from .._shown.sources import format_value, is_number

_USAGE = """\
sklearn-ap [file ...] [--y-true COLUMN] [--y-score COLUMN]
                  [--compare COLUMN] [-k K] [...]"""
_DESCRIPTION = """\
Report how well the scores in files rank: the average precision, its confidence
interval, and the chance level. -k adds the positives among the first k rows,
--compare adds a second model, and --table adds other definitions of average
precision.

examples:
  sklearn-ap --example
  sklearn-ap scores.csv --y-true label --y-score score --compare other -k 100
  sklearn-ap payments.csv --y-true fraud -k 100 --per day --amount amount
  sklearn-ap 'day=*/*.parquet' --y-true label --y-score score
"""
_EXIT_CODES = """\
exit codes:
  0  an answer; no gate fails
  2  wrong input: an option, a file or its values
  3  a gate fails
  4  a gate has no answer: no row is positive, or there is no p-value
"""
_FILE_HELP = """\
text with a header and columns separated by comma, semicolon or tab, or JSON lines,
both also gzipped, or Parquet; several files, a directory or a quoted pattern such as
'day=*/*.parquet' are one data set, where directories such as day=3 add a column; - is
standard input"""
# The help has groups of options: the first option of each group, and the group's title.
_GROUPS = {
    "file": "files and columns",
    "k": "what to ask",
    "compare": "comparisons and intervals",
    "fail_if_lower": "gates, for CI",
    "table": "output",
}
# The conditions that --threshold-at takes.
_CONDITIONS = (
    "recall",
    "precision",
    "specificity",
    "k",
    "alarms",
    "miss-cost",
    "beta",
    "threshold",
    "sensitivity",
    "tpr",
    "ppv",
    "fpr",
)
# The options that only the answer uses, and not --table and --identify.
_OF_ANSWERS = {
    "compare",
    "against",
    "unit_id",
    "prevalence",
    "amount",
    "threshold_at",
    "fail_if_lower",
    "fail_below",
    "fail_p",
    "fail_each",
    "report",
}
# The options that take one budget at most.
_OF_ONE_BUDGET = {"amount", "table", "identify", "fail_if_lower", "fail_below"}
# Options that require another option. Each line has the option, the options of which at
# least one must be passed with it, and the reason.
_REQUIREMENTS = [
    ("fail_p", ["fail_if_lower", "fail_below"], "whose significance level it is"),
    ("fail_each", ["per"], "the column of the classes or regions to check"),
    ("fail_each", ["fail_if_lower", "fail_below"], "the check of each class"),
    ("fail_if_lower", ["against", "compare"], "the score to compare with"),
]


def to_number(text: str) -> int | float:
    """Return the number that a text such as 12, 0.05 or 5% contains."""
    digits = text.removesuffix("%")
    if not is_number(digits):
        raise ArgumentTypeError(
            f"{format_value(text)} is not a number such as 12, 0.05 or 5%"
        )
    # Divide as decimals, because 0.7 / 100 is not 0.007 in floats.
    if digits != text:
        return float(Decimal(digits) / 100)
    # As k, 1 is one row and 1.0 is all rows, so only a text of digits is an integer.
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _to_share(text: str, low: float = 0, high: float = 1) -> float:
    """Return a number or a percentage; raise ArgumentTypeError unless it is from `low`
    to `high`.
    """
    share = float(to_number(text))
    if not low <= share <= high:
        raise ArgumentTypeError(
            f"must be a number from {low:g} to {high:g}; got {format_value(text)}"
        )
    return share


def _to_condition(text: str) -> dict[str, int | float]:
    """Return the name and the value of a condition.

    `operating_point` checks the value.
    """
    name, _, value = text.partition("=")
    if name not in _CONDITIONS:
        names = ", ".join(_CONDITIONS)
        raise ArgumentTypeError(
            f"must be one of {names} with a value, as in recall=0.8; got "
            f"{format_value(text)}"
        )
    return {name.replace("-", "_"): to_number(value)}


def _to_model(text: str) -> str:
    """Return the text COLUMN or NAME=COLUMN of a model; raise ArgumentTypeError if the
    name or the column is missing next to the sign =.
    """
    name, sign, columns = text.partition("=")
    if sign and not (name and columns):
        raise ArgumentTypeError(
            f"must be a column, or NAME=COLUMN; got {format_value(text)}"
        )
    return text


def _option(
    text: str, metavar: str | None = "COLUMN", default: Any = None, **keywords: Any
) -> Any:
    """Return the field of an option, with the arguments of `add_argument` as its
    metadata.
    """
    metadata = {"help": text, "metavar": metavar} | keywords
    return field(default=default, metadata=metadata)


def _flag(text: str, **keywords: Any) -> Any:
    """Return the field of an option that has no value on the command line."""
    metadata = {"help": text, "action": "store_true"} | keywords
    return field(default=False, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a command line. The metadata of each field contain its help."""

    file: Sequence[str] = field(default=(), metadata={"nargs": "*", "help": _FILE_HELP})
    y_true: str = _option("column of the labels (default: label)", default="label")
    y_score: str = _option(
        "column of the scores (default: score); a,b,c are one column per class, matched "
        "by name if their names differ only in the class (p_cat,p_dog), else by position "
        "in the sorted order of the classes",
        default="score",
        type=_to_model,
    )
    pos_label: str | None = _option(
        "the positive label (default: 1, true, yes, t or y)", "LABEL"
    )
    lower_is_better: bool = _flag(
        "low scores rank first, such as ranks, distances, energies and losses"
    )
    drop_missing: bool = _flag(
        "drop rows with a missing value in a column that these options name, and "
        "report their number"
    )
    sample_weight: str | None = _option(
        "column of the weights: how many rows of the population each row stands for"
    )
    amount: str | None = _option(
        "column of the value of each row, such as euros; it does not change the ranking"
    )
    query_id: str | None = _option(
        "column of the queries, each of which is a ranking; a query without positives "
        "scores 0",
    )
    per: str | None = _option(
        "column of days, classes or other parts, each of which is a ranking; the mean "
        "excludes parts without positives; a table has a row for each part or, if there "
        "are more than 31, for the ten worst",
    )
    n_positives: float | str | None = _option(
        "total number of positives, found or missed; with queries, a CSV file of all "
        "queries and their totals, also of queries without rows",
        "N",
        type=lambda text: float(text) if is_number(text) else text,
    )
    k: Sequence[int | float] = _option(
        "budget: a number of rows, per query if there are queries, or a share such as "
        "5%% (default of --table and --identify: 10); may be repeated",
        "K",
        (),
        action="append",
        type=to_number,
    )
    threshold_at: Sequence[Mapping[str, float]] = _option(
        "best threshold for recall=0.8 (or sensitivity, tpr), precision=0.9 (or ppv), "
        "specificity=0.99 (or fpr=0.01), k=500, alarms=20, miss-cost=20 or beta=1, or the "
        "numbers of threshold=0.5; may be repeated",
        "NAME=VALUE",
        (),
        action="append",
        type=_to_condition,
    )
    prevalence: float | None = _option(
        "share of positives in the population, if it differs from their share "
        "among the rows",
        "P",
        type=to_number,
    )
    compare: Sequence[str] = _option(
        "column of the scores of a second model, or NAME=COLUMN to name the model; may "
        "be repeated for several models",
        default=(),
        action="append",
        type=_to_model,
    )
    against: str | None = _option(
        "earlier rows with the same columns, such as those of last month; units of "
        "--unit-id, or queries, that are in both files are paired",
        "FILE",
    )
    unit_id: str | None = _option(
        "column of the sampled units, such as customers, which intervals draw; the "
        "queries of --per are fixed if a unit has rows in several queries, or a query "
        "has several units"
    )
    fail_if_lower: float | None = _option(
        "exit with 3 if the score is significantly lower than that of --against or "
        "--compare, by more than this margin",
        "MARGIN",
        type=_to_share,
    )
    fail_below: float | None = _option(
        "exit with 3 if the score is significantly below this value",
        "VALUE",
        type=_to_share,
    )
    fail_p: float = _option(
        "significance level: both gates fail if the one-sided p-value is at most P "
        "(default: 0.05); --fail-each adjusts it by Holm's method",
        "P",
        0.05,
        type=lambda text: _to_share(text, 1e-6, 0.49),
    )
    fail_each: bool = _flag(
        "check each class or region of --per instead of their mean; the test draws the "
        "rows of each class, or units of --unit-id"
    )
    table: bool = _flag("add other definitions of AP next to scikit-learn's")
    identify: str | None = _option(
        "list the conventions that compute this number", "VALUE"
    )
    report: str | None = _option(
        "write the answer as a page, such as report.html", "FILE"
    )
    title: str | None = _option(
        "title of the answer and of the page (default: the name of the file)", "TEXT"
    )
    format: str | None = _option(
        "print JSON, which has all digits and, with --table, the reasons of differences",
        None,
        choices=["json"],
    )
    example: bool = _flag(
        "a first look: tune a model on data of scikit-learn, and print the answer",
    )

    @property
    def has_classes(self) -> bool:
        """Whether each model has several columns of scores, one per class."""
        return "," in self.y_score

    @property
    def model_texts(self) -> tuple[str, ...]:
        """The text COLUMN or NAME=COLUMN that was passed for each model."""
        return self.y_score, *self.compare

    @property
    def models(self) -> dict[str, list[str]]:
        """Columns of each model by its name, the model of `y_score` first.

        A model has one column, or one per class.
        """
        (first, of_first), *others = map(self._read_model, self.model_texts)
        by_name = dict(others)
        # The first model may be compared with itself, under another name.
        if first in by_name:
            first = f"{first} (first)"
        return {first: of_first, **by_name}

    @property
    def first_columns(self) -> list[str]:
        """Columns of the first model."""
        _, columns = self._read_model(self.y_score)
        return columns

    def _read_model(self, text: str) -> tuple[str, list[str]]:
        """Return the name of a model, and its columns. Without a name, the model is
        named after its columns.
        """
        name, sign, listed = text.partition("=")
        if not sign:
            listed = text
        columns = listed.split(",") if self.has_classes else [listed]
        return (span(columns) if name == listed else name), columns

    @property
    def query(self) -> str | None:
        """Column of the queries, from --query-id or --per; None without queries."""
        return self.query_id or self.per


class _GivenOptions(argparse.Namespace):
    """The options of a command line. Only options that collect a list may be repeated."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option; raise ValueError if a second value would replace the first."""
        if name in self and not isinstance(value, list):
            both = map(format_value, (getattr(self, name), value))
            raise ValueError(
                f"{option_name(name)} must be given once; got {' and '.join(both)}"
            )
        super().__setattr__(name, value)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise ValueError, so that `run` prints the message in one line.

        argparse would also print its usage text.
        """
        raise ValueError(f"{message.rstrip('.')}; see --help")


def _parser() -> argparse.ArgumentParser:
    """Return a parser with an option for each field of `Options`, in groups."""
    parser = _Parser(
        "sklearn-ap",
        _USAGE,
        _DESCRIPTION,
        epilog=_EXIT_CODES,
        formatter_class=RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    for option in fields(Options):
        if option.name in _GROUPS:
            group = parser.add_argument_group(_GROUPS[option.name])
        group.add_argument(option_name(option.name), **option.metadata)
    version = f"sklearn_ap {__version__}"
    parser.add_argument("--version", action="version", version=version)
    return parser


def read_options(arguments: list[str] | None) -> Options:
    """Return the options of a command line; raise ValueError if one is invalid, or if
    they cannot be combined.
    """
    parser = _parser()
    # Files may be before, between and after options.
    read = vars(parser.parse_intermixed_args(arguments, _GivenOptions()))
    if not {"file", "example"} & read.keys():
        parser.error(
            "a file is required, or - for standard input, or --example for a first look"
        )
    options = Options(**read)
    if problem := _problem(options, read.keys()):
        parser.error(problem)
    return options


# `_INVALID_WITH` has an entry for several columns of scores, as if they were an option.
_SEVERAL_COLUMNS = "y_score of several columns"
# The reasons why --threshold-at is not valid with some options.
_REASONS = {
    "table": ", which compares definitions of AP; omit one of both",
    "query_id": ", because a threshold takes all rows as one ranking; -k is a budget "
    "per query",
}
_REASONS["per"] = _REASONS["query_id"]
# For each option, the options that are not valid with it.
_INVALID_WITH = {
    "example": {option.name for option in fields(Options)} - {"example"},
    "identify": _OF_ANSWERS | {"title"},
    "table": _OF_ANSWERS | {"identify"},
    "query_id": {"threshold_at", "per"},
    "per": {"threshold_at"},
    _SEVERAL_COLUMNS: {
        "query_id",
        "per",
        "n_positives",
        "pos_label",
        "threshold_at",
        "fail_each",
        "against",
        "table",
        "identify",
    },
}


def _invalid_pair(options: Options, names: Set[str]) -> str:
    """Return the reason why two of the options cannot be combined; empty if all can."""
    kinds = [name for name in _INVALID_WITH if name in names]
    if options.has_classes:
        kinds.append(_SEVERAL_COLUMNS)
    for kind in kinds:
        for name in names:
            if name in _INVALID_WITH[kind]:
                problem = f"{option_name(name)} is not valid with {option_name(kind)}"
                if name == "threshold_at":
                    problem += _REASONS.get(kind, "")
                return problem
    return ""


def _problem(options: Options, names: Set[str]) -> str:
    """Return the reason why options cannot be combined or require another one; empty if
    they are valid.
    """
    return (
        _invalid_pair(options, names)
        or _missing_option(names)
        or _invalid_number(options, names)
    )


def _missing_option(names: Set[str]) -> str:
    """Return the reason why an option requires another one; empty if it has it."""
    for name, needed, reason in _REQUIREMENTS:
        if name in names and not {*needed} & names:
            listed = " or ".join(map(option_name, needed))
            return f"{option_name(name)} requires {listed}, {reason}"
    return ""


def _invalid_number(options: Options, names: Set[str]) -> str:
    """Return the reason why options name too many or too few models, budgets or totals;
    empty if they are valid.
    """
    # `models` has one entry for models of the same name.
    if len(options.models) <= len(options.compare):
        return f"--compare must name each model once; got {', '.join(options.compare)}"
    if "fail_if_lower" in names and len(options.compare) > 1:
        return (
            "--fail-if-lower takes one --compare, the score to compare with; got "
            f"{len(options.compare)}: run one command for each"
        )
    if len(options.k) > 1 and (single := names & _OF_ONE_BUDGET):
        return (
            f"{option_name(min(single))} takes one -k; got {len(options.k)}: run one "
            "command for each"
        )
    is_file = isinstance(options.n_positives, str)
    has_queries = options.query is not None
    if "n_positives" in names and is_file != has_queries:
        return (
            "--n-positives must be a number, or, with --query-id or --per, a CSV file of "
            f"totals; got {options.n_positives}"
        )
    return ""


def span(columns: Sequence[str]) -> str:
    """Return the name of a single column, or the names of the first and the last column
    with "to" between them.
    """
    return " to ".join(dict.fromkeys([columns[0], columns[-1]]))


def option_name(argument: str) -> str:
    """Return the option of the command for an argument of Python."""
    names = {"file": "file", "k": "-k"}
    return names.get(argument, f"--{argument.replace('_', '-')}")
