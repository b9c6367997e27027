"""The options of `sklearn-ap`: how they are read, and which of them exclude each
other.
"""

import argparse
import csv
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping
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
        "--table": (None, "other average precisions next to scikit-learn's"),
        "--identify": ("VALUE", "list the conventions that compute this number"),
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
_COLUMN_OPTIONS = {
    "file",
    "y_true",
    "y_score",
    "sample_weight",
    "k",
    "lower_is_better",
    "drop_missing",
}
_QUERY_OPTIONS = {"query_id", "per", "n_positives", "pos_label"}
_ROW_OPTIONS = _COLUMN_OPTIONS | _QUERY_OPTIONS
_CLASS_OPTIONS = {
    "compare",
    "unit_id",
    "prevalence",
    "format",
    "amount",
    "fail_if_lower",
    "fail_below",
    "fail_p",
}
_ANSWER_OPTIONS = _CLASS_OPTIONS | {"threshold_at", "fail_each"}
# The kinds of answers, by the options that select them.
_KINDS = {
    "example": "--example",
    "identify": "--identify",
    "report": "--report",
    "table": "a table",
}
# The options that each kind of answer accepts, by its name in errors.
_OPTIONS_BY_KIND = {
    "--example": {"example"},
    "--identify": _ROW_OPTIONS | {"identify", "format"},
    "--report": _ROW_OPTIONS | _ANSWER_OPTIONS | {"report"},
    SEVERAL_COLUMNS: _COLUMN_OPTIONS | _CLASS_OPTIONS | {"report"},
    "a table": _ROW_OPTIONS | {"table", "format"},
    "rows": _ROW_OPTIONS | _ANSWER_OPTIONS | {"against"},
}


# What goes on from the answer about one ranking, and about several.
NEXT = (
    "Next: -k (a budget), --threshold-at, --compare, --table, --report (a page).",
    "Next: -k (a budget), --compare (a second model), --report (a page).",
)
_REPEATED = {"--threshold-at", "--compare"}  # options that may be repeated
# Each option requires one of the options beside it; the error names these in words.
_REQUIREMENTS = [
    (
        "fail_p",
        {"fail_if_lower", "fail_below"},
        "--fail-if-lower or --fail-below, whose level it is",
    ),
    (
        "fail_each",
        {"per"},
        "--per, a column of classes or regions whose rows are drawn",
    ),
    (
        "fail_each",
        {"fail_if_lower", "fail_below"},
        "--fail-if-lower or --fail-below, which check each class",
    ),
    (
        "fail_if_lower",
        {"against", "compare"},
        "--against or --compare, the score to compare with",
    ),
]


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


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options and the kind of the answer; raise ValueError if options
    exclude each other.
    """
    parser = _parser()
    # files may stand before and after options
    options = parser.parse_intermixed_args(arguments)
    # An option that has its default value counts as absent: `--y-score score` is valid
    # with each kind.
    names = [
        name
        for name, value in vars(options).items()
        if value not in (parser.get_default(name), [])
    ]
    if not {"file", "example"} & set(names):
        # `cat scores.csv | sklearn-ap` means the pipe, even without a minus; a terminal
        # waits for typing.
        if sys.stdin is None or sys.stdin.isatty():
            parser.error(
                "a file is required, or - for standard input, or --example for a first look"
            )
        options.file = ["-"]
    options.demands = {
        option_name(name): getattr(options, name)
        for name in ("fail_below", "fail_if_lower")
        if name in names
    }
    # A model cannot fail on a day or a class without positives. A query that finds
    # nothing is a failure.
    options.zero_division = 0.0 if options.per is None else nan
    if options.query_id is None:
        options.query_id = options.per
    # The first of these names decides, and refuses the others as options.
    kinds = (kind for name, kind in _KINDS.items() if name in names)
    options.kind = next(kinds, "rows")
    compared = options.compare or []
    # the column of each model by its name
    options.compare = dict(zip(compared, compared, strict=True))
    if len(options.compare) < len(compared):
        listed = ", ".join(map(format_value, compared))
        parser.error(f"--compare must name different columns; got {listed}")
    columns = column_names(options.y_score)
    if len(columns) > 1:
        options.kind = SEVERAL_COLUMNS
    else:
        [options.y_score] = columns
    for problem in _problems(names, options):
        parser.error(problem)
    return options


def _problems(names: list[str], options: argparse.Namespace) -> Iterator[str]:
    """Yield why options exclude each other, or lack another one."""
    kind = options.kind
    valid = _OPTIONS_BY_KIND[options.kind]
    for name in names:
        if name not in valid:
            is_file = name == "file"
            option = format_value(options.file[0]) if is_file else option_name(name)
            yield f"{option} is not valid with {kind}"
    for name, needed, words in _REQUIREMENTS:
        if name in names and needed.isdisjoint(names):
            yield f"{option_name(name)} requires {words}"
    n_compared = len(options.compare)
    if "fail_if_lower" in names and n_compared > 1:
        yield f"--fail-if-lower takes one --compare, the score to compare with; got {n_compared}"
    if options.query_id is not None and options.threshold_at:
        yield (
            "--threshold-at is not valid with --query-id or --per, since one threshold "
            "takes all rows as one ranking"
        )


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
    parser.set_defaults(y_true="label", y_score="score", fail_p=0.05)
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
    queries = group.add_mutually_exclusive_group()
    for option, (value, text) in options.items():
        add = (queries if option in ("--query-id", "--per") else group).add_argument
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
