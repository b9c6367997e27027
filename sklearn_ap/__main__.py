"""`python -m sklearn_ap`: the main job on real data, or the table for a user's own scores."""

import argparse
import io
import os
import re
import sys
import textwrap
from dataclasses import replace
from math import inf, isinf
from typing import Any, NoReturn

import numpy as np

from . import __version__, _demonstration, _files
from ._typing import BoolArray, FloatArray, IntArray
from .compatibility import CONVENTIONS, Identification, compare, identify
from .compatibility._rendering import FORMATS

DESCRIPTION = """\
Print every average precision of the scores in a file, beside scikit-learn's, and
why they differ: which choice of the definition makes which part of the difference.

Without a file, run the main job on data that ships with scikit-learn: tune two
classifiers of a rare class by AP@20 with GridSearchCV, and print the table of
their held-out scores.
"""
EXAMPLE = """\
example:
  python -m sklearn_ap scores.csv --y-true label --y-score score -k 100
  python -m sklearn_ap scores.csv --y-true label --y-score score --identify 0.7955
"""
_ROLES = ("y_true", "y_score", "sample_weight", "query_id", "item_id")
_DEFAULT_K = 10
_LONGEST_LINE = 1000  # characters of an error


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, like every other error."""
        _say("error", f"{message}; see --help")
        raise SystemExit(2)


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, and run."""
    options = _options(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a path may hold what a terminal cannot show
    try:
        if options.file is None:
            _demonstration.run()
        else:
            _print_answer(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; Python's own flush at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except (ValueError, OSError) as error:
        if options.file is None and isinstance(error, ValueError):
            raise
        text = str(error)
        _say("error", text if isinstance(error, _files.FileError) else _in_options(text))
        raise SystemExit(2) from None


def _options(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options, which have to go together."""
    parser = _parser()
    options = parser.parse_args(arguments)
    given = [name for name, value in vars(options).items() if value is not None and value is not False]
    if options.file is None and given:
        parser.error(f"{_option(given[0])} needs a file")
    if options.file is not None and None in (options.y_true, options.y_score):
        parser.error("a file needs --y-true and --y-score")
    if options.file is not None and options.y_true == options.y_score:
        parser.error("--y-true and --y-score name the same column")
    if options.identify is not None and (options.all or options.format):
        parser.error("--identify searches all conventions and prints text: leave out --all and --format")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m sklearn_ap",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="?",
        help="CSV with a header or Parquet (needs pyarrow), plain or gzipped; - for standard input",
    )
    parser.add_argument("--y-true", metavar="COLUMN", help="column of the labels: two, whole numbers or text")
    parser.add_argument("--y-score", metavar="COLUMN", help="column of the scores, higher for positive")
    parser.add_argument("--sample-weight", metavar="COLUMN", help="column of the weights")
    parser.add_argument(
        "--query-id", metavar="COLUMN", help="column of the queries; scores are means over them"
    )
    parser.add_argument(
        "--item-id", metavar="COLUMN", help="column of the items, by which trec_eval breaks ties"
    )
    parser.add_argument("--pos-label", metavar="LABEL", help="the positive label (default: 1)")
    parser.add_argument(
        "--n-positives", metavar="N", type=_count, help="positives in all, found or not, of each query"
    )
    parser.add_argument(
        "-k",
        metavar="K",
        type=_rows_or_share,
        help=f"cut: rows, or a share such as 0.05 (default: {_DEFAULT_K})",
    )
    parser.add_argument("--format", choices=FORMATS, help="of the output (default: table)")
    parser.add_argument("--all", action="store_true", help="every convention known, of all packages")
    parser.add_argument(
        "--identify", metavar="VALUE", type=_digits, help="name the conventions that print this number"
    )
    parser.add_argument("--version", action="version", version=f"sklearn_ap {__version__}")
    return parser


def _rows_or_share(text: str) -> int | float:
    """Read a cut."""
    number = _files.number_of(text)
    if isinstance(number, int) and 1 <= number < 2**53:
        return number
    if number is not None and not isinstance(number, int) and 0 < float(number) <= 1:
        return float(number)
    raise argparse.ArgumentTypeError(
        f"{_files.shown(text)} is neither a number of rows such as 100 nor a share of them such as 0.05"
    )


def _count(text: str) -> float:
    """Read a number of positives."""
    if _files.number_of(text) is None or not 0 <= float(text) < inf:
        raise argparse.ArgumentTypeError(f"{_files.shown(text)} is not a number of positives such as 120")
    return float(text)


def _digits(text: str) -> str:
    """Check that text is a number, maybe of percents; its last digit tells how exact it is."""
    digits = text.removesuffix("%")
    if _files.number_of(digits) is None or isinf(float(digits)):
        raise argparse.ArgumentTypeError(f"{_files.shown(text)} is not a number such as 0.7955 or 79.55%")
    return text


def _print_answer(options: argparse.Namespace) -> None:
    """Print the table, or what was identified."""
    names = {role: getattr(options, role) for role in _ROLES if getattr(options, role) is not None}
    columns = _files.read(options.file, names)
    y_true = _files.positives(columns["y_true"], options.pos_label)
    y_score = _files.scores(columns["y_score"])
    arguments: dict[str, Any] = {"k": options.k or _DEFAULT_K, "n_positives": options.n_positives}
    if "sample_weight" in columns:
        arguments["sample_weight"] = _files.weights(columns["sample_weight"])
    if "item_id" in columns:
        arguments["item_id"] = _files.items(columns["item_id"])
    query = _files.queries(columns["query_id"]) if "query_id" in columns else None
    if query is not None:  # an error about totals names the query: then its own id is needed
        own = options.n_positives is not None
        arguments["query_id"] = np.array(columns["query_id"].values, dtype=object) if own else query
    _warn_without_positives(options, y_true, query, arguments.get("sample_weight"))
    if options.identify is not None:
        _print_identified(options, identify(options.identify, y_true, y_score, **arguments))
        return
    rows = compare(y_true, y_score, conventions=CONVENTIONS if options.all else None, **arguments).rows
    if options.format in (None, "table"):
        print(f"{_files.shown(options.file)}: {y_true.size} rows, {y_true.sum()} positive")
        if query is not None:
            print(f"{query.max() + 1} queries; scikit-learn's AP takes all rows for one ranking")
        print()
    print(FORMATS[options.format or "table"]([replace(row, note=_in_options(row.note)) for row in rows]))


def _warn_without_positives(
    options: argparse.Namespace, y_true: BoolArray, query: IntArray | None, weight: FloatArray | None
) -> None:
    """Say on standard error which rankings hold no positive, since their scores are mere definitions."""
    counted = y_true if weight is None else y_true & (weight > 0)
    if not counted.any():
        label = _files.shown("1" if options.pos_label is None else options.pos_label)
        problem = f"no row is positive, which {label} would be; every score is a mere definition"
    elif query is not None and options.n_positives is None and not np.bincount(query, counted).all():
        without = np.count_nonzero(np.bincount(query, counted) == 0)
        problem = f"{without} of {query.max() + 1} queries have no positive, and count as 0"
    else:
        return
    _say("warning", f"{_files.shown(options.file)}: column {_files.shown(options.y_true)}: {problem}")


def _print_identified(options: argparse.Namespace, found: Identification) -> None:
    """Print the cut, the conventions, and in words why others have no number."""
    unit = "rows" if isinstance(options.k or _DEFAULT_K, int) else "of the rows"
    print(f"Cut at k = {options.k or _DEFAULT_K} {unit}{'' if options.k else ', the default of -k'}.")
    print(_in_options(str(replace(found, without_number=()))))
    names_of: dict[str, list[str]] = {}
    for name, reason in found.without_number:
        names_of.setdefault(_in_options(reason.replace(repr(name), "it")), []).append(name)
    for reason, names in names_of.items():
        print(textwrap.fill(f"Without a number: {'; '.join(names)}. {reason}", 80, subsequent_indent="  "))


def _in_options(text: str) -> str:
    """Return a message of the library with the options of the command line in place of its arguments."""
    arguments = (*_ROLES, "n_positives", "pos_label")
    return re.sub(rf"(?<!over )\b({'|'.join(arguments)})\b", lambda match: _option(match[0]), text)


def _option(argument: str) -> str:
    return "-k" if argument == "k" else f"--{argument.replace('_', '-')}"


def _say(kind: str, message: str) -> None:
    """Print one line on standard error, in which nothing is left that a terminal would obey."""
    first, *_ = message.split("\n")
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in first)
    if sys.stderr is not None:
        print(f"sklearn_ap: {kind}: {line[:_LONGEST_LINE]}", file=sys.stderr)


if __name__ == "__main__":
    main()
