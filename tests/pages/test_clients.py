"""The code of docs/in_other_libraries.md runs in the libraries: `nox -s clients`.

tests/clients/one_line.txt contains further sections, for libraries that have one line
in the table of the page. The sections of libraries that the other tests use, too, run
with these.
"""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from brief import not_in_brief

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "in_other_libraries.md"
ONE_LINE = ROOT / "tests" / "clients" / "one_line.txt"
DATA = "Data"
# The packages that the code of each section requires.
SECTIONS = {
    "XGBoost": ("xgboost",),
    "Tuning a ranker by MAP": ("xgboost",),
    "XGBRanker": ("xgboost",),
    "LightGBM": ("lightgbm",),
    "LGBMRanker": ("lightgbm",),
    "CatBoost": ("catboost",),
    "AutoGluon": ("autogluon.tabular",),
    "FLAML": ("flaml", "lightgbm"),
    "MLflow": ("mlflow",),
    "skorch": ("skorch", "torch"),
    "skore": ("skore",),
    "Optuna": ("optuna",),
    "BayesSearchCV": ("scikit-optimize",),
    "imbalanced-learn": ("imbalanced-learn",),
    "fairlearn": ("fairlearn",),
    "mlxtend": ("mlxtend",),
    "sentence-transformers": ("sentence-transformers", "torch"),
    "Hugging Face Trainer": ("transformers", "accelerate", "torch"),
    "Trainer": ("transformers", "accelerate", "torch"),
    "polars": ("polars",),
    "duckdb": ("duckdb",),
    "Ray Data": ("ray",),
    "Modin": ("modin", "ray"),
}
# The environment of a process that runs a section.
QUIET = {
    "OMP_NUM_THREADS": "1",  # adds up in the same order on every machine
    "HF_HUB_OFFLINE": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "PYTHONPATH": str(ROOT),  # for the workers of Ray
}


def sections(text):
    """Return {heading: text below it} of a page."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


ON_PAGE = sections(PAGE.read_text())
BELOW = sections(ONE_LINE.read_text()) | ON_PAGE


def marked(heading):
    is_of_tests = {"polars", "duckdb"}.issuperset(SECTIONS[heading])
    mark = not_in_brief if is_of_tests else pytest.mark.clients
    return pytest.param(heading, marks=mark)


@pytest.mark.parametrize("heading", [*map(marked, SECTIONS)])
def test_code_of_a_section_prints_what_the_page_says(heading, tmp_path):
    """Packages change threads and global settings, so each section has a process."""
    try:
        installed = {name: version(name) for name in SECTIONS[heading]}
    except PackageNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    (tmp_path / "section.txt").write_text(f"{BELOW[DATA]}\n{BELOW[heading]}")
    command = [sys.executable, "-W", "ignore", "-m", "doctest", "section.txt"]
    options = {"cwd": tmp_path, "env": os.environ | QUIET, "text": True}
    result = subprocess.run(command, capture_output=True, check=False, **options)
    page = PAGE if heading in ON_PAGE else ONE_LINE
    output = f"{page.name}, {heading}, {installed}\n{result.stdout}{result.stderr}"
    assert result.returncode == 0, output


def test_every_section_has_code():
    assert set(BELOW) == {DATA, *SECTIONS, "Versions"}
    assert all(">>> " in BELOW[heading] for heading in (DATA, *SECTIONS))


def test_a_session_installs_each_package():
    """Otherwise, its sections would be skipped each night."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]["test"]
    groups = project["dependency-groups"]
    required = [*extras, *groups["clients"], *groups["more-clients"]]
    named = {re.match(r"[\w.-]+", one)[0] for one in required}
    assert {name for names in SECTIONS.values() for name in names} <= named
