"""Mutation testing, on a package of two lines: one is held by its test, the other by
none.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_ap
from mutation.__main__ import main
from mutation.rooms import LEFT_OUT, SPINE, files_of, is_known, suites_of

ROOT = Path(__file__).parents[2]
SOURCE = '''"""Sums."""


def more(value):
    return value + 1


def less(value):
    return value - 1
'''
TEST = """from toy._sums import less, more


def test_more():
    assert more(5) == 6


def test_less():
    assert less(1) < 2
"""


@pytest.fixture
def toy(tmp_path):
    """Write a checkout whose test of `less` sees hardly anything."""
    for path, text in {
        "toy/__init__.py": "",
        "toy/_sums.py": SOURCE,
        "tests/test_sums.py": TEST,
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    options = '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n'
    (tmp_path / "pyproject.toml").write_text(options)
    return tmp_path


def show(results: Path, capsys, monkeypatch) -> str:
    """What the command prints, in this process: it plants nothing."""
    monkeypatch.setattr(sys, "argv", ["mutation", "show", str(results)])
    main()
    return capsys.readouterr().out


def mutation(
    command: str, results: Path, toy: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    arguments = [
        "-m",
        "tests.mutation",
        command,
        str(results),
        "--checkout",
        str(toy),
        "--package",
        "toy",
    ]
    command = [sys.executable, *arguments, *options]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_a_fault_that_a_test_holds_is_killed_and_another_survives(
    toy, capsys, monkeypatch
):
    results = toy / "results.jsonl"
    mutation("run", results, toy, "--count", "3")
    assert len(results.read_text().splitlines()) == 3
    ran = mutation("run", results, toy, "--jobs", "2")  # goes on where it stopped
    assert ran.returncode == 0, ran.stderr
    assert "not in tests/mutation/rooms.py" in ran.stderr
    assert "left out: __init__" in ran.stderr
    rows = map(json.loads, results.read_text().splitlines())
    verdicts = {tuple(row["diff"]): row["verdict"] for row in rows}
    assert verdicts == {
        ("-    return value + 1", "+    return (value - 1)"): "killed",
        ("-    return value + 1", "+    return value + 0"): "killed",
        ("-    return value - 1", "+    return (value + 1)"): "killed",
        ("-    return value - 1", "+    return value - 0"): "survived",
    }
    assert (toy / "toy/_sums.py").read_text() == SOURCE
    shown = show(results, capsys, monkeypatch)
    assert "killed    3  survived    1" in shown
    assert shown.endswith(
        "_sums:9 (constant)\n-    return value - 1\n+    return value - 0\n"
    )

    (toy / "tests/test_sums.py").write_text(TEST.replace("< 2", "== 0"))
    assert mutation("again", results, toy).stdout.startswith("killed ")
    assert "survived    0" in show(results, capsys, monkeypatch)


def test_every_file_has_tests_or_a_reason():
    package = Path(
        sklearn_ap.__file__
    ).parent  # .ci/run tests the wheel, away from the checkout's package
    files, left_out = files_of(package)
    assert set(left_out.values()) == set(LEFT_OUT.values())
    assert [file for file in files if not is_known(file)] == []
    for file in files:
        assert all(
            (ROOT / "tests" / name).exists() for name in suites_of(ROOT / "tests", file)
        )
    assert len(suites_of(ROOT / "tests", "_new/_room")) == len(SPINE)
