"""One line on a terminal that tells how much is done; nothing where nobody watches."""

import sys
from types import TracebackType
from typing import TextIO


class Progress:
    """A line on standard error, if that is a terminal. It is written over, and erased at the end."""

    def __init__(self, doing: str) -> None:
        self._doing, self._width = doing, 0
        self._stream: TextIO | None = None
        if sys.stderr is not None and sys.stderr.isatty():
            self._stream = sys.stderr

    def __enter__(self) -> "Progress":
        return self

    def __call__(self, done: int, of_all: int | None) -> None:
        """Tell how many parts are done, and how many there are, if that is known."""
        self._write(f"{self._doing}: {done}{'' if of_all is None else f' of {of_all}'} parts")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Erase the line, also before an error is told."""
        if self._width:
            self._write("")
            self._write("")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(f"\r{text:<{self._width}}")
            self._stream.flush()
            self._width = len(text)
