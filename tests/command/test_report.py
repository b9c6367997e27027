"""The page of a report: its numbers are the library's own, and it works alone, for
everyone, in calls of several subpackages; `tests/report/test_report.py` has the others.
"""

import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from shell import error_of
from sklearn_ap import report
from sklearn_ap.__main__ import main
from tests.report.test_report import FIRST, OTHER_FILES, Y


def test_a_report_is_not_what_is_printed(tmp_path, capsys):
    """`--report x.html > x.html` would print over the page."""
    path = tmp_path / "x.html"
    (tmp_path / "a.csv").write_text("label,score\n1,2\n0,1\n")
    arguments = [str(tmp_path / "a.csv"), "--report", str(path)]
    with path.open("w") as out, redirect_stdout(out), pytest.raises(SystemExit):
        main(arguments)
    message = f"--report must not be standard output; got {str(path)!r}\n"
    assert capsys.readouterr().err.endswith(message)
    assert not path.read_text()


@pytest.mark.parametrize("name", OTHER_FILES)
def test_a_report_replaces_nothing_but_pages(tmp_path, name):
    """It does not read a large file, nor a pipe, which may have no end."""
    scores, path, (make, problem) = (
        tmp_path / "rows.csv",
        tmp_path / name,
        OTHER_FILES[name],
    )
    scores.write_text("label,score\n1,2\n0,1\n")
    make(path)
    if make is Path.touch:
        path.write_text(scores.read_text())
    before = path.lstat()[:7]  # without times: a look changes one of them
    message = f" must be a new name, or that of a page; got {str(path)!r}, {problem}"
    with pytest.raises(ValueError, match=f"^path{re.escape(message)}"):
        report(Y, FIRST).save(path)
    assert error_of(scores, "--report", path) == f"--report{message}."
    assert path.lstat()[:7] == before
