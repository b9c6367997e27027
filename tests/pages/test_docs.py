"""The code of all pages runs, and the reference lists all public names.

These tests need no Sphinx. `nox -s site` builds the site, and reports links that lead
nowhere.
"""

import doctest
import re
import shlex
import tomllib
from codeop import compile_command
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import sklearn_ap
from brief import not_in_brief
from doors import MODULES
from shell import run
from sklearn_ap._command.options import read_options

DOCS = Path(__file__).parents[2] / "docs"
README = DOCS.parent / "README.md"
FOLDERS = [DOCS, DOCS / "compatibility", DOCS / "reference"]
PAGES = sorted(
    page
    for folder in FOLDERS
    for kind in ("*.md", "*.rst")
    for page in folder.glob(kind)
)
REFERENCE = DOCS / "reference" / "index.rst"
# Other tests run these pages: tests/pages/test_clients.py, if the packages are
# installed, and tests/pages/test_contributing.py.
RUN_ELSEWHERE = ("in_other_libraries.md", "CONTRIBUTING.md")
WITH_CODE = [
    page
    for page in PAGES
    if ">>>" in page.read_text() and page.name not in RUN_ELSEWHERE
]


def ids(path):
    return str(path.relative_to(DOCS))


@not_in_brief
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("page", WITH_CODE, ids=ids)
def test_code_runs(page):
    failed, attempted = doctest.testfile(
        str(page),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,  # pages break long results
    )
    assert attempted
    assert failed == 0


def test_each_word_of_the_index_is_on_its_page():
    """Otherwise, a search leads to a page that says nothing about it."""
    for page in DOCS.glob("*.md"):
        parts = re.split(r"^```{index} (.*)$", page.read_text(), flags=re.MULTILINE)
        text = " ".join(re.split(r"[\s-]+", " ".join(parts[::2]).lower()))
        for entry in ", ".join(parts[1::2]).split(", "):
            word = entry.removeprefix("!").lower().replace("-", " ")
            assert word in text, (page.name, entry)


def test_python_is_shown_with_its_output():
    """Otherwise, doctest would ignore the block. An empty line must end the output, and
    a prompt each compound statement, for shells that read one line at a time.
    """
    for page in (README, *PAGES):
        for block in re.findall(
            r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE
        ):
            assert block.startswith(">>> "), page
            assert block.endswith("\n\n"), page
            lines = []
            for line in re.findall(r"^(?:>>>|\.\.\.) ?(.*)", block, re.MULTILINE):
                lines.append(line)
                if compile_command("\n".join(lines), symbol="single"):
                    lines = []
            assert lines == [], page


def test_reference_names_everything_public():
    """Sphinx warns if the reference contains other names."""
    named = r"^(?:   |\.\. data:: )(?:\w+\.)*(\w+)$"
    listed = {*re.findall(named, REFERENCE.read_text(), re.MULTILINE)}
    for module in MODULES:
        assert {*module.__all__} <= listed, module


ON_A_CODE_HOST = [README, DOCS / "index.md"]


@pytest.mark.parametrize("page", ON_A_CODE_HOST, ids=lambda page: page.name)
def test_links_on_a_code_host_lead_somewhere(page):
    """Sphinx checks links, but some pages of the site are not files on a code host."""
    text = page.read_text()
    links = re.findall(r"\]\(([^):]+)\)", text)
    assert len(links) > 9
    for link in links:
        path, _, anchor = link.partition("#")
        target = page.parent / path
        assert target.exists(), link
        assert "auto_examples" not in path, link  # these files exist after a build only
        if anchor:
            heading = anchor.replace("-", r"\W+")
            assert re.search(rf"(?im)^#+ {heading}\W*$", target.read_text()), link
    assert not re.search(r"\{\w+\}`", text)  # a role


