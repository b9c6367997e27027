"""The pages about conventions are what the records say, and our calls on them give the records' numbers."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from test_scikit_learn_versions import HISTORY

import sklearn_ap
from docs.scripts.calls import our_call
from docs.scripts.records import DOCS, FAMILIES, LISTS, REFERENCE, pages, reference, slug, write
from docs.scripts.sources import PARAGRAPHS, filled, sources
from sklearn_ap.compatibility import (
    CHOICES,
    CONVENTIONS,
    Convention,
    Grid,
    Thresholds,
    score_as,
)
from sklearn_ap.compatibility._records import GROUPS

INDEX = Path("compatibility.md")
SOURCES = list(sources().values())
CALLED = {name: call for name, one in CONVENTIONS.items() if (call := our_call(one))}


def page(name: str) -> str:
    return pages()[Path("compatibility") / f"{name}.md"]


def test_committed_pages_are_what_the_records_say():
    made = pages()
    assert {one.relative_to(DOCS) for one in DOCS.glob("compatibility/*")} | {INDEX} == set(made)
    for path, text in made.items():
        assert (DOCS / path).read_text() == text, (
            f"{path} is stale; write it anew: python docs/scripts/records.py"
        )


def test_the_reference_names_every_score():
    assert len(LISTS.findall(REFERENCE.read_text())) == 1
    assert REFERENCE.read_text() == reference(), "stale; write it anew: python docs/scripts/records.py"


def test_each_paragraph_has_a_place():
    """And two docstrings at least, or it would not be shared."""
    placed = {
        (parameter, at)
        for parameter, several in PARAGRAPHS.items()
        for at, one in enumerate(several)
        if sum(text.count(filled(one["text"], margin)) for text in SOURCES for margin in (4, 8)) > 1
    }
    assert placed == {
        (parameter, at) for parameter, several in PARAGRAPHS.items() for at in range(len(several))
    }


def test_pages_tell_the_command_that_writes_them():
    assert all("`python docs/scripts/records.py`" in text.splitlines()[2] for text in pages().values())


def test_a_page_goes_stale_with_a_record(monkeypatch):
    stored = pages()
    coco = replace(CONVENTIONS["COCO"], peculiarity="Nothing.")
    spoiled = {**GROUPS, "Object detection": (coco, *GROUPS["Object detection"])}
    monkeypatch.setattr("docs.scripts.records.GROUPS", spoiled)
    changed = {str(path) for path, text in pages().items() if text != stored[path]}
    assert changed == {"compatibility.md", "compatibility/detection.md"}


def test_writing_drops_pages_that_are_no_longer_made(tmp_path):
    (tmp_path / "compatibility").mkdir()
    (tmp_path / "compatibility" / "old.md").write_text("")
    write(tmp_path)
    assert {one.relative_to(tmp_path): one.read_text() for one in tmp_path.rglob("*.md")} == pages()


def test_every_record_has_a_card_and_a_row_of_the_index():
    assert set(FAMILIES) == set(GROUPS)
    index = pages()[INDEX]
    for group, (file, *_) in FAMILIES.items():
        headings = re.findall(r"^## (.*)$", page(file), re.MULTILINE)
        assert headings == [one.name for one in GROUPS[group]]
        for one in GROUPS[group]:
            link = f"| [{one.name}](compatibility/{file}.md#{slug(one.name)}) |"
            assert (link in index) is (group != "sklearn_ap"), one.name


def test_other_names_of_a_record_lead_to_it(monkeypatch):
    names = [("pycocotools", "2.0", True), ("Detectron2", "Detectron2 0.6", False)]
    fields = {"convention": "COCO", "note": "A mean."}
    known = {
        name: SimpleNamespace(name=name, version=version, run=run, **fields) for name, version, run in names
    }
    monkeypatch.setattr("docs.scripts.records.ALIASES", known)
    index, card = pages()[INDEX], page("detection").partition("\n## COCO\n")[2].partition("\n## ")[0]
    assert "| Detectron2 | [COCO](compatibility/detection.md#coco) | `interpolated_" in index
    assert "- **Other names:** `pycocotools` (2.0), `Detectron2` (0.6, not run): A mean\n" in card


def test_a_record_is_no_table():
    """Cards fit any width; a table of records was cut off at all."""
    families = [page(file) for file, *_ in FAMILIES.values()]
    assert not any(line.startswith("|") for text in families for line in text.splitlines())


def scores(said: str, rng: np.random.Generator) -> np.ndarray:
    """Scores as wild as the conditions of a call allow: tied, of both signs, and finer than float32."""
    values = rng.permutation(60) if "equal scores" in said else rng.integers(0, 18, 60)
    values = values / 3
    if "apart" not in said and "float32" not in said:
        values[0] = np.nextafter(values[0], 9)
    if "[0, 1]" in said:
        values /= 20
    elif "above 0" in said:
        values += 1
    else:
        values -= 4
    return values.astype(np.float32) if "float32" in said else values


def labels(said: str, query: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Labels of four queries: of both classes, of both classes, of one each where the conditions allow it."""
    values = rng.integers(0, 2, query.size)
    values[:4], values[4:8] = 0, 1
    if "a negative" not in said:
        values[query == 2] = 1
    if "every query has a positive" not in said:
        values[query == 3] = 0
    return values


