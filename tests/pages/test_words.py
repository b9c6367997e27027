"""Each call of the page of words returns the number that a loop over the rows computes."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from oracles.scores import ranking, step
from tests.pages.test_docs import DOCS, names_of

PAGE = (DOCS / "words.md").read_text()
LOOPS = Path(__file__).with_name("loops.txt").read_text()
RIGHT = dict(re.findall(r"^(.+) :: (.+)$", LOOPS, re.MULTILINE))
# Words of the tables with the code behind them, and of the longer calls below the tables
# with what they print.
WORD = r"([^,;:(\n|]+?)"
ROW = rf"^\| {WORD}(?: ?[,;:(].*?)? \| (.+) \|$"
CALL = rf"^>>> # {WORD}(?:[,:].*)?\n((?:(?!>>> #|```).*\n)+)"
ROWS, LONG = (dict(re.findall(kind, PAGE, re.MULTILINE)) for kind in (ROW, CALL))
del ROWS["word"]


def ranked(labels, scores):
    """Return the labels as a list, that of the highest score first."""
    pairs = sorted(zip(scores, labels, strict=True), reverse=True)
    return [int(label) for _, label in pairs]


def points(labels, scores):
    """Return the true and the false positives at all thresholds, highest first."""
    counts = ranking(map(int, labels), scores).points
    return [(0, 0), *((float(tp), float(n - tp)) for tp, n in counts)]


def ap(labels, scores, total=None):
    """Return the mean of the precisions at the positives, in fractions."""
    return float(step(ranking(labels, scores, total=total)))


@pytest.fixture(scope="module")
def values():
    """Return the numbers of the page and of the loops, both by words."""
    names = names_of(PAGE)
    found = {}
    for word, row in ROWS.items():
        found[word] = []
        for code in re.findall(r"`([^`]+)`", re.sub(r"\{\w+\}`[^`]+`", "", row)):
            if re.match(r"[\w, ]+ = ", code):
                exec(code, names)
            else:
                value = eval(code, names)
                # A curve is a tuple of arrays.
                found[word] += value if isinstance(value, tuple) else [value]
    for word, code in LONG.items():
        printed = doctest.DocTestParser().get_examples(code)[-1].want
        found[word] = [float(x) for x in re.findall(r"\d\.\d+", printed)]
    y, s = names["y"], names["s"]
    names |= {"points": points, "ranked": ranked, "ap": ap, "at": points(y, s)}
    names |= {"R": ranked(y, s), "P": sum(y), "N": sum(1 - y)}
    top = [(sum(ranked(*rows)[:5]), sum(rows[0])) for rows in names["lists"]]
    return found, names | {"first": top}


@pytest.mark.parametrize("word", RIGHT)
def test_each_call_of_a_row_returns_the_number_of_a_loop(word, values):
    found, names = values
    right = np.hstack([eval(RIGHT[word], names)])
    digits = 5.1e-5 if word in LONG else 1e-12
    assert np.hstack(found[word]) == pytest.approx(right, abs=digits)


def test_each_row_has_a_loop():
    assert ROWS.keys() == RIGHT.keys()
    assert {*LONG} == {word for word, cell in ROWS.items() if "below" in cell}
