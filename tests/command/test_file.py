"""Files of a command line: several are one data set, and a stream is read once."""

import gzip
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stdout

from brief import not_in_brief
from shell import ROWS, error_of, said
from sklearn_ap.__main__ import main


def test_several_files_are_one_data_set_with_a_name(path, tmp_path):
    """Names of folders may contain the labels."""
    for label, rows in ROWS.groupby("label"):
        (tmp_path / f"label={label}").mkdir()
        part = tmp_path / f"label={label}" / "part.csv"
        rows.drop(columns="label").to_csv(part, index=False)
    pattern, folders = tmp_path / "label=*" / "*.csv", sorted(tmp_path.iterdir())
    of_file = said(path).removeprefix(f"{path}: ")
    assert said(pattern) == f"{pattern}: {of_file}"
    assert said(*folders) == f"2 files: {of_file}"
    assert said(*folders, folders[0]) == f"2 files: {of_file}"


@not_in_brief
def test_streams_are_read_once(saved):
    """The bytes of a stream are copied, whatever they contain."""
    path = saved(ROWS)
    packed = gzip.compress(path.read_bytes())
    of_file = said(path).removeprefix(f"{path}: ")
    command = [sys.executable, "-m", "sklearn_ap", "-", "-"]
    out = subprocess.check_output(command, input=packed).decode()
    assert " ".join(out.split()) == f"standard input: {of_file}"
    reader, writer = os.pipe()
    # A pipe has room for so few bytes without a reader.
    os.write(writer, packed)
    os.close(writer)
    assert said(f"/dev/fd/{reader}") == f"/dev/fd/{reader}: {of_file}"
    assert error_of(f"/dev/fd/{reader}").startswith(f"/dev/fd/{reader}: contains no")
    os.close(reader)


def test_names_beyond_the_encoding_of_the_output(path, tmp_path):
    name = shutil.copy(path, tmp_path / "é.csv")
    with open(tmp_path / "out", "w", encoding="ascii") as out, redirect_stdout(out):
        main([str(name)])
    # The command breaks lines at 79 characters.
    words = (tmp_path / "out").read_text().split()
    assert r"/\xe9.csv: 600 rows" in " ".join(words)


@not_in_brief
def test_a_closed_pipe_keeps_the_verdict(path):
    """As in `sklearn-ap ... | head`."""
    reader, writer = os.pipe()
    os.close(reader)
    line = [path, "--per", "day", "--format", "json", "--fail-below", "0.9"]
    command = [sys.executable, "-m", "sklearn_ap", *line]
    finished = subprocess.run(
        command, check=False, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    assert (finished.returncode, finished.stderr) == (3, b"")
