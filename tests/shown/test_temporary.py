"""Files that SIGTERM does not leave behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_ap
from sklearn_ap._shown.temporary import removed_at_sigterm, temporary_folder

_SCRIPT = """
import signal
from pathlib import Path
from sklearn_ap._shown.temporary import temporary_folder
with temporary_folder() as folder:
    Path(folder, "rows").touch()
    try:
        with temporary_folder():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.raise_signal(signal.SIGTERM)
        print("not interrupted again", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="its signals are others")
def test_sigterm_ends_the_process_after_its_folders_are_removed(tmp_path):
    root = Path(sklearn_ap.__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(root)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.stdout == "not interrupted again\n"
    assert run.stderr == ""
    assert run.returncode == -signal.SIGTERM
    assert not list(tmp_path.iterdir())


def test_the_handler_is_that_of_the_caller_before_and_after(monkeypatch):
    default = signal.getsignal(signal.SIGTERM)
    for handler in (signal.SIG_DFL, lambda *_: None):
        signal.signal(signal.SIGTERM, handler)
        try:
            with removed_at_sigterm():
                is_kept = signal.getsignal(signal.SIGTERM) is handler
            assert is_kept == callable(handler)
            assert signal.getsignal(signal.SIGTERM) is handler
        finally:
            signal.signal(signal.SIGTERM, default)
    monkeypatch.setattr("threading.current_thread", object)
    with temporary_folder() as folder:
        assert signal.getsignal(signal.SIGTERM) is default
    assert not Path(folder).exists()
