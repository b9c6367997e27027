"""The documentation's sources: their code runs, and they name everything public.

`.ci/run` builds the site, with warnings as errors, such as links that lead nowhere;
what is here needs no Sphinx.
"""

import ast
import doctest
import re
import tomllib
from pathlib import Path

import pytest

import sklearn_ap
from metrics import ALL_SCORES
from sklearn_ap import compatibility, distributed

DOCS = Path(__file__).parent.parent / "docs"
FOLDERS = [DOCS, DOCS / "compatibility", DOCS / "reference"]
PAGES = sorted(
    page
    for folder in FOLDERS
    for kind in ("*.md", "*.rst")
    for page in folder.glob(kind)
)
SCRIPTS = sorted((DOCS / "gallery").glob("*.py"))
REFERENCE = (DOCS / "reference" / "index.rst").read_text()
NEEDS = {  # which the extra test installs
    "detection.md": "pycocotools",
    "data_that_does_not_fit.md": "duckdb",
    "metric_every_day.md": "duckdb",
}
# By tests/test_clients.py, where the packages are installed, and by
# tests/test_add_a_metric.py.
RUN_ELSEWHERE = ("in_other_libraries.md", "add_a_metric.md")
WITH_CODE = [
    page
    for page in PAGES
    if ">>>" in page.read_text() and page.name not in RUN_ELSEWHERE
]


def ids(path: Path) -> str:
    return str(path.relative_to(DOCS))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("page", WITH_CODE, ids=ids)
def test_code_runs(page):
    pytest.importorskip(NEEDS.get(page.name, "doctest"))
    failed, attempted = doctest.testfile(
        str(page),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,  # pages break long results
    )
    assert attempted
    assert failed == 0


def test_python_is_shown_with_its_output():
    """So that no block escapes the test above; an empty line has to end the output."""
    for page in PAGES:
        for block in re.findall(
            r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE
        ):
            assert block.startswith(">>> "), page
            assert block.endswith("\n\n"), page


@pytest.mark.parametrize("script", SCRIPTS, ids=ids)
def test_gallery_script_uses_public_names_alone(script):
    tree = ast.parse(script.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "sklearn_ap"
        ):
            module = {
                "sklearn_ap": sklearn_ap,
                "sklearn_ap.compatibility": compatibility,
            }[node.module]
            assert {alias.name for alias in node.names} <= set(module.__all__)


def test_reference_names_everything_public():
    own, *others = re.split(
        r"^\.\. currentmodule:: sklearn_ap\.\w+$", REFERENCE, flags=re.MULTILINE
    )
    modules = (sklearn_ap, distributed, compatibility)
    for text, module in zip((own, *others), modules, strict=True):
        listed = re.findall(r"^\.\. (?:data|class):: (\w+)", text, re.MULTILINE)
        for names in re.findall(
            r"^\.\. autosummary::\n(?:   :.*\n)+\n((?:   \w+\n)+)", text, re.MULTILINE
        ):
            listed += names.split()
        assert sorted(listed) == sorted(module.__all__)


def test_sources_install_the_checkout():
    """Their form for users of a release is written by the build:
    `test_rehearsal.py`.
    """
    installs = re.compile(r"pip install (-\S+ )*[\"']?sklearn[-_]ap")
    assert [
        page
        for page in (*PAGES, DOCS.parent / "README.md")
        if installs.search(page.read_text())
    ] == []


def test_every_score_says_how_other_libraries_call_it():
    """As the README promises."""
    words = "*How other libraries call this number*: "
    docs = {
        score.__name__: " ".join((score.__doc__ or "").split()) for score in ALL_SCORES
    }
    assert [name for name, doc in docs.items() if words not in doc] == []


def test_links_of_readme_lead_somewhere():
    """Sphinx follows those of the pages."""
    links = re.findall(r"\]\(([^):]+)\)", (DOCS.parent / "README.md").read_text())
    assert len(links) > 20
    for link in links:
        path, _, anchor = link.partition("#")
        page = DOCS.parent / path
        assert page.exists(), link
        if anchor:
            heading = anchor.replace("-", ".")
            assert re.search(rf"(?im)^#+ {heading}\W*$", page.read_text()), link


def test_stability_names_the_oldest_versions():
    """As `pyproject.toml` asks for them, and `.ci/run` installs them."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]
    oldest = dict(
        one.split(">=")
        for one in [*project["dependencies"], f"Python{project['requires-python']}"]
    )
    page, ran = (
        (DOCS / "stability.md").read_text(),
        (DOCS.parent / ".ci" / "run").read_text(),
    )
    assert (
        dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|$", page, re.MULTILINE)) == oldest
    )
    ran_with = dict(re.findall(r"([\w-]+)==(\d+\.\d+)\.0\b", ran))
    ran_with["Python"] = re.search(r"oldest=\$\(interpreter ([\d.]+)\)", ran)[1]
    assert oldest.items() <= ran_with.items()
