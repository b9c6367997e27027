"""The options of `sklearn-ap`: how they are read, and which of them exclude each
other.
"""

import argparse
import csv
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import nan
from typing import Any, NoReturn

from .. import __version__
from .._core.reading.options import read_k
from .._core.registry import K
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
text with a header and columns separated by comma, semicolon or tab, or JSON lines, both also gzipped, or
Parquet; several files, a directory or a quoted pattern such as 'day=*/*.parquet' are one data set, where
directories such as day=3 add a column; - is standard input"""
# What a value is called, or its choices, or None for a flag; and the help, whose %%
# argparse formats.
OptionHelp = tuple[str | tuple[str, ...] | None, str]
_FILES = "files and columns"
# by the title of their group in the help
_OPTIONS: dict[str, dict[str, OptionHelp]] = {
    _FILES: {
        "--y-true": ("COLUMN", "column of the labels (default: label)"),
        "--y-score": (
            "COLUMN",
            "column of the scores (default: score); a,b,c are those of classes, by name if "
            "all are one text with each class in its place (p_cat,p_dog), by place in "
            "sorted order if no name contains a class; '\"a,b\"' is a single column",
        ),
        "--pos-label": ("LABEL", "the positive label (default: 1, true, yes, t or y)"),
        "--lower-is-better": (
            None,
            "low scores rank first, such as ranks, distances, energies and losses",
        ),
        "--drop-missing": (
            None,
            "leave out rows that lack a value in a column that these options name, and "
            "count them",
        ),
        "--sample-weight": (
            "COLUMN",
            "column of the weights: how many rows of the population each row stands for",
        ),
        "--amount": (
            "COLUMN",
            "column of what each row is worth, such as euros, which ranks no row",
        ),
        "--query-id": (
            "COLUMN",
            "column of the queries, each a ranking; one without positives counts as 0",
        ),
        "--per": (
            "COLUMN",
            "the same for days, classes and others, named by their column in the answer; "
            "one without positives is left out",
        ),
        "--n-positives": (
            "N",
            "number of all positives, found or missed; a column with the total of "
            "each row's query; or a CSV file of queries and their totals, also of those "
            "without rows",
        ),
    },
    "what to ask": {
        "-k": ("K", f"cut: rows, or a share such as 5%% (default of tables: {K})"),
        "--threshold-at": (
            "NAME=VALUE",
            "threshold for recall=0.8, precision=0.9, specificity=0.99, k=500, "
            "alarms=20, miss-cost=20 or threshold=0.5; may be repeated",
        ),
        "--prevalence": (
            "P",
            "share of positives in the population, if it differs from their share "
            "among the rows",
        ),
    },
    "how sure": {
        "--compare": (
            "COLUMN",
            "column of a second model's scores; may be repeated for several models",
        ),
        "--against": (
            "FILE",
            "earlier rows with the same columns, such as those of last month",
        ),
        "--unit-id": (
            "COLUMN",
            "column of the sampled units, such as customers; the queries of --per are "
            "fixed if units cross them or lie inside them",
        ),
    },
    "gates, for CI": {
        "--fail-if-lower": (
            "MARGIN",
            "exit with 3 if the score is lower than that of --against or --compare by "
            "more than this margin",
        ),
        "--fail-below": (
            "VALUE",
            "exit with 3 if the score is below this value",
        ),
        "--fail-p": (
            "P",
            "one-sided p-value up to which both fail (default: 0.05), by Holm with "
            "--fail-each",
        ),
        "--fail-each": (
            None,
            "check each class or region of --per, in place of their mean; rows are drawn "
            "in each, or the units of --unit-id",
        ),
    },
    "output": {
        "--table": (None, "other average precisions next to scikit-learn's"),
        "--identify": ("VALUE", "list the conventions that compute this number"),
        "--report": ("FILE", "write the answer as a page, such as report.html"),
        "--format": (("json",), "print JSON, which has all digits and the reasons"),
        "--example": (
            None,
            "a first look: tune a model on data of scikit-learn, and print its answer",
        ),
    },
}
SEVERAL_COLUMNS = "--y-score of several columns"
_CONDITIONS = (
    "recall",
    "precision",
    "specificity",
    "k",
    "alarms",
    "miss-cost",
    "threshold",
)  # of thresholds
# Options of which a command line takes one.
_EXCLUDE_EACH_OTHER = [
    {"--query-id", "--per"},
    {"--table", "--identify", "--report", "--example"},
]
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
}
# The options that each kind of answer refuses.
_REFUSED = {
    "--identify": _OF_ANSWERS,
    "--table": _OF_ANSWERS,
    "--report": {"against"},
    SEVERAL_COLUMNS: {
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


# What goes on from the answer about one ranking, and about several.
NEXT = (
    "Next: -k (a budget), --threshold-at, --compare, --table, --report (a page).",
    "Next: -k (a budget), --compare (a second model), --report (a page).",
)
_REPEATED = {"--threshold-at", "--compare"}  # options that may be repeated
# Each option requires one of the options beside it.
_REQUIREMENTS = [
    ("fail_p", ["fail_if_lower", "fail_below"], "whose level it is"),
    ("fail_each", ["per"], "a column of classes or regions whose rows are drawn"),
    ("fail_each", ["fail_if_lower", "fail_below"], "which check each class"),
    ("fail_if_lower", ["against", "compare"], "the score to compare with"),
]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a command line, as they were read."""

    file: Sequence[str] = ()
    y_true: str = "label"
    y_score: str = "score"
    pos_label: str | None = None
    lower_is_better: bool = False
    drop_missing: bool = False
    sample_weight: str | None = None
    amount: str | None = None
    query_id: str | None = None  # or that of `per`
    per: str | None = None
    n_positives: float | str | None = None
    k: int | float | None = None
    threshold_at: Sequence[Mapping[str, float]] | None = None
    prevalence: float | None = None
    table: bool = False
    identify: str | None = None
    compare: Sequence[str] = ()
    against: str | None = None
    unit_id: str | None = None
    fail_if_lower: float | None = None
    fail_below: float | None = None
    fail_p: float = 0.05
    fail_each: bool = False
    report: str | None = None
    format: str | None = None
    example: bool = False
    columns: Sequence[str] = ()  # of scores, one per class if there are several

    @property
    def gates(self) -> dict[str, float]:
        """The limit of each gate."""
        limits = {
            "--fail-below": self.fail_below,
            "--fail-if-lower": self.fail_if_lower,
        }
        return {name: limit for name, limit in limits.items() if limit is not None}

    @property
    def zero_division(self) -> float:
        """What queries without positives count as."""
        # A model cannot fail on a day or a class without positives. A query that finds
        # nothing is a failure.
        return 0.0 if self.per is None else nan


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise the error, which is printed in one line as all others are, without
        argparse's usage text.
        """
        raise ValueError(f"{message.rstrip('.')}; see --help")


class _Once(argparse.Action):
    """Store the value of an option, and refuse a second one."""

    is_stored = False

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002  # as argparse passes it
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002  # as argparse passes it
    ) -> None:
        if self.is_stored:
            both = getattr(namespace, self.dest), values
            listed = " and ".join(map(format_value, both))
            raise argparse.ArgumentError(self, f"must be given once; got {listed}")
        self.is_stored = True
        setattr(namespace, self.dest, values)


def read_options(arguments: list[str] | None) -> Options:
    """Return the options; raise ValueError if they exclude each other."""
    parser = _parser()
    # files may stand before and after options
    read = vars(parser.parse_intermixed_args(arguments))
    # An option that has its default value counts as absent: `--y-score score` is valid
    # with each kind.
    names = [
        name for name, x in read.items() if x not in (parser.get_default(name), [])
    ]
    if not {"file", "example"} & set(names):
        # `cat scores.csv | sklearn-ap` means the pipe, even without a minus; a terminal
        # waits for typing.
        if sys.stdin is None or sys.stdin.isatty():
            parser.error(
                "a file is required, or - for standard input, or --example for a first look"
            )
        read["file"] = ["-"]
    read["compare"] = read["compare"] or []
    if len({*read["compare"]}) < len(read["compare"]):
        listed = ", ".join(map(format_value, read["compare"]))
        parser.error(f"--compare must name different columns; got {listed}")
    read["columns"] = column_names(read["y_score"])
    if len(read["columns"]) == 1:
        [read["y_score"]] = read["columns"]
    read["query_id"] = read["query_id"] or read["per"]
    options = Options()
    vars(options).update(read)
    if problem := _problem(names, options):
        parser.error(problem)
    return options


def _problem(names: list[str], options: Options) -> str | None:
    """Return why options exclude each other, or lack another one."""
    if options.example and len(names) > 1:
        names.remove("example")
        option = option_name(names[0])
        if names[0] == "file":
            option = format_value(options.file[0])
        return f"{option} is not valid with --example"
    kinds = [SEVERAL_COLUMNS] * (len(options.columns) > 1) + [*map(option_name, names)]
    for kind in kinds:
        for name in names:
            if name in _REFUSED.get(kind, ()):
                return f"{option_name(name)} is not valid with {kind}"
    for name, needed, reason in _REQUIREMENTS:
        if name in names and not {*needed} & {*names}:
            listed = " or ".join(map(option_name, needed))
            return f"{option_name(name)} requires {listed}, {reason}"
    if "fail_if_lower" in names and len(options.compare) > 1:
        return (
            "--fail-if-lower takes one --compare, the score to compare with; got "
            f"{len(options.compare)}: write a command for each"
        )
    if options.query_id is not None and options.threshold_at:
        return (
            "--threshold-at is not valid with --query-id or --per, since one threshold "
            "takes all rows as one ranking"
        )
    return None


def column_names(text: str) -> list[str]:
    """Return the columns that an option names; as in CSV, quotes around a name keep its
    commas.
    """
    try:
        return next(csv.reader([text])) if "," in text else [text]
    except csv.Error as error:
        problem = f"must be names with commas between them; got {format_value(text)}"
        raise ValueError(f"columns {problem}: {error}") from None


def option_name(argument: str) -> str:
    """Return the command line option for an argument."""
    return "-k" if argument == "k" else f"--{argument.replace('_', '-')}"


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        "sklearn-ap",
        _USAGE,
        _DESCRIPTION,
        epilog=_EXIT_CODES,
        add_help=False,
        formatter_class=RawDescriptionHelpFormatter,
    )
    for title, options in _OPTIONS.items():
        group = parser.add_argument_group(title)
        if title == _FILES:
            group.add_argument("file", nargs="*", help=_FILE_HELP)
        _add_options(group, options)
    # to the last group, which is that of output
    group.add_argument("-h", "--help", action="help", help="print these lines")
    group.add_argument(
        "--version",
        action="version",
        version=f"sklearn_ap {__version__}",
        help="print the version",
    )
    # The defaults of columns are those of `distributed.score`.
    parser.set_defaults(
        y_true=Options.y_true, y_score=Options.y_score, fail_p=Options.fail_p
    )
    return parser


def _add_options(
    group: argparse._ArgumentGroup, options: Mapping[str, OptionHelp]
) -> None:
    readers = {
        "--n-positives": lambda text: float(text) if is_number(text) else text,
        "-k": lambda text: read_k(_to_number(text)),
        "--prevalence": _to_number,
        "--threshold-at": _to_condition,
        "--fail-if-lower": _to_share,
        "--fail-p": lambda text: _to_share(text, 1e-6, 0.49),
        "--fail-below": _to_share,
    }
    types = {option: _with_message(read) for option, read in readers.items()}
    exclusive = [group.add_mutually_exclusive_group() for _ in _EXCLUDE_EACH_OTHER]
    for option, (value, text) in options.items():
        add = group.add_argument
        for names, alone in zip(_EXCLUDE_EACH_OTHER, exclusive, strict=True):
            if option in names:
                add = alone.add_argument
        if value is None:
            add(option, action="store_true", help=text)
        elif isinstance(value, tuple):
            add(option, choices=value, action=_Once, help=text)
        else:
            add(
                option,
                metavar=value,
                type=types.get(option, str),
                action="append" if option in _REPEATED else _Once,
                help=text,
            )


def _with_message(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a reader of text whose errors argparse prints; it hides the text of a
    ValueError.
    """

    def read_text(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            # no option can be None
            text = str(error).replace("None, ", "")
            raise argparse.ArgumentTypeError(text) from None

    return read_text


def _to_number(text: str) -> int | float:
    """Return an integer, another number, or a percentage."""
    # Decimal, since 0.7 / 100 as floats is not 0.007.
    digits = text.removesuffix("%")
    if not is_number(digits):
        raise ValueError(f"{format_value(text)} is not a number such as 12, 0.05 or 5%")
    # 1 is one row and 1.0 is all rows, so only digits alone are an integer.
    is_integer = text.lstrip("+-").isdecimal()
    return (
        int(text)
        if is_integer
        else float(Decimal(digits) / 100 if text.endswith("%") else digits)
    )


def _to_share(text: str, low: float = 0, high: float = 1) -> float:
    share = float(_to_number(text))
    if not low <= share <= high:
        raise ValueError(
            f"must be a number from {low:g} to {high:g}; got {format_value(text)}"
        )
    return share


def _to_condition(text: str) -> dict[str, int | float]:
    """Return the name and the value of a condition; the library checks most values."""
    name, _, value = text.partition("=")
    if name not in _CONDITIONS:
        names = ", ".join(_CONDITIONS)
        raise ValueError(
            f"must be one of {names} with a value, as in recall=0.8; got {format_value(text)}"
        )
    number = _to_number(value)
    if name == "k":  # the library would refuse it without the name of the option
        read_k(number)
    return {name.replace("-", "_"): number}
