"""Ctrl-C ends the command by the signal, without a word."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "sklearn_ap"]


def started(command):
    """Start a command in a group of processes, to which a terminal sends Ctrl-C."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )


# Windows has no pipes with names, and another kind of Ctrl-C.
if os.name == "posix":

    @pytest.mark.parametrize(
        ("trap", "code", "last"), [("", -signal.SIGINT, ""), ("trap '' INT", 0, "end")]
    )
    def test_a_script_ends_too_unless_it_ignores_the_signal(tmp_path, trap, code, last):
        path = tmp_path / "a.csv"
        os.mkfifo(path)
        loop = f"{trap}\nfor i in 1; do {' '.join(COMMAND)} {path}; done; echo end"
        with started(["bash", "-c", loop]) as process:
            # A pipe opens if the command opens it, too.
            with contextlib.suppress(BrokenPipeError), path.open("w") as pipe:
                os.killpg(process.pid, signal.SIGINT)
                pipe.write("label,score\n1,x\n")
            out, err = process.communicate(timeout=60)
        assert process.returncode == code
        assert out.strip().rpartition("\n")[2] == last
        assert ("must be a number" in err) == bool(trap)
        assert err.count("\n") == bool(trap)

    def test_an_import_ends_too(path):
        with started(
            [sys.executable, "-X", "importtime", *COMMAND[1:], path]
        ) as process:
            # The interpreter prints the name of each module that it has imported.
            next(line for line in process.stderr if "sklearn.utils" in line)
            os.killpg(process.pid, signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert process.returncode == -signal.SIGINT
        assert all(line.startswith("import time: ") for line in err.splitlines())
