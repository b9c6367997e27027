"""SIGTERM ends the command at once, but not while files must be removed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sklearn_ap
from brief import not_in_brief
from shell import run
from sklearn_ap._rows import local

ROOT = Path(sklearn_ap.__file__).parents[1]


@not_in_brief
@pytest.mark.skipif(sys.platform == "win32", reason="its signals are others")
def test_no_copy_of_standard_input_is_left(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "sklearn_ap", "-"],
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not list(tmp_path.glob("*/stream-0")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    # The pipe stays open, so the command waits for more rows.
    assert process.wait(timeout=60) == -signal.SIGTERM
    assert process.stderr.read() == b""
    process.communicate()
    assert not list(tmp_path.iterdir())


def test_only_a_page_that_is_written_waits_for_python(path, tmp_path, monkeypatch):
    """A handler of Python runs after the calls of C that read rows. The page is not
    changed, and its part is removed, if an interrupt comes before the new page is whole.
    """
    page, read_text, handlers = tmp_path / "page.html", local.read_text, []
    page.touch()

    def read(*arguments):
        handlers.append(signal.getsignal(signal.SIGTERM))
        return read_text(*arguments)

    def replace(*_):
        handlers.append(signal.getsignal(signal.SIGTERM))
        raise KeyboardInterrupt

    monkeypatch.setattr(local, "read_text", read)
    monkeypatch.setattr(Path, "replace", replace)
    assert run(path, "--report", page).code == 128 + signal.SIGINT
    *of_rows, of_page = handlers
    assert {*of_rows} == {signal.SIG_DFL}
    assert callable(of_page)
    assert list(tmp_path.iterdir()) == [page]
    assert page.read_text() == ""
