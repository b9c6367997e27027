"""The exit code is that of the table in docs/command.md, whoever reads the output or the
errors. What cannot be written is lost, and the verdict is not.
"""

import contextlib
import io
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from brief import IS_BRIEF
from report_rows import ROWS
from shell import run
from sklearn_ap._command.options import EXIT_CODES
from sklearn_ap._command.run import main

# Command lines, and their exit codes. The file `few.csv` has warnings, too.
LINES = {
    "--help": 0,
    "rows.csv --fail-below 0": 0,
    "nowhere.csv": 2,
    "rows.csv --fail-below 1": 3,
    "rows.csv --fail-below 1 --conventions --format json": 3,
    "few.csv --fail-below 0.5": 4,
}
FULL = "/dev/full"
LOST = "sklearn-ap: warning: standard output: "


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """The lines run in the folder of their files."""
    folder = tmp_path_factory.mktemp("streams")
    ROWS.to_csv(folder / "rows.csv", index=False)
    (folder / "few.csv").write_text("label,score\n1,3\n0,2\n0,1\n")
    with contextlib.chdir(folder):
        yield


def test_the_lines_have_all_exit_codes_of_the_page():
    page = (Path(__file__).parents[2] / "docs" / "command.md").read_text()
    codes = {int(text.split()[0]) for text in EXIT_CODES}
    assert codes == {*LINES.values()}
    assert all(f"| {code} |" in page for code in codes)


def ended_pipe():
    """Return a stream whose reader has ended."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


# What becomes of a stream. A shell has closed the stream None.
STREAMS = {"read": io.StringIO, "ended": ended_pipe, "closed": lambda: None}
# Other systems than Linux have no such file.
if os.path.exists(FULL):
    STREAMS["full"] = partial(open, FULL, "w")


@pytest.mark.parametrize("of_err", STREAMS)
@pytest.mark.parametrize("of_out", STREAMS)
@pytest.mark.parametrize("line", LINES)
def test_an_exit_code_does_not_depend_on_who_reads(line, of_out, of_err):
    out, err = STREAMS[of_out](), STREAMS[of_err]()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(line.split())
        except SystemExit as end:
            code = end.code
    assert code == LINES[line]
    if of_out == "read":
        assert bool(out.getvalue()) == (code != 2)
    if of_err == "read":
        assert (LOST in err.getvalue()) == (of_out == "full" and code != 2)
    # Something that remains to be written raises an error here, and in Python's end.
    for stream in filter(None, [out, err]):
        stream.close()


def test_a_reader_of_the_page_changes_no_code(monkeypatch):
    """A page may be a pipe with a name."""

    def save(*_):
        raise BrokenPipeError

    monkeypatch.setattr("sklearn_ap._report.report.Report.save", save)
    line = "rows.csv --fail-below 1 --report a.html"
    code, out, err = run(*line.split())
    assert (code, "Fails" in out, err) == (3, True, "")


# The end of a command line in a shell that fails if any program fails; its code, if the
# line has no other one; and its errors.
SHELLS = [
    ("--help | true", 0, ""),
    ("--help >&- 2>&-", 0, ""),
    ("nowhere.csv 2>&1 | true", 2, ""),
    ("nowhere.csv 2>&-", 2, ""),
    ("rows.csv --fail-below 1 | true", 3, ""),
]
# These score rows, which takes two seconds each.
SCORED = [
    ("rows.csv --fail-below 1 --conventions --format json 2>&1 | head -c 9", 3, "")
]
if os.path.exists(FULL):
    NO_SPACE = f"{LOST}{os.strerror(28)}\n"
    SHELLS += [
        (f"--version > {FULL}", 0, NO_SPACE),
        (f"nowhere.csv 2> {FULL}", 2, ""),
    ]
    SCORED += [
        (f"few.csv --fail-below 0.5 2> {FULL} > {FULL}", 4, ""),
        (f"rows.csv --fail-below 1 > {FULL}", 3, NO_SPACE),
    ]

# Windows has another shell.
if os.name == "posix":

    @pytest.mark.parametrize(
        ("line", "code", "err"), SHELLS if IS_BRIEF else SHELLS + SCORED
    )
    def test_a_shell_has_the_code_and_no_other_message(line, code, err):
        # Without buffers, Python would have nothing to write at its end.
        environment = {**os.environ, "PYTHONUNBUFFERED": ""}
        result = subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m sklearn_ap {line}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.returncode, result.stderr) == (code, err)
