"""Each command on a page prints the output that the page shows, from the rows of the
page.
"""

import re
from doctest import DocTestParser
from pathlib import Path

import pandas as pd

from docs.scripts.picture import write_rows
from shell import run, said
from sklearn_ap._command.options import read_options

ROOT = Path(__file__).parents[2]


def page_of(name):
    return (ROOT / "docs" / name).read_text()


def names_of(examples):
    """Run the examples of a page as a reader does; return the names that they define."""
    names = {}
    for example in DocTestParser().get_examples(examples):
        exec(example.source, names)
    return names


def line_of(page):
    """The arguments of the command on a page whose output is shown below it."""
    block = page.partition("$ sklearn-ap ")[2].partition("```")[0]
    command, _, out = block.replace(" \\\n", " ").partition("\n")
    finished = run(*command.split())
    assert (finished.code, finished.err) == (0, "")
    if "...\n" not in out:
        assert finished.out == out
    for part in out.split("...\n"):
        assert part in finished.out
    return command.split()


def test_readme(tmp_path, monkeypatch):
    """Run the command of README in a folder that contains only the file that the page
    writes.
    """
    page = (ROOT / "README.md").read_text().replace(".venv/bin/", "")
    # Both pages show the report of this command.
    on_first_page = write_rows(tmp_path).split()
    of_first_page = (tmp_path / "scores.csv").read_text()
    (tmp_path / "fresh").mkdir()
    monkeypatch.chdir(tmp_path / "fresh")
    [code] = re.findall(r"\$ python -c '(.+?)'$", page, re.DOTALL | re.MULTILINE)
    exec(code, {})
    assert Path("scores.csv").read_text() == of_first_page
    line = line_of(page)
    assert line == on_first_page[:-2]
    after = page.partition("$ sklearn-ap ")[2]
    [number] = re.findall(r"`--identify (\S+)`", after)
    assert "scikit-learn" in said(*line[:5], "--identify", number)


def test_fraud(monkeypatch):
    page = page_of("fraud.md")
    names = names_of(page.partition("## The file")[2].partition("\n## ")[0])
    monkeypatch.chdir(names["file"].parent)
    line_of(page)


def test_detection(tmp_path, monkeypatch):
    page = page_of("detection.md")
    names = names_of(page.partition("```python\n")[2].partition("```")[0])
    monkeypatch.chdir(tmp_path)
    columns = {name: names[name] for name in ("matched", "score", "kind")}
    pd.DataFrame(columns).to_csv("boxes.csv", index=False)
    totals = page.partition("$ cat objects.csv\n")[2].partition("$ ")[0]
    Path("objects.csv").write_text(totals)
    line_of(page)
    [gate] = re.findall(r"- run: >\n +sklearn-ap (.*?)\n```", page, re.DOTALL)
    assert read_options(gate.split()).fail_each
