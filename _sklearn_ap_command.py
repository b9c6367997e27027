"""What the script `sklearn-ap` runs first.

It stands beside the package, since a module inside it is imported after scikit-learn:
an interrupt in that second would be a traceback.
"""

import sys


def main(arguments: list[str] | None = None) -> None:
    """Import the command, and run it."""
    try:
        from sklearn_ap.__main__ import main as run
    except KeyboardInterrupt:
        print("sklearn_ap: error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None  # as shells report it
    run(arguments)
