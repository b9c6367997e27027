"""`python -m sklearn_ap`: the main job on real data, or the table for a user's own scores."""

import argparse
import os
import sys
from typing import Any

from . import __version__, _demonstration, _file
from .compatibility import CONVENTIONS, compare, identify
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


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, and run."""
    parser = _parser()
    options = parser.parse_args(arguments)
    columns = (options.y_true, options.y_score)
    if options.file is not None and None in columns:
        parser.error("a file needs --y-true and --y-score")
    if options.file is None and any(column is not None for column in columns):
        parser.error("columns need a file")
    try:
        if options.file is None:
            _demonstration.run()
        else:
            _print_answer(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; Python's own flush at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError) as error:
        if options.file is None and isinstance(error, ValueError):
            raise
        print(f"sklearn_ap: error: {str(error).splitlines()[0]}", file=sys.stderr)
        raise SystemExit(2) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_ap",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="?",
        help="CSV with a header (.gz too), Parquet (needs pyarrow), or - for standard input",
    )
    parser.add_argument("--y-true", metavar="COLUMN", help="column of the labels")
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
        "--n-positives", metavar="N", type=float, help="positives in all, found or not, of each query"
    )
    parser.add_argument(
        "-k",
        metavar="K",
        type=rows_or_share,
        default=10,
        help="cut: rows, or a share such as 0.05 (default: 10)",
    )
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the output (default: table)")
    parser.add_argument("--all", action="store_true", help="every convention in use, of all packages known")
    parser.add_argument("--identify", metavar="VALUE", help="name the conventions that print this number")
    parser.add_argument("--version", action="version", version=f"sklearn_ap {__version__}")
    return parser


def rows_or_share(text: str) -> int | float:
    """Read a cut; argparse shows the function's name where that fails."""
    return float(text) if "." in text else int(text)


def _print_answer(options: argparse.Namespace) -> None:
    path, query = options.file, options.query_id
    others = {"sample_weight": options.sample_weight, "query_id": query, "item_id": options.item_id}
    names = [name for name in (options.y_true, options.y_score, *others.values()) if name is not None]
    columns = dict(zip(names, _file.read_columns(path, names), strict=True))
    y_true, pos_label = _file.labels(path, options.y_true, columns[options.y_true], options.pos_label)
    y_score = _file.numbers(path, options.y_score, columns[options.y_score])
    arguments: dict[str, Any] = {"pos_label": pos_label, "n_positives": options.n_positives}
    for argument, name in others.items():
        if name is not None:
            read = _file.numbers if argument == "sample_weight" else _file.ids
            arguments[argument] = read(path, name, columns[name])
    if options.identify is not None:
        print(identify(options.identify, y_true, y_score, k=options.k, **arguments))
        return
    conventions = CONVENTIONS if options.all else None
    comparison = compare(y_true, y_score, k=options.k, conventions=conventions, **arguments)
    if options.format == "table":
        print(f"{path}: {y_score.size} rows, {(y_true == pos_label).sum()} positive")
        if query is not None:
            print(f"{len(set(columns[query]))} queries; scikit-learn's AP takes all rows for one ranking")
        print()
    print(FORMATS[options.format](comparison.rows))


if __name__ == "__main__":
    main()
