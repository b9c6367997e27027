"""The options of `sklearn-ap`: how they are read, and which do not go together."""

import argparse
import difflib
import sys
from decimal import Decimal
from functools import partial
from math import inf, isinf
from typing import NoReturn

from .. import __version__
from .._registry import K
from ..compatibility._comparison import FORMATS
from ..distributed._numerals import number_of
from ..distributed._source import read_memory_limit, shown
from ._words import option_of, say

DESCRIPTION = """\
Say how good the scores in files are: average precision with its interval and the level
of chance, and what the first k rows hold. --compare takes a second model. --table prints
every other average precision beside scikit-learn's, and --why tells why they differ.

Without a file, run the main job on data that ships with scikit-learn: tune a classifier
of a rare class by AP@20 with GridSearchCV, and explain the numbers of its held-out scores.
"""
EXAMPLE = """\
examples:
  sklearn-ap scores.csv --y-true label --y-score score -k 100
  sklearn-ap scores.csv --y-true label --y-score score --compare other_score
  sklearn-ap scores.csv --y-true label --y-score score --identify 0.7955
  sklearn-ap 'day=*/*.parquet' --y-true label --y-score score --memory-limit 2GB
  sklearn-ap --trec qrels.txt run_a.txt run_b.txt
"""
# What the first answer tells beside the average precision, and what is printed instead of it.
_OF_FIRST = ("y_score_b", "unit_id", "prevalence", "threshold_at")
_OF_TREC = ("trec", "level", "k", "by_query", "format", "output")
_INSTEAD = ("shows_table", "by_query", "identify")


class _Once(argparse.Action):
    """Keep the argument of an option; a second one is an error, where argparse lets the last one win."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep the argument."""
        first = getattr(namespace, self.dest)
        if self.dest == "y_score" and first is not None and namespace.y_score_b is None:
            namespace.y_score_b = values  # two models
            return
        if self.dest == "y_score" and first is not None:
            others = f"{shown(first)} and {shown(namespace.y_score_b)}"
            parser.error(f"two models are compared, {others}: leave out {option_string} {shown(values)}")
        if first is not None:
            both = f"{shown(first)} and {shown(values)}"
            parser.error(f"{option_string} is given twice, as {both}: leave out one")
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Print the error in one line, like all other errors, instead of argparse's usage text."""
        unknown = message.removeprefix("unrecognized arguments: ").split(" ")[0]
        near = difflib.get_close_matches(unknown, self._option_string_actions, 1)
        meant = f"; did you mean {near[0]}?" if near and unknown not in self._option_string_actions else ";"
        say("error", f"{message}{meant} see --help")
        raise SystemExit(2)


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options, or stop with an error if they do not go together."""
    parser = _parser()
    typed = sys.argv[1:] if arguments is None else arguments
    end = typed.index("--") if "--" in typed else len(typed)
    options = parser.parse_intermixed_args(typed[:end])  # files may stand before and after options
    options.file += typed[end + 1 :]  # argparse itself forgets that these are no options
    # Every default is None, False or, of the files, an empty list. `if value` would miss --n-positives 0.
    given = [name for name, value in vars(options).items() if value not in (None, []) and value is not False]
    if options.identify is None and len(options.k or []) > 1:
        parser.error(f"-k takes several cuts with --identify only; got {', '.join(map(str, options.k))}")
    if options.trec is not None or options.level is not None:
        _check_trec(parser, options, given)
        return options
    if not options.file and given:
        parser.error(f"{option_of(given[0])} needs a file")
    if options.y_true is not None and options.y_true == options.y_score:
        parser.error("--y-true and --y-score name the same column")
    if options.y_score_b is not None and options.y_score == options.y_score_b:
        parser.error(f"--y-score and --compare name the same column, {shown(options.y_score)}")
    options.shows_table = options.table or options.all or options.why or options.format is not None
    options.shows_table |= options.item_id is not None  # ties of the table's conventions
    if options.by_query:
        options.shows_table = False
    _check_answer(parser, options)
    if options.totals is not None:
        _check_totals(parser, options)
    _check_table(parser, options)
    return options


def _check_table(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options of a table and of `--identify` that do not go together."""
    if options.identify is not None and (options.all or options.format):
        parser.error("--identify searches all conventions and prints text: leave out --all and --format")
    if options.identify is not None and options.zero_division is not None:
        parser.error(
            "--identify searches every answer to queries without positives: leave out --zero-division"
        )
    if options.why and (options.identify is not None or options.format not in (None, "table")):
        other = "--identify" if options.identify is not None else f"--format {options.format}"
        parser.error(f"--why adds reasons to the table, and {other} tells them anyway: leave out --why")


