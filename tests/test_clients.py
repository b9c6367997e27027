"""docs/in_other_libraries.md: its code runs in the libraries themselves, with `pytest -m clients`."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from docs.scripts.clients import (
    DATA,
    HEAD,
    ONE_LINE,
    PAGE,
    SECOND,
    SECTIONS,
    check,
    run,
    sections,
    versions,
    with_versions,
    write,
)

TEXT = PAGE.read_text()
ON_PAGE = sections(TEXT)
BELOW = sections(ONE_LINE.read_text()) | ON_PAGE
SMALL = """\
# Title

## The data of this page

>>> three = 3

## polars

>>> three
3

## Optuna

>>> three
4

## Versions

<!-- versions, written by `python docs/scripts/clients.py` -->

| section | ran with |
|---|---|
| XGBoost | xgboost 1.0 |
| polars | polars 0.1 |

<!-- end of versions -->

After.
"""


@pytest.mark.clients
@pytest.mark.parametrize("heading", SECTIONS)
def test_code_of_a_section_prints_what_the_page_says(heading):
    if versions(heading) is None:
        pytest.skip(f"{' or '.join(SECTIONS[heading])} is not installed")
    result = run(PAGE, heading)
    assert result.returncode == 0, result.stdout + result.stderr


# What the page calls an error: code that raises, after the code of its section, and a part of the message.
ERRORS = {
    "XGBoost": (
        "from functools import partial\n"
        "from sklearn_ap import average_precision_at_k_score\n"
        "XGBClassifier(eval_metric=partial(average_precision_at_k_score, k=20)).fit("
        "X_fit, y_fit, eval_set=[(X_valid, y_valid)])",
        "no attribute '__name__'",
    ),
    "Tuning a ranker by MAP": (
        "make_scorer(average_precision_score)(ranker, X, y)",
        "XGBRanker has none of the following attributes",
    ),
    "LightGBM": ("fitted(average_precision_score)", "Self-defined eval function"),
    "CatBoost": ("fitted(average_precision_score)", "no attribute 'is_max_optimal'"),
    "AutoGluon": (
        "TabularPredictor('eight', eval_metric=get_scorer('average_precision'), path='more', verbosity=0)"
        ".fit(train, hyperparameters={'KNN': {}})",
        "no attribute 'needs_",
    ),
    "FLAML": ("fitted(average_precision_score)", "11 were given"),
    "MLflow": (
        "mlflow.models.evaluate(data=table, targets='y', predictions='score', extra_metrics=["
        "make_metric(eval_fn=average_precision_score, greater_is_better=True)])",
        "missing columns ['y_true', 'y_score']",
    ),
    "skore": (
        "from sklearn.metrics import make_scorer as theirs\n"
        "from sklearn_ap import precision_at_k_score\n"
        "for k in (10, 20):\n"
        "    report.metrics.add(theirs(precision_at_k_score, k=k, response_method='predict_proba'))",
        "it already exists",
    ),
    "BayesSearchCV": (
        "BayesSearchCV(KNeighborsClassifier(), {'n_neighbors': (1, 9)}, n_iter=2, "
        "scoring=average_precision_score).fit(X_train, y_train)",
        "takes 2 positional arguments but 3 were given",
    ),
    "fairlearn": (
        "from functools import partial\n"
        "average_precision_score = partial(average_precision_score, sample_weight=weight)\n"
        "by_group(scores)",
        "inconsistent numbers of samples",
    ),
}


@pytest.mark.clients
@pytest.mark.parametrize("heading", ERRORS)
def test_what_the_page_calls_an_error_is_one(heading, tmp_path):
    if versions(heading) is None:
        pytest.skip(f"{' or '.join(SECTIONS[heading])} is not installed")
    code, message = ERRORS[heading]
    page = tmp_path / "page.md"
    page.write_text(f"## {DATA}\n{BELOW[DATA]}\n## {heading}\n{BELOW[heading]}\n>>> exec({code!r})\n")
    result = run(page, heading)
    assert result.stdout.count("Failed example:") == 1, result.stdout + result.stderr
    assert message in result.stdout


@pytest.mark.clients
def test_gallery_script_of_a_ranker_finds_the_depth_of_the_page():
    pytest.importorskip("xgboost")
    script = PAGE.parent / "gallery" / "tune_12_ranker.py"
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    maps = [float(score) for score in re.findall(r"depth \d: MAP (0\.\d\d)", result.stdout)]
    assert f"[{' '.join(map(str, maps))}]" in BELOW["Tuning a ranker by MAP"]


def test_every_section_is_on_the_page_or_with_those_of_one_line():
    assert list(ON_PAGE) == [DATA, *(name for name in SECTIONS if name in ON_PAGE), "Versions"]
    assert set(BELOW) == {DATA, *SECTIONS, "Versions"}
    assert all(">>> " in BELOW[heading] for heading in (DATA, *SECTIONS))


def test_first_screen_tells_every_silent_mistake():
    first = TEXT.partition(f"## {DATA}")[0]
    told = re.findall(r"^\| (?:\[(.*?)\]\(#.*?\)|(\w.*?)) \| ", first, re.MULTILINE)[1:]
    assert all(any(said in heading for heading in SECTIONS) for said in map("".join, told))
    linked = re.findall(r"^\| \[.*?\]\(#(.*?)\)", first, re.MULTILINE)
    wrong = [name for name in SECTIONS if "**Silently wrong:**" in ON_PAGE.get(name, "")]
    assert linked == [name.lower().replace(" ", "-") for name in wrong]
    assert len(wrong) == len(ON_PAGE) - 2


def test_every_section_has_versions():
    rows = dict(re.findall(r"^\| (.*?) \| (.*?) \|$", TEXT.partition(HEAD)[2], re.MULTILINE))
    assert list(rows) == list(SECTIONS)
    for heading, packages in SECTIONS.items():
        told = [one.split()[0] for one in rows[heading].split(", ")]
        assert told == [*packages, "scikit-learn"]


def test_extra_installs_what_the_first_environment_needs():
    project = tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text())["project"]
    extra = {re.match(r"[\w.-]+", one)[0] for one in project["optional-dependencies"]["clients"]}
    assert extra == {name for heading in SECTIONS if heading not in SECOND for name in SECTIONS[heading]}
    script = (PAGE.parents[1] / "tests" / "clients" / "environments.sh").read_text()
    last = script.strip().splitlines()[-1]
    assert all(SECTIONS[heading][0] in last for heading in SECOND)


@pytest.fixture
def page(tmp_path) -> Path:
    """A page whose section of polars is right, and whose section of Optuna is wrong."""
    path = tmp_path / "page.md"
    path.write_text(SMALL)
    return path


def test_a_number_that_differs_is_noticed(page, capsys):
    assert check(page, "polars") == 0
    assert capsys.readouterr().out == ""
    assert check(page, "Optuna") == 1
    assert "Expected:\n    4\nGot:\n    3\n" in capsys.readouterr().out


def test_a_section_runs_in_a_process_away_from_the_checkout(page):
    page.write_text(SMALL.replace("three = 3", "import os; three = len(os.listdir()) + 3"))
    assert run(page, "polars").returncode == 0
    failed = run(page, "Optuna")
    assert failed.returncode == 1
    assert "Got:\n    3\n" in failed.stdout


def test_versions_are_those_that_are_installed(monkeypatch):
    assert versions("polars") == f"polars {version('polars')}, scikit-learn {version('scikit-learn')}"
    monkeypatch.setitem(SECTIONS, "polars", ("polars", "no-such-package"))
    assert versions("polars") is None


def test_an_environment_writes_its_own_rows_alone():
    assert with_versions(SMALL, {"polars": "polars 2.1"}) == SMALL.replace("polars 0.1", "polars 2.1")
    assert with_versions(SMALL, {}) == SMALL
    added = with_versions(SMALL, {"duckdb": "duckdb 2.0", "LightGBM": "lightgbm 4.7"})
    assert re.findall(r"^\| (\w+) \|", added, re.MULTILINE)[1:] == ["XGBoost", "LightGBM", "polars", "duckdb"]
    assert with_versions(added, {}) == added
    with pytest.raises(ValueError, match="must hold one table of versions"):
        with_versions("# Title\n", {})


def test_only_sections_that_pass_are_written(page, monkeypatch, capsys):
    monkeypatch.setitem(SECTIONS, "Optuna", ("polars",))
    monkeypatch.setitem(SECTIONS, "XGBoost", ("no-such-package",))
    assert write(page, ["XGBoost", "Optuna", "polars"]) == 1
    assert page.read_text() == SMALL.replace("polars 0.1", versions("polars"))
    printed = capsys.readouterr().out
    assert "XGBoost: not installed\n" in printed
    assert ": FAILED\n" in printed
    assert "Expected:\n    4\nGot:\n    3\n" in printed
