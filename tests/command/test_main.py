"""The main job, as a user starts it."""

import re
import signal
import subprocess
import sys
import tomllib
from dataclasses import fields
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import sklearn_ap
from shell import error_of, run
from sklearn_ap._command import options as _options
from sklearn_ap._core.registry import K

ROOT = Path(__file__).parents[2]


def test_the_script_is_the_same_command(capsys):
    """pip writes such a file, which calls the function that the distribution declares."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "scripts"
    ]
    command = EntryPoint("sklearn-ap", declared["sklearn-ap"], "console_scripts").load()
    with pytest.raises(SystemExit, match="0"):
        command(["--version"])
    assert capsys.readouterr().out == f"sklearn_ap {sklearn_ap.__version__}\n"


def test_help_groups_the_options_by_question_below_its_examples():
    printed = run("--help").out
    assert printed.startswith("usage: sklearn-ap [file ...] [--y-true COLUMN]")
    titles = re.findall(r"^(\w.*):$", printed, re.MULTILINE)
    groups = _options._GROUPS.values()
    assert titles == ["examples", "options", *groups, "exit codes"]
    assert f"(default of --table and --identify: {K})" in " ".join(printed.split())
    listed = re.findall(r"^  (?:-h, )?(-[-\w]+)", printed, re.MULTILINE)
    options = [_options.option_name(each.name) for each in fields(_options.Options)]
    assert listed == ["--help", "--version", *options[1:]]


def test_a_file_is_required():
    assert "a file is required, or - for standard input" in error_of()


_IN_THE_BACKGROUND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell leaves out there
from sklearn_ap.__main__ import main
main(["--example"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="its signals are others")
def test_an_interrupt_of_the_first_import_ends_the_command():
    """The script prints each import, and is interrupted after that of numpy. Python may
    then print a traceback.
    """
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-c", _IN_THE_BACKGROUND],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any(line.split()[-1] == "numpy" for line in process.stderr)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert said.rstrip().endswith(("KeyboardInterrupt", "error: interrupted"))
    assert process.returncode in (130, -signal.SIGINT)
