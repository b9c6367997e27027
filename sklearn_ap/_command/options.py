"""The options of `sklearn-ap`: how they are read, and which of them exclude each
other.
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
Report how well the scores in files rank: average precision with its interval
and the level of chance. -k adds the positives among the first k rows,
--compare a second model, and --table other average precisions next to
scikit-learn's.

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
# The title of each group of options in the help, by its first one.
_GROUPS = {
    "file": "files and columns",
    "k": "what to ask",
    "compare": "how sure",
    "fail_if_lower": "gates, for CI",
    "table": "output",
}
_CONDITIONS = (
    "recall",
    "precision",
    "specificity",
    "k",
    "alarms",
    "miss-cost",
    "threshold",
)  # of thresholds
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
# Each option requires one of the options beside it.
_REQUIREMENTS = [
    ("fail_p", ["fail_if_lower", "fail_below"], "whose level it is"),
    ("fail_each", ["per"], "a column of classes or regions whose rows are drawn"),
    ("fail_each", ["fail_if_lower", "fail_below"], "which check each class"),
    ("fail_if_lower", ["against", "compare"], "the score to compare with"),
]


def to_number(text: str) -> int | float:
    """Return an integer, another number, or a percentage."""
    digits = text.removesuffix("%")
    if not is_number(digits):
        raise ArgumentTypeError(
            f"{format_value(text)} is not a number such as 12, 0.05 or 5%"
        )
    if digits != text:  # as floats, 0.7 / 100 is not 0.007
        return float(Decimal(digits) / 100)
    # 1 is one row and 1.0 is all rows, so only digits alone are an integer.
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _to_share(text: str, low: float = 0, high: float = 1) -> float:
    share = float(to_number(text))
    if not low <= share <= high:
        raise ArgumentTypeError(
            f"must be a number from {low:g} to {high:g}; got {format_value(text)}"
        )
    return share


def _to_condition(text: str) -> dict[str, int | float]:
    """Return the name and the value of a condition; the library checks the value."""
    name, _, value = text.partition("=")
    if name == "sensitivity":
        name = "recall"
    if name not in _CONDITIONS:
        names = ", ".join(_CONDITIONS)
        raise ArgumentTypeError(
            f"must be one of {names} with a value, as in recall=0.8; tpr is recall, "
            f"ppv is precision, and fpr=0.1 is specificity=0.9; got {format_value(text)}"
        )
    return {name.replace("-", "_"): to_number(value)}


def _to_model(text: str) -> str:
    """Check the column of a model, which may have a name before it."""
    name, sign, columns = text.partition("=")
    if sign and not (name and columns):
        raise ArgumentTypeError(
            f"must be a column, or NAME=COLUMN; got {format_value(text)}"
        )
    return text


def _option(
    text: str, metavar: str | None = "COLUMN", default: Any = None, **keywords: Any
) -> Any:
    """Return the field of an option; its metadata is what argparse is passed."""
    metadata = {"help": text, "metavar": metavar} | keywords
    return field(default=default, metadata=metadata)


def _flag(text: str, **keywords: Any) -> Any:
    """Return the field of an option without a value."""
    metadata = {"help": text, "action": "store_true"} | keywords
    return field(default=False, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a command line, as they were read, each with its help."""

    file: Sequence[str] = field(default=(), metadata={"nargs": "*", "help": _FILE_HELP})
    y_true: str = _option("column of the labels (default: label)", default="label")
    y_score: str = _option(
        "column of the scores (default: score); a,b,c are those of classes, by name if "
        "all are one text with each class in its place (p_cat,p_dog), else by place in "
        "sorted order",
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
        "leave out rows that lack a value in a column that these options name, and "
        "count them"
    )
    sample_weight: str | None = _option(
        "column of the weights: how many rows of the population each row stands for"
    )
    amount: str | None = _option(
        "column of what each row is worth, such as euros, which ranks no row"
    )
    query_id: str | None = _option(
        "column of the queries, each a ranking; one without positives counts as 0",
    )
    per: str | None = _option(
        "the same for days, classes and others, named by their column in the answer; "
        "one without positives is left out, and up to 31 have a row each; of more, "
        "the ten worst have one",
    )
    n_positives: float | str | None = _option(
        "number of all positives, found or missed; with queries, a CSV file of queries "
        "and their totals, also of those without rows",
        "N",
        type=lambda text: float(text) if is_number(text) else text,
    )
    k: int | float | None = _option(
        "cut: rows, or a share such as 5%% (default of tables: 10)",
        "K",
        type=to_number,
    )
    threshold_at: Sequence[Mapping[str, float]] = _option(
        "threshold for recall=0.8 (or sensitivity), precision=0.9, specificity=0.99, "
        "k=500, alarms=20, miss-cost=20 or threshold=0.5; may be repeated",
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
        "column of a second model's scores, which NAME=COLUMN names; may be repeated "
        "for several models",
        default=(),
        action="append",
        type=_to_model,
    )
    against: str | None = _option(
        "earlier rows with the same columns, such as those of last month; what is in both "
        "files by --unit-id or --query-id is paired",
        "FILE",
    )
    unit_id: str | None = _option(
        "column of the sampled units, such as customers; the queries of --per are "
        "fixed if units cross them or lie inside them"
    )
    fail_if_lower: float | None = _option(
        "exit with 3 if the score is lower than that of --against or --compare by "
        "more than this margin",
        "MARGIN",
        type=_to_share,
    )
    fail_below: float | None = _option(
        "exit with 3 if the score is below this value", "VALUE", type=_to_share
    )
    fail_p: float = _option(
        "one-sided p-value up to which both fail (default: 0.05), by Holm with "
        "--fail-each",
        "P",
        0.05,
        type=lambda text: _to_share(text, 1e-6, 0.49),
    )
    fail_each: bool = _flag(
        "check each class or region of --per, in place of their mean; rows are drawn "
        "in each, or the units of --unit-id"
    )
    table: bool = _flag("other average precisions next to scikit-learn's")
    identify: str | None = _option(
        "list the conventions that compute this number", "VALUE"
    )
    report: str | None = _option(
        "write the answer as a page, such as report.html", "FILE"
    )
    format: str | None = _option(
        "print JSON, which has all digits and the reasons", None, choices=["json"]
    )
    example: bool = _flag(
        "a first look: tune a model on data of scikit-learn, and print its answer",
    )

    @property
    def has_classes(self) -> bool:
        """Whether a model has a column of scores per class."""
        return "," in self.y_score

    @property
    def model_texts(self) -> tuple[str, ...]:
        """What names the columns of each model, with or without a name of the model."""
        return self.y_score, *self.compare

    @property
    def models(self) -> dict[str, list[str]]:
        """The columns of each model by its name, those of `y_score` first: one, or one
        per class.
        """
        models = []
        for text in self.model_texts:
            name, _, columns = text.partition("=")
            columns = columns or name
            listed = columns.split(",") if self.has_classes else [columns]
            models.append((span(listed) if name == columns else name, listed))
        (first, of_first), *others = models
        # The first model may be compared with itself.
        first += " (first)" * (first in dict(others))
        return {first: of_first, **dict(others)}

    @property
    def query(self) -> str | None:
        """The column of the queries."""
        return self.query_id or self.per


