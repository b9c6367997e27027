"""`--report` and `Report.save` replace an existing file only if it is a page."""

import os
import re
from pathlib import Path

import pytest

from shell import LABEL, MODELS, error_of, run
from sklearn_ap import report

TEXT = "label,score\n1,2\n0,1\n"


def write_large(path):
    path.write_text(TEXT)
    # A sparse file takes no room on the disk.
    os.truncate(path, 2**40)


@pytest.mark.skipif(os.name != "posix", reason="its files are of all kinds")
@pytest.mark.parametrize("make", [write_large, Path.mkdir, os.mkfifo])
def test_an_option_replaces_only_pages(saved, tmp_path, make):
    """The check reads neither a large file nor a pipe, which may have no end."""
    path = tmp_path / "report.html"
    make(path)
    # Ignore the times, since reading a file changes one of them.
    before = path.lstat()[:7]
    message = (
        f"--report must be a new name, or the name of a page; got {str(path)!r}, which"
    )
    assert message in error_of(saved(TEXT), "--report", path)
    assert path.lstat()[:7] == before


@pytest.mark.skipif(os.name != "posix", reason="other systems limit no file")
def test_a_full_disk_leaves_the_old_page(tmp_path):
    import resource  # noqa: PLC0415

    path = tmp_path / "report.html"
    report(LABEL, MODELS["score"], name="old page").save(path)
    before = path.read_text()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=re.escape(str(path))):
            report(LABEL, MODELS["old"]).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == before
    assert [*tmp_path.iterdir()] == [path]


def test_a_title_replaces_the_name_of_the_file(saved, tmp_path):
    page = tmp_path / "page.html"
    title = "Fraud <b> in October"
    finished = run(saved(TEXT), "--report", page, "--title", title)
    assert finished.out.startswith(f"{title}: 2 rows, 1 positive")
    assert "<h1>Fraud &lt;b&gt; in October</h1>" in page.read_text()
    # Warnings name the file.
    assert "a.csv: " in finished.err
    assert "--title is not valid with --identify" in error_of(
        saved(TEXT), "--identify", "0.5", "--title", title
    )
