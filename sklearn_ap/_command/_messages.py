"""What standard error gets: warnings and errors, one line each, and a bar of what was read."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_MAX_LINE_LENGTH = 1000  # of a line


def print_message(kind: str, message: str) -> None:
    """Print one line on standard error, without characters that control a terminal."""
    first_line = message.split("\n", maxsplit=1)[0]
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in first_line)
    if sys.stderr is not None:
        print(f"sklearn_ap: {kind}: {line[:_MAX_LINE_LENGTH]}", file=sys.stderr)


@contextmanager
def warnings_in_lines(name: str) -> Iterator[None]:
    """Print each warning of the library once, after the name of the rows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)  # a user's -W error would end the command
        # `_rows` warns of the same with the name of the column and the labels of the file.
        warnings.filterwarnings("ignore", "y_score .* the labels", UserWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        print_message("warning", f"{name}: {text}")


@contextmanager
def progress_bar(n_bytes: int) -> Iterator[Callable[[float], object]]:
    """Yield a function that moves a bar to a number of bytes; the bar disappears at the end."""
    from tqdm import tqdm  # noqa: PLC0415  # an extra, imported where it is used

    # Most files are read within the delay. Bars follow each other, so all have the same line.
    with tqdm(total=n_bytes, unit="B", unit_scale=True, leave=False, position=0, delay=0.5) as bar:
        yield lambda n_read: bar.update(int(n_read) - bar.n)
