"""Names that a user chooses are shown as they are, whatever words and letters they have:
no code reads, splits or translates a sentence that contains them.
"""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import covering, examples, not_in_brief, values_of
from browser import browser, needs_browser
from shell import run
from sklearn_ap._shown.sources import printable

LABEL, FIRST, SECOND, WEIGHT, QUERY = PLAIN = ("Lab", "Fir", "Sec", "Wei", "Que")
ASKED = {
    "models": ("--compare", SECOND, "-k", "9"),
    "weights": ("--sample-weight", WEIGHT, "--threshold-at", "threshold=0.5"),
    "low scores": ("--lower-is-better", "--compare", SECOND),
    "levels": ("--threshold-at", "recall=0.8", "--threshold-at", "k=5"),
    "gates": ("--compare", SECOND, "--fail-if-lower", "0.5", "--fail-below", "0.1"),
    "conventions": ("--table", "--sample-weight", WEIGHT),
}
# A score is not called "a, b" or "a=b", which the command takes for several columns or
# for a name and a column.
# Words of sentences and of options, signs of patterns, templates, HTML and JSON.
WORDS = [
    "report.answer has",
    "pass the scores as they are",
    "pass -y_score",
    "pass k",
    "k must be None or",
    "score_by_query has",
    "path must be a new name",
    "of 9 queries",
    "unit_id",
    "Means over 3 queries",
    "is lower by",
    "fails: AP is",
    "95 % interval",
    "no answer",
    "passes:",
    "q\\d",
    "\\1",
    "\\g<0>",
    "(",
    "[x",
    "a{0}",
    "%s",
    "{name}",
    "<b>&amp;",
    "<!--name-->",
    "it's",
    "'a'",
    '\\"',
    "`",
    "a  b",
    "a: b",
    "a. B",
    "--k",
    "-",
    "$1",
    "#",
    "*",
    "a\nb",
    "a\tb",
    "\x1b[31m",
    "\u202e",
    "naïve",
    "検索",
    "None",
    "nan",
    "0.5",
    "1 of 2",
]
LINES = [("-k", "2"), ("--report", "a.html"), ("--table",), ()]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    label = np.arange(60) % 3 == 0
    return pd.DataFrame(
        {
            LABEL: label.astype(int),
            FIRST: (rng.normal(size=60) + label).round(2),
            SECOND: (rng.normal(size=60) + label).round(2),
            WEIGHT: rng.integers(1, 4, 60),
            QUERY: np.arange(60) % 4,
        }
    )


def answered(rows, names, asked, folder):
    """Return what a run prints as JSON."""
    named = dict(zip(PLAIN, names, strict=True))
    path = folder / "rows.parquet"
    rows.rename(columns=named).to_parquet(path)
    line = [named.get(word, word) for word in asked]
    start = (f"--y-true={named[LABEL]}", f"--y-score={named[FIRST]}")
    finished = run(path, *start, *joined(line), "--format", "json")
    assert finished.code in (0, 3), finished.err
    return json.loads(finished.out)


def joined(line):
    """Return a line whose options contain their values, which may begin with a dash."""
    words = []
    for word in line:
        if words and words[-1] in ("--compare", "--sample-weight", "--per"):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def texts_of(value):
    """Yield all texts in a value of JSON, the names of its keys too, in their order."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, str):
        yield value


def shown(text, names):
    """Return a text with these names in place of the plain ones."""
    for place, name in enumerate(PLAIN):
        text = text.replace(name, f"\0{place}\0")
    for place, name in enumerate(names):
        text = text.replace(f"\0{place}\0", name)
    return text


@pytest.fixture(scope="module", params=ASKED.values(), ids=ASKED)
def plain_answer(request, rows, tmp_path_factory):
    """Return a folder, options, and the texts of their answer with plain names."""
    folder, asked = tmp_path_factory.mktemp("names"), request.param
    return folder, asked, [*texts_of(answered(rows, PLAIN, asked, folder))]


@examples(8, 30)
@given(names=st.lists(st.sampled_from(WORDS), min_size=5, max_size=5, unique=True))
def test_names_are_shown_as_they_are(plain_answer, names, rows):
    """In sentences, characters that control a terminal are escaped."""
    folder, asked, plain = plain_answer
    drawn = texts_of(answered(rows, names, asked, folder))
    escaped = list(map(printable, names))
    for expected, found in zip(plain, drawn, strict=True):
        assert found in (shown(expected, names), shown(expected, escaped))


@pytest.mark.parametrize(
    ("asked", "name"), covering([*product(LINES, WORDS)], values_of)
)
def test_a_column_of_queries_may_have_any_name(
    asked, name, rows, tmp_path, monkeypatch
):
    path = tmp_path / "rows.parquet"
    rows.rename(columns={QUERY: name}).to_parquet(path)
    monkeypatch.chdir(tmp_path)
    line = (path, "--y-true", LABEL, "--y-score", FIRST, f"--per={name}")
    finished = run(*line, *asked)
    assert finished.code == 0, finished.err
    # The plural of a name that ends with y has other letters at its end.
    words = " ".join(printable(name).split()).removesuffix("y")
    assert words in " ".join(finished.out.split())


# Line ends, control characters, escape codes, brackets and quotes.
HOSTILE = [
    "a\nb",
    "\r\nc",
    "d\u2028e",
    "\x01f",
    "g\x1b[31m",
    "\x1b]0;h\x07",
    "i\x9b2J",
    "\u202ej",
    "k\u200bl",
    "<b>m",
    '"></title></script><script>console.log(1)</script>',
    "<!--n-->",
    "]]>o",
    "{{p}}",
    "[q](r)",
    '"\'s"',
    "'); console.log(2)//",
    '\\"t\\',
    "`${console.log(3)}`",
    "'><img src=x onerror=console.log(4)>",
]
USE = """
for (const key of document.querySelectorAll("details, button, [data-curve]")) key.click();
for (const slider of document.querySelectorAll("[type=range]")) {
  slider.stepUp();
  slider.dispatchEvent(new Event("input", {bubbles: true}));
}
for (const folded of document.querySelectorAll("details")) folded.open = true;
"""


@needs_browser
@not_in_brief
def test_a_browser_shows_names_and_its_console_is_silent(rows, tmp_path):
    """Each name is a value of a column, and also a title or the name of a column."""
    path, file = tmp_path / "rows.parquet", tmp_path / "page.html"
    values = np.array(HOSTILE, dtype=object)[np.arange(600) % 20]
    many, tags = pd.concat([rows] * 10), set()
    with browser() as page:
        for title, first, second, third, per in zip(*[iter(HOSTILE)] * 5, strict=True):
            named = many.rename(columns={FIRST: first, SECOND: second, WEIGHT: third})
            named.assign(**{per: values}).to_parquet(path)
            compared = f"--compare={second}", f"--compare={third}"
            line = f"--y-score={first}", *compared, f"--per={per}", f"--title={title}"
            assert run(path, "--y-true", LABEL, *line, "--report", file).code == 0
            page.open(file)
            assert page.run("document.title").startswith(printable(title))
            page.run(USE)
            shown = page.run("document.body.innerText").split()
            for name in HOSTILE:
                assert " ".join(printable(name).split()) in " ".join(shown)
            assert all(map(str.isprintable, shown))
            tags.add(page.run("document.querySelectorAll('script, img, b').length"))
        assert len(tags) == 1
        assert page.messages == []
        assert page.requests == [file.as_uri()] * 4
