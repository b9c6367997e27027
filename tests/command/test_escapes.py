"""Names with characters that control a terminal, or change the direction of text, are
escaped in each answer and page; JSON has the names as they are.
"""

import unicodedata

import numpy as np
import pandas as pd
import pytest

from shell import run
from sklearn_ap._shown.sources import printable

# ESC, a bell, CSI in one character, a line end, and an override of direction
CODES = "\x1b[31m\x07\x9b\n\u202e"
Y_TRUE, Y_SCORE, OTHER, THIRD, PER = (name + CODES for name in "ysotp")
LABELS = ("--y-true", Y_TRUE)
ROWS = *LABELS, "--y-score", Y_SCORE
QUERIES = ("--per", PER)
ASKED = [
    (*ROWS, "--table"),
    (*ROWS, "--identify", 0.5, *QUERIES),
    (*ROWS, "--compare", OTHER, "--compare", THIRD, "--sample-weight", THIRD),
    (*ROWS, "--unit-id", PER, "--threshold-at", "recall=.5"),
    (*ROWS, *QUERIES, "-k", 3, "--amount", THIRD, "--compare", OTHER),
    (*ROWS, *QUERIES, "--fail-each", "--fail-below", 0.99),
    ("--y-true", "class", "--y-score", ",".join(f"{x}{CODES}" for x in "abc")),
    (*ROWS, "--pos-label", "nothing" + CODES),
    (*ROWS, "--format", CODES),
    (*ROWS, "--y-score", OTHER),
    (*LABELS, "--y-score", f"{THIRD}={Y_SCORE}"),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    place = np.arange(60)
    names = np.array([x + CODES for x in "abc"])
    rows = {Y_TRUE: place % 2, PER: names[place // 20], "class": names[place % 3]}
    for name in (Y_SCORE, OTHER, THIRD, *names):
        rows[name] = rng.random(60)
    file = tmp_path_factory.mktemp("escapes") / f"rows{CODES}.parquet"
    pd.DataFrame(rows).to_parquet(file)
    return file


def controls_in(text):
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf")} - {"\n"}


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(map(repr, asked)))
def test_no_name_controls_a_terminal_or_a_page(path, asked):
    finished = run(path, *asked)
    shown = finished.out + finished.err
    assert not controls_in(shown)
    if finished.code in (0, 3) and not {"--table", "--identify"} & {*asked}:
        page = path.with_name(f"page{CODES}.html")
        run(path, *asked, "--report", page)
        shown = page.read_text()
        assert not controls_in(shown)
    assert r"\x1b[31m\x07\x9b" in shown
    assert r"\u202e" in shown


def test_spaces_and_joiners_are_shown_as_they_are():
    text = "検索\u3000新 \u00a0 👩\u200d🔬"
    assert printable(text) == text
