"""The documentation's sources: their code runs, they name everything public, and their
links lead somewhere.

The site itself is built by `.ci/run`, with warnings as errors; what is here needs no
Sphinx.
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
# Targets of Markdown links and of documents named in roles, cards and lists of
# contents.
LINK = re.compile(
    r"\]\(([^)\s]+)\)|^:(?:link|target): (\S+)$|^:::\{figure\} (\S+)$|:doc:`(?:[^`<]*<)?([^`>]+)>?`",
    re.MULTILINE,
)
TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
MADE_BY_THE_BUILD = "auto_examples/"
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


def slug(heading: str) -> str:
    """The anchor of a heading, as MyST makes it after GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def links(page: Path) -> list[str]:
    text = re.sub(
        r"^```\w.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE
    )
    found = [
        next(filter(None, groups))
        for groups in LINK.findall(re.sub(r"`[^`\n]*`(?!_)", keep_roles, text))
    ]
    for entries in TOCTREE.findall(text):
        lines = [
            line for line in entries.splitlines() if line and not line.startswith(":")
        ]
        found += [re.sub(r".*<(.*)>", r"\1", line) for line in lines]
    return [link for link in found if not re.match(r"https?://|mailto:", link)]


def keep_roles(match: re.Match[str]) -> str:
    """Empty inline code, where a bracket is no link, but leave what a role points
    to.
    """
    before = match.string[: match.start()]
    return match[0] if before.endswith((":doc:", "]")) else "``"


def exists(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    folder = DOCS if path.startswith("/") else page.parent
    path = path.lstrip("/")
    if path.startswith(MADE_BY_THE_BUILD):
        name = Path(path).name.partition(".")[0]
        name = re.sub(r"^sphx_glr_(.*)_\d{3}$", r"\1", name)
        return name == "index" or (DOCS / "gallery" / f"{name}.py").exists()
    targets = (
        [page]
        if not path
        else [folder / path, folder / f"{path}.md", folder / f"{path}.rst"]
    )
    target = next((one for one in targets if one.is_file()), None)
    if target is None or not anchor:
        return target is not None
    return anchor in {
        slug(heading)
        for heading in re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
    }


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
    title = (ast.get_docstring(tree) or "").splitlines()
    assert title[1] == "=" * len(title[0])


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


def contents(page: str) -> list[str]:
    """The pages below a page, which lie in the folder of the site."""
    file = DOCS / f"{page}.md"
    entries = "\n".join(TOCTREE.findall(file.read_text())) if file.exists() else ""
    return [
        entry.split()[-1].strip("<>")
        for entry in entries.splitlines()
        if entry and entry[0] != ":"
    ]


def test_every_page_is_in_the_contents_once():
    listed = contents("index")
    for page in listed:  # which grows
        listed += contents(page)
    pages = [str(page.relative_to(DOCS).with_suffix("")) for page in PAGES]
    assert sorted([*listed, "index"]) == sorted([*pages, "auto_examples/index"])
    # Sphinx writes its own pages over these
    assert not {"search", "genindex"} & set(pages)


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


def test_links_lead_somewhere():
    pages = *PAGES, DOCS.parent / "README.md"
    assert [
        (page.name, link)
        for page in pages
        for link in links(page)
        if not exists(page, link)
    ] == []


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
