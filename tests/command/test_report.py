"""Where `--report` and `Report.save` write a page: over nothing but pages."""

import os
import re
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import pytest

from shell import LABEL, MODELS, error_of
from sklearn_ap import report
from sklearn_ap.__main__ import main

ROWS = "label,score\n1,2\n0,1\n"


def test_a_report_is_not_what_is_printed(saved, tmp_path, capsys):
    """`--report x.html > x.html` would print over the page."""
    path = tmp_path / "x.html"
    arguments = [str(saved(ROWS)), "--report", str(path)]
    with path.open("w") as out, redirect_stdout(out), pytest.raises(SystemExit):
        main(arguments)
    message = f"--report must not be standard output; got {str(path)!r}\n"
    assert capsys.readouterr().err.endswith(message)
    assert not path.read_text()


def write_large(path):
    path.write_text(ROWS)
    os.truncate(path, 2**40)  # a hole, which fills no disk


write_rows = partial(Path.write_text, data=ROWS)
OTHER_FILES = {
    "scores.csv": (write_rows, "a file that is not a page"),
    "scores.html": (write_rows, "a file that is not a page"),
    "folder.html": (Path.mkdir, "which is not a regular file"),
}
if os.name == "posix":  # where files may be of any kind
    OTHER_FILES |= {
        "large.html": (write_large, "a file that is not a page"),
        "pipe.html": (os.mkfifo, "which is not a regular file"),
        "full.html": (partial(os.symlink, "/dev/full"), "which is not a regular file"),
    }


@pytest.mark.parametrize("name", OTHER_FILES)
def test_a_report_replaces_nothing_but_pages(saved, tmp_path, name):
    """It does not read a large file, nor a pipe, which may have no end."""
    path, (make, problem) = tmp_path / name, OTHER_FILES[name]
    make(path)
    before = path.lstat()[:7]  # without times: a look changes one of them
    message = f" must be a new name, or that of a page; got {str(path)!r}, {problem}"
    with pytest.raises(ValueError, match=f"^path{re.escape(message)}"):
        report(LABEL, MODELS["score"]).save(path)
    assert error_of(saved(ROWS), "--report", path) == f"--report{message}."
    assert path.lstat()[:7] == before