def _check_trec(parser: argparse.ArgumentParser, options: argparse.Namespace, given: list[str]) -> None:
    """Refuse what runs do not take."""
    if options.trec is None:
        parser.error(f"--level {options.level} needs --trec, whose judgements have levels")
    if len(options.trec) not in (2, 3):
        parser.error(
            f"--trec takes judgements and one or two runs; got {', '.join(map(shown, options.trec))}"
        )
    others = [name for name in given if name not in _OF_TREC]
    if others:
        other = shown(options.file[0]) if others[0] == "file" else option_of(others[0])
        parser.error(f"--trec goes with {', '.join(map(option_of, _OF_TREC[1:]))}: leave out {other}")


def _check_answer(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options of the first answer beside what is printed instead of it."""
    first = next((name for name in _OF_FIRST if getattr(options, name)), None)
    instead = next((name for name in _INSTEAD if getattr(options, name)), None)
    if first is not None and instead is not None:
        other = "a table" if instead == "shows_table" else option_of(instead)
        parser.error(
            f"{option_of(first)} is for the first answer, and {other} takes its place: leave out one"
        )
    if options.by_query and options.query_id is None:
        parser.error("--by-query needs --query-id, the column of the queries")
    pooled = [name for one in options.threshold_at or [] for name in one if name != "k"]
    if pooled and options.query_id is not None:
        parser.error(f"--threshold-at {pooled[0]} takes all rows as one ranking: leave out --query-id")
    if options.unit_id is not None and options.query_id is not None:
        parser.error("queries are drawn as a whole: leave out --unit-id or --query-id")


def _check_totals(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse totals without queries, and let `n_positives` be the column of the totals in their file."""
    if options.query_id is None:
        parser.error("--totals has a row per query, so it needs --query-id")
    if options.n_positives is None:
        options.n_positives = "n_positives"
    if not isinstance(options.n_positives, str):
        number = f"{options.n_positives:g}"
        parser.error(f"--n-positives names the column of the totals beside --totals; got {number}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sklearn-ap",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="*",
        help="text with a header, its columns apart by comma, semicolon or tab, or Parquet (needs pyarrow), "
        "plain or gzipped; several files, a directory or a quoted pattern such as 'day=*/*.parquet' are one "
        "data set, in which directories named day=3 are a column; - for standard input",
    )
    add = partial(parser.add_argument, action=_Once)
    add("--y-true", metavar="COLUMN", help="column of the labels: two, whole numbers or text")
    add("--y-score", metavar="COLUMN", help="column of the scores, higher for positive")
    add("--sample-weight", metavar="COLUMN", help="column of the weights")
    add("--query-id", metavar="COLUMN", help="column of the queries; scores are means over them")
    add("--item-id", metavar="COLUMN", help="column of the items; trec_eval orders ties by them")
    add(
        "--trec",
        nargs="+",
        metavar="FILE",
        help="judgements (qrels) and one or two runs, scored as trec_eval does; two are compared by query",
    )
    add("--level", metavar="N", type=int, help="of a relevant judgement or a higher one (default: 1)")
    add(
        "--compare",
        dest="y_score_b",
        metavar="COLUMN",
        help="column of a second model's scores; a second --y-score is the same",
    )
    add(
        "--unit-id",
        metavar="COLUMN",
        help="column of what was drawn together, such as customers: intervals are of them",
    )
    _add_choices(parser)
    return parser


def _add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options that are not columns alone."""
    add = partial(parser.add_argument, action=_Once)
    add(
        "--pos-label",
        metavar="LABEL",
        help="the positive label (default: 1, or true or yes beside its contrary)",
    )
    add(
        "--n-positives",
        metavar="N",
        type=_count_or_column,
        help="positives in all, found or not, of each query (with weights, their weight); or the column that "
        "tells it in each of its rows",
    )
    add(
        "--totals",
        metavar="FILE",
        help="file with a row per query, also for queries without scores: the id in the column of --query-id "
        "and its positives in all in the column of --n-positives (default: n_positives)",
    )
    add(
        "-k",
        metavar="K",
        type=_read_cuts,
        help=f"cut: rows, or a share such as 0.05 or 5%% (default: {K}); with --identify several, as 10,20",
    )
    add(
        "--prevalence",
        metavar="SHARE",
        type=_read_share,
        help="share of positives that the answer is about, if the rows have another one",
    )
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options of what is printed, and where."""
    add = partial(parser.add_argument, action=_Once)
    parser.add_argument(
        "--threshold-at",
        metavar="NAME=VALUE",
        action="append",
        type=_read_condition,
        help="a threshold of recall=0.8, precision=0.9 or k=500; several times for several",
    )
    parser.add_argument("--by-query", action="store_true", help="the scores of each query")
    add(
        "--zero-division",
        choices=("0", "1", "nan"),
        help="what a query without positives counts as in our means (default: 0); nan leaves it out",
    )
    parser.add_argument("--table", action="store_true", help="every average precision beside scikit-learn's")
    add("--format", choices=FORMATS, help="of a table (default: table)")
    add("--output", metavar="FILE", help="where the output goes instead of the terminal")
    parser.add_argument("--all", action="store_true", help="every convention known, of all packages")
    add("--identify", metavar="VALUE", type=_read_numeral, help="name the conventions that print this number")
    parser.add_argument("--why", action="store_true", help="which choice makes which part of a difference")
    add(
        "--memory-limit",
        metavar="SIZE",
        type=_size,
        help="what all rows may take, such as 500MB, 4GB or 2GiB (default: a quarter of the available "
        "memory); beyond it, only our own numbers are printed, from scans of the files",
    )
    parser.add_argument("--version", action="version", version=f"sklearn_ap {__version__}")


def _read_share(text: str) -> float:
    """Read the argument of `--prevalence`: a share above 0 and below 1, or a percentage."""
    number = number_of(text.removesuffix("%"))
    value = None if number is None else float(number) / (100 if text.endswith("%") else 1)
    if value is None or not 0 < value < 1:
        raise argparse.ArgumentTypeError(
            f"{shown(text)} is not a share above 0 and below 1, such as 0.02 or 2%"
        )
    return value


def _read_condition(text: str) -> dict[str, float]:
    """Read the argument of `--threshold-at`; the library checks the level."""
    name, value = (*text.split("=", 1), "")[:2]
    if name == "k":
        return {name: _rows_or_share(value)}
    number = number_of(value.removesuffix("%"))
    if name not in ("recall", "precision") or number is None:
        raise argparse.ArgumentTypeError(
            f"{shown(text)} is not a condition such as recall=0.8, precision=0.9 or k=500"
        )
    return {name: float(number) / (100 if value.endswith("%") else 1)}


def _read_cuts(text: str) -> list[int | float]:
    """Read the argument of `-k`: one cut, or several with commas between them."""
    return [_rows_or_share(one) for one in text.split(",")]


def _rows_or_share(text: str) -> int | float:
    """Read one cut: a number of rows, or a share of them."""
    percent = text.endswith("%")
    number = number_of(text.removesuffix("%"))
    if number is not None and percent:
        number = Decimal(number).scaleb(-2)
    if isinstance(number, int) and 1 <= number < 2**53:  # larger ones are not exact as float64
        return number
    if number is not None and not isinstance(number, int) and 0 < float(number) <= 1:
        return float(number)
    raise argparse.ArgumentTypeError(
        f"{shown(text)} is neither a number of rows such as 100 nor a share of them such as 0.05 or 5%"
    )


def _count_or_column(text: str) -> float | str:
    """Read the argument of `--n-positives`: a finite number of at least 0, or the name of a column."""
    if text and number_of(text) is None:
        return text
    if not text or not 0 <= float(text) < inf:
        raise argparse.ArgumentTypeError(
            f"{shown(text)} is not a number of positives such as 120, nor the name of a column"
        )
    return float(text)


def _size(text: str) -> int:
    """Read the argument of `--memory-limit`: a number of bytes, with a unit or without."""
    try:
        if text.strip().lower() != "auto":
            return read_memory_limit(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(
        f"{shown(text)} is not an amount of memory such as 500MB, 4GB, 2GiB or 1000000 bytes"
    )


def _read_numeral(text: str) -> str:
    """Check that text is a number or a percentage. It stays text: its last digit shows how exact it is."""
    digits = text.removesuffix("%")
    if number_of(digits) is None or isinf(float(digits)):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number such as 0.7955 or 79.55%")
    return text