def ours(call, given: dict, **others) -> float:
    """The number of a call as it is written, with what is given in the places of `...`."""
    names = {"np": np, "CONVENTIONS": CONVENTIONS}
    written = {**call.definition, **call.inputs}
    read = {name: given[name] if text == "..." else eval(text, names) for name, text in written.items()}
    return getattr(sklearn_ap, call.function)(given["y_true"], given["y_score"], **read, **others)


@pytest.mark.parametrize("name", CALLED)
def test_our_call_gives_the_number_of_its_record(name):
    for seed in range(3):
        one, call, rng = CONVENTIONS[name], CALLED[name], np.random.default_rng(seed)
        said = "; ".join(call.conditions)
        query = np.arange(60) % 4
        y_true = labels(said, query, rng)
        given = {"y_true": y_true, "y_score": scores(said, rng), "k": 5, "query_id": query}
        given["n_positives"] = int(y_true.sum()) + 4
        if "query_id" in call.inputs:
            given["n_positives"] = {q: int(y_true[query == q].sum()) + q % 3 for q in range(4)}
        weighted = one.weights == "used" and not {"ties", "n_positives"} & {*call.definition, *call.inputs}
        weights = {"sample_weight": rng.integers(1, 9, 60)} if weighted else {}
        passed = {
            key: value
            for key, value in given.items()
            if key in call.inputs or key in ("y_true", "y_score", "k")
        }
        theirs = score_as(one, **passed, **weights)
        assert ours(call, given, **weights) == pytest.approx(theirs, abs=1e-12, rel=0, nan_ok=True)


@pytest.mark.filterwarnings("ignore:(No positive class found|y_true contains no positive)")
@pytest.mark.parametrize(
    "name", [name for name, one in CALLED.items() if "a positive" not in str(one.conditions)]
)
def test_our_call_answers_as_its_record_without_positives(name):
    given = {
        "y_true": [0, 0, 0],
        "y_score": [1.0, 0.75, 0.5],
        "k": 2,
        "query_id": [1, 1, 1],
        "n_positives": 0,
    }
    theirs = score_as(name, given["y_true"], given["y_score"], k=2)
    assert ours(CALLED[name], given) == pytest.approx(theirs, nan_ok=True)


@pytest.mark.parametrize(
    "choices",
    [
        {"first_point": "(0, p1)", "area": "linear"},
        {"last_point": "(1, 0)", "area": "interpolated"},
        {"transform": "input order"},
        {"thresholds": Thresholds(100)},
        {"area": "interpolated", "grid": Grid("trapezoids", 11, weights="trapezoid")},
        {"area": "interpolated", "grid": Grid("documents", 11, met_by="documents")},
    ],
)
def test_a_choice_that_our_functions_do_not_have_leaves_no_call(choices):
    assert our_call(Convention(name="a", **choices)) is None


def test_most_records_have_a_call_of_ours():
    assert len(CALLED) > len(CONVENTIONS) / 2
    assert CALLED["COCO"].text(with_inputs=True) == (
        "interpolated_average_precision_score(recall_levels=np.linspace(0, 1, 101), query_id=..., "
        "n_positives=..., zero_division=np.nan)"
    )


def test_choices_stand_in_the_order_of_the_walk():
    places = [page("choices").index(f"\n`{name}`:\n") for names in CHOICES.values() for name in names]
    assert places == sorted(places)


def test_versions_on_the_page_are_those_of_the_history():
    table = (DOCS / "deviations.md").read_text().partition("## Across the versions")[2]
    told = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line
    ]
    assert len(told) == 2 + 8
    for version, *cells in told[2:]:
        for function, cell in zip(("average_precision_score", "precision_recall_curve"), cells, strict=True):
            changed = [changes for name, _, changes in HISTORY if name == function and version in changes]
            assert not cell or changed, (version, function)
