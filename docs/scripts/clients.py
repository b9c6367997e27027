"""Run the code of docs/in_other_libraries.md, and write the versions of the packages
into the page: `python docs/scripts/clients.py`.

tests/clients/one_line.txt contains further sections, for libraries that have one line
in the table of the page. Every section runs in a process of its own, after the section
that makes the data. If the packages of a section are installed and its output is that
of the page, its versions are written. Versions of other packages do not change, so
several environments can write the list together.
"""

import doctest
import os
import re
import subprocess
import sys
from contextlib import chdir
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # use this checkout

PAGE = ROOT / "docs" / "in_other_libraries.md"
ONE_LINE = ROOT / "tests" / "clients" / "one_line.txt"
DATA = "The data of this page"
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
SECOND = (
    "AutoGluon",
    "FLAML",
    "MLflow",
    "Ray Data",
    "Modin",
)  # do not go together with the newest of the others
# The environment of a process that runs a section.
QUIET = {
    "OMP_NUM_THREADS": "1",  # adds up in the same order on every machine
    "HF_HUB_OFFLINE": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "PYTHONPATH": str(ROOT),  # for the workers of Ray
}
LIST = re.compile(
    r"(?<=<!-- versions, written by `python docs/scripts/clients\.py` -->\n\n)(.*?)(?=\.\n)",
    re.DOTALL,
)


def sections(text: str) -> dict[str, str]:
    """Return {heading: text below it} of a page."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def versions(heading: str) -> dict[str, str] | None:
    """Return the packages of a section with their versions; None if one is not
    installed.
    """
    try:
        return {name: version(name) for name in SECTIONS[heading]}
    except PackageNotFoundError:
        return None


def check(page: Path, heading: str) -> int:
    """Run the code of a section after that of the data, print the differences from the
    page, and return their number.
    """
    below = sections(ONE_LINE.read_text()) | sections(page.read_text())
    code = f"{below[DATA]}\n{below[heading]}"
    example = doctest.DocTestParser().get_doctest(code, {}, heading, str(page), 0)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        chdir(folder),
    ):  # some packages write logs
        return doctest.DocTestRunner(verbose=False).run(example).failed


def run(page: Path, heading: str) -> subprocess.CompletedProcess[str]:
    """Run a section in a process of its own, because packages change threads and global
    settings.
    """
    command = [sys.executable, "-W", "ignore", __file__, "--check", str(page), heading]
    return subprocess.run(
        command, capture_output=True, text=True, env=os.environ | QUIET, check=False
    )


def with_versions(text: str, found: dict[str, str]) -> str:
    """Return the page with new versions of some packages."""
    match = LIST.search(text)
    if match is None:
        raise ValueError("the page must hold one list of versions.")
    known = dict(re.findall(r"([^\s,]+)\s+([^\s,]+)", match[0])) | found
    packages = ", ".join(f"{name} {known[name]}" for name in sorted(known))
    return (
        text[: match.start()]
        + fill(packages, 119, break_on_hyphens=False)
        + text[match.end() :]
    )


def write(page: Path, headings: list[str]) -> int:
    """Run sections, write the versions of those that pass, and return how many
    failed.
    """
    found: dict[str, str] = {}
    failed = 0
    for heading in headings:
        installed = versions(heading)
        if installed is None:
            print(f"{heading}: not installed")
            continue
        result = run(page, heading)
        if result.returncode == 0:
            found |= installed
            print(f"{heading}: {installed}")
        else:
            failed += 1
            print(
                f"{heading}: {installed}: FAILED\n{result.stdout}{result.stderr[-2000:]}"
            )
    page.write_text(with_versions(page.read_text(), found))
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        sys.exit(check(Path(sys.argv[2]), sys.argv[3]) > 0)
    sys.exit(write(PAGE, sys.argv[1:] or list(SECTIONS)) > 0)