def names_of(examples):
    """Return the public names, and those that examples define."""
    names = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    names |= {
        name: getattr(sklearn_ap, name) for name in ("compatibility", "distributed")
    }
    names["score_as"] = sklearn_ap.compatibility.score_as
    for example in doctest.DocTestParser().get_examples(examples):
        exec(example.source, names)
    return names


Y, S = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
ROWS = {"y_true": Y, "y_score": S}
# What the lines of the first screen name: the data of a reader.
OF_READERS = {"np": np, "y": Y, "score": S, "other": S[::-1], "matched": Y}
OF_READERS |= {"first": ROWS, "second": ROWS, "patient": range(10)}
OF_READERS |= dict.fromkeys(("query", "user", "day"), np.arange(10) // 5)
OF_READERS |= {"amount": np.arange(10)}
OF_READERS |= {"item": range(10, 20), "kind": 10 * ["car"], "objects": {"car": 6}}
OF_READERS |= {"actual": [["a", "b"], ["c"]], "predicted": [["b", "x"], ["y", "c"]]}
OF_READERS |= {"qrels": {"q": {"d": 1}}, "run": {"q": {"d": 0.5}}}
OF_READERS |= {"tags": np.eye(10, 2), "tag_scores": np.eye(10, 2)}
OF_READERS |= {"scan": np.arange(10) % 3, "lesions": {0: 4, 1: 3, 2: 3, 3: 1}}
OF_READERS |= {"GridSearchCV": GridSearchCV, "model": GaussianNB(), "grid": {}}
OF_READERS |= {"their_ap": sklearn_ap.average_precision_score}


def write_scores():
    """Write the file of docs/command.md, by its command."""
    page = (DOCS / "command.md").read_text()
    [code] = re.findall(r"python -c '(.+?)'\n", page, re.DOTALL)
    exec(code, {})


@pytest.mark.filterwarnings("ignore")  # there are only ten rows
@pytest.mark.parametrize("page", ON_A_CODE_HOST, ids=lambda page: page.name)
def test_each_line_of_the_first_screen_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_scores()
    tasks = page.read_text().partition("## Find your task")[2].partition("\n## ")[0]
    codes = re.findall(r"`([\w.]+\([^`]*|sklearn-ap [^`]*)`", tasks)
    assert len(codes) > 11
    for code in codes:
        if code.startswith("sklearn-ap "):
            assert run(*code.split()[1:])[0] == 0
        else:
            eval(code, names_of("") | OF_READERS)


def commands_of(page):
    """Yield the command lines of a page, with the output that a block shows."""
    fence = r"^```(?:console|yaml)\n(.*?)^```"
    for block in re.findall(fence, page.read_text(), re.DOTALL | re.MULTILINE):
        lines = block.replace("\\\n", "")
        is_session = lines.startswith("$ ")
        for part in lines.split("$ ") if is_session else lines.splitlines():
            command, _, output = part.partition("\n")
            _, name, options = command.partition("sklearn-ap ")
            if name:
                yield options.partition(" > ")[0], output


def test_commands_print_what_pages_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_scores()
    n_shown = 0
    for page in (README, *PAGES):
        for line, output in commands_of(page):
            arguments = shlex.split(line)
            assert read_options(arguments), page
            if "scores.csv" in arguments:
                assert run(*arguments)[0] in {0, 3}, line
            if output:
                found = run(*arguments)[1]
                check = doctest.OutputChecker().check_output
                assert check(output, found, doctest.ELLIPSIS), found
                n_shown += 1
    assert n_shown == 2


def test_the_page_names_the_oldest_versions():
    """As `pyproject.toml` requires them."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], f"Python{project['requires-python']}"]
    page = (DOCS / "project.md").read_text()
    rows = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    assert dict(rows) == dict(one.split(">=") for one in needed)


def test_no_line_begins_with_a_percent_sign():
    """MyST takes such a line as a comment, and its words are lost on the site."""
    for page in (README, *PAGES):
        if page.suffix == ".md":
            assert not re.search(r"^\s*%", page.read_text(), re.MULTILINE), page