class _GivenOptions(argparse.Namespace):
    """The options of a command line, each given once, or listed."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option, and refuse a second value, which would replace the first."""
        if name in self and not isinstance(value, list):
            both = map(format_value, (getattr(self, name), value))
            raise ValueError(
                f"{option_name(name)} must be given once; got {' and '.join(both)}"
            )
        super().__setattr__(name, value)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise the error, which is printed in one line as all others are, without
        argparse's usage text.
        """
        raise ValueError(f"{message.rstrip('.')}; see --help")


def _parser() -> argparse.ArgumentParser:
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
    """Return the options; raise ValueError if they exclude each other."""
    parser = _parser()
    # files may stand before and after options
    read = vars(parser.parse_intermixed_args(arguments, _GivenOptions()))
    if not {"file", "example"} & read.keys():
        parser.error(
            "a file is required, or - for standard input, or --example for a first look"
        )
    options = Options(**read)
    if problem := _problem(options, read.keys()):
        parser.error(problem)
    return options


# What each option refuses; several columns of scores are a kind of one.
_SEVERAL_COLUMNS = "y_score of several columns"
# The reasons that a threshold has for not being valid with them.
_REASONS = {
    "table": ", which compares definitions of AP; leave out one of both",
    "query_id": ", since a threshold takes all rows as one ranking; -k is a budget of "
    "each",
}
_REASONS["per"] = _REASONS["query_id"]
_REFUSED = {
    "example": {each.name for each in fields(Options)} - {"example"},
    "identify": _OF_ANSWERS,
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


def _problem(options: Options, names: Set[str]) -> str:
    """Return why options exclude each other, or lack another one; empty if valid."""
    kinds = [name for name in _REFUSED if name in names]
    if options.has_classes:
        kinds.append(_SEVERAL_COLUMNS)
    for kind in kinds:
        for name in names:
            if name in _REFUSED[kind]:
                reason = _REASONS.get(kind, "") * (name == "threshold_at")
                return (
                    f"{option_name(name)} is not valid with {option_name(kind)}{reason}"
                )
    for name, needed, reason in _REQUIREMENTS:
        if name in names and not {*needed} & names:
            listed = " or ".join(map(option_name, needed))
            return f"{option_name(name)} requires {listed}, {reason}"
    if len(options.models) <= len(options.compare):
        return f"--compare must name each model once; got {', '.join(options.compare)}"
    if "fail_if_lower" in names and len(options.compare) > 1:
        return (
            "--fail-if-lower takes one --compare, the score to compare with; got "
            f"{len(options.compare)}: write a command for each"
        )
    is_number = not isinstance(options.n_positives, str)
    if "n_positives" in names and is_number == (options.query is not None):
        return (
            "--n-positives must be a number for one ranking, and a CSV file of totals "
            f"with --query-id or --per; got {options.n_positives}"
        )
    return ""


def span(columns: Sequence[str]) -> str:
    """Return the name of a column, or of the first and the last of several."""
    return " to ".join(dict.fromkeys([columns[0], columns[-1]]))


def option_name(argument: str) -> str:
    """Return the command line option for an argument."""
    names = {"file": "file", "k": "-k"}
    return names.get(argument, f"--{argument.replace('_', '-')}")
