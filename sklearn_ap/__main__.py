"""`python -m sklearn_ap`: the main job on real data."""

import argparse
import os
import sys

from . import __version__
from ._demonstration import run


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, and run."""
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_ap",
        description="Tune two classifiers of a rare class by AP@20 with GridSearchCV, on data that ships "
        "with scikit-learn, and print every average precision of their held-out scores beside its own.",
    )
    parser.add_argument("--version", action="version", version=f"sklearn_ap {__version__}")
    parser.parse_args(arguments)
    try:
        run()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; Python's own flush at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
