"""Files that no end of the process may leave behind: parts of pages, copies of rows."""

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def removed_at_sigterm() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt in a block, as Ctrl-C does, so that the block
    removes its files. Then the signal ends the process.

    A handler of Python waits for the end of each call of C, so only blocks that have
    files need it. If the caller has a handler, it is kept.
    """
    received = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal received
        # Another signal must not interrupt the removal of files.
        if not received:
            received = True
            # Libraries that sort rows end at this exception, too.
            raise KeyboardInterrupt

    # Python allows only the main thread to set a handler.
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    try:
        signal.signal(signal.SIGTERM, interrupt)
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if received:
            os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Yield a folder that is removed after the block, even if SIGTERM ends it."""
    with (
        removed_at_sigterm(),
        tempfile.TemporaryDirectory(
            prefix="sklearn_ap-", ignore_cleanup_errors=True
        ) as folder,
    ):
        yield folder
