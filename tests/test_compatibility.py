"""The page of all conventions, and what `sklearn_ap.compatibility` promises by name."""

import ast
import doctest
import inspect
import re
from dataclasses import replace
from pathlib import Path

import pytest
from test_scikit_learn_versions import HISTORY

from peers.registry import PEERS
from sklearn_ap import compatibility
from sklearn_ap.compatibility import (
    CHOICES,
    CONVENTIONS,
    _page,
)
from sklearn_ap.compatibility._page import page
from sklearn_ap.compatibility._records import FAMILY, GROUPS

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def test_page_is_what_the_records_say():
    stored = Path(__file__).parent.parent / "docs" / "compatibility.md"
    assert stored.read_text() == page(), "print it anew: python -m sklearn_ap.compatibility"
    for name in CONVENTIONS:
        assert f"| {name} |" in page()


def test_page_goes_stale_with_a_record(monkeypatch):
    stored = page()
    spoiled = replace(CONVENTIONS["COCO"], peculiarity="Nothing.")
    monkeypatch.setattr(_page, "GROUPS", {**GROUPS, "Object detection": (spoiled,)})
    assert page() != stored


def test_order_of_the_walk():
    assert list(CHOICES) == [
        "score precision",
        "input transform",
        "queries",
        "ties",
        "weights",
        "area",
        "grid",
        "stated total",
        "cut",
        "normalizer",
        "without positives",
    ]


def test_no_code_knows_a_package_by_name():
    """The records name packages; what computes them must not."""
    folder = Path(compatibility.__file__).parent
    packages = {peer.package.lower() for peer in PEERS.values()} - {"scikit-learn"}
    for file in (
        "_convention",
        "_transforms",
        "_scores",
        "_reductions",
        "_engine",
        "_walk",
        "_row",
        "_rendering",
    ):
        tree = ast.parse((folder / f"{file}.py").read_text())
        docs = {
            ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)
        }
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)} - docs
        named = [(one, text) for text in texts for one in packages if one in str(text).lower()]
        assert named == [], file


def test_versions_on_the_page_are_those_of_the_history():
    table = page().partition("## Across the versions")[2]
    told = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line
    ]
    assert len(told) == 2 + 8
    for version, *cells in told[2:]:
        for function, cell in zip(("average_precision_score", "precision_recall_curve"), cells, strict=True):
            changed = [changes for name, _, changes in HISTORY if name == function and version in changes]
            assert not cell or changed, (version, function)


def test_page_tells_the_order_of_the_walk():
    places = [page().index(f"\n| {choice} | `{names[0]}` |") for choice, names in CHOICES.items()]
    assert places == sorted(places)


def test_claimed_number_of_packages_is_not_above_what_there_is():
    sources = {re.split(r"[ ,]", one.source)[0] for one in CONVENTIONS.values() if one not in FAMILY}
    assert "conventions of more than thirty packages and papers" in compatibility.__doc__
    assert len(sources) > 30


def test_all_holds_every_public_name():
    assert set(compatibility.__all__) == {name for name in vars(compatibility) if not name.startswith("_")}
    assert len(compatibility.__all__) == len(set(compatibility.__all__))


@pytest.mark.parametrize("name", compatibility.__all__)
def test_public_names_are_documented_and_their_examples_run(name):
    member = getattr(compatibility, name)
    if not callable(member):
        return
    first, *others = doctest.DocTestFinder().find(member, name, globs={})
    assert first.examples
    assert all(doctest.DocTestRunner().run(found).failed == 0 for found in (first, *others))
    doc = inspect.getdoc(member)
    if inspect.isfunction(member):
        for section in ("Parameters", "Returns", "Raises", "See Also", "Examples"):
            assert f"\n{section}\n{'-' * len(section)}\n" in doc
        told = re.findall(r"^(\w+) : ", doc.partition("Returns\n---")[0], re.MULTILINE)
        assert told == list(inspect.signature(member).parameters)
        assert ".. versionadded:: 0.1" in doc
