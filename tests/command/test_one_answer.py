"""The text, the page and the JSON show the same statements, and each number on the page
is in the answer.
"""

import random
import re
from html import unescape
from itertools import combinations

import pytest

from brief import IS_BRIEF, covering
from shell import ROWS, json_of, run
from sklearn_ap._shown.numbers import format_pvalue

FRAME = ROWS.head(150).assign(site=ROWS["item"] % 3)
TOTALS = FRAME.groupby("day").label.sum().add(2).rename("total").reset_index()
TAGS = r"(?s)<style.*?</style>|<script.*?</script>|<dl.*?</dl>|<[^>]*>"
SEVERAL = [
    "--query-id day",
    "--per day",
    "--per day --fail-each",
    "--per site",
    "--per day --n-positives totals.csv",
    "--per day --unit-id site",
]
MAYBE = [
    ["-k 3", "-k 5%", "-k 3 -k 5%"],
    ["--compare old", "--compare old --compare none"],
    ["--amount amount"],
    ["--sample-weight weight", "--prevalence 0.03"],
    ["--against old.csv", "--against clean.csv"],
    ["--fail-below 0.3", "--fail-below 0.9", "--fail-if-lower 0.02 --compare <b>"],
]
ALONE = ["--unit-id day", "--n-positives 300", "--lower-is-better", ""]
ALONE += ["--threshold-at k=9 --threshold-at threshold=1"]
CLASSES = "--y-true class --y-score cat,dog,owl"


def drawn_line(draw):
    """Draw options of a command line that can be combined."""
    first = draw.choice([*SEVERAL, *ALONE, CLASSES])
    options = [draw.choice(["", *each]) for each in MAYBE]
    if first == CLASSES:
        options[4] = ""
        for column in ("old", "none", "<b>"):
            options = [option.replace(column, "owl,cat,dog") for option in options]
            options[1] = "--compare owl,dog,cat" * bool(options[1])
    if "--fail-if-lower" in options[5] and (options[1] or first == CLASSES):
        options[5] = ""
    # The weights of missed positives are unknown.
    if "--n-positives" in first:
        options[3] = ""
    if "--fail-each" in first and not options[5]:
        options[5] = "--fail-below 0.2"
    # An amount and a gate take one budget.
    if options[2] or options[5]:
        options[0] = options[0].removesuffix(" -k 5%")
    return " ".join(filter(None, [first, *options]))


def bare(text):
    return "".join(text.split())


def numbers_at(name, answer):
    """The values of a field anywhere in the answer."""
    if isinstance(answer, list):
        return [value for part in answer for value in numbers_at(name, part)]
    if not isinstance(answer, dict):
        return []
    here = [answer[name]] if name in answer else []
    return here + numbers_at(name, [*answer.values()])


def pairs_of_options(line):
    options = re.findall(r"-(?:-[a-z-]+|k)(?: [^-]\S*)*", line)
    return combinations(sorted(options), 2)


LINES = [drawn_line(random.Random(seed)) for seed in range(60)]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("line", covering(LINES, pairs_of_options))
def test_text_page_and_json_have_the_same_answer(line, saved, monkeypatch):
    line = line.split()
    path = saved(FRAME)
    monkeypatch.chdir(path.parent)
    saved(FRAME.assign(score=FRAME.old), "old.csv")
    saved(FRAME.assign(label=0), "clean.csv")
    saved(TOTALS, "totals.csv")
    finished = run(path, *line, "--report", "a.html")
    assert finished.code in (0, 3, 4), finished.err
    again = [] if IS_BRIEF else ["--report", "b.html"]
    answer = json_of(path, *line, *again)
    page = path.with_name("a.html").read_text()
    if again:
        assert page == path.with_name("b.html").read_text()
    shown = unescape(re.sub(TAGS, " ", page))
    for statement in answer["statements"]:
        rows = statement["table"]
        # The text breaks wide tables between their columns.
        for text in [cell for row in rows for cell in row] or [statement["text"]]:
            assert bare(text) in bare(finished.out), text
        for text in map("".join, rows or [[statement["text"]]]):
            assert bare(text) in bare(shown), text
    pvalues = [value for value in numbers_at("pvalue", answer) if value is not None]
    levels = [0.05, *(level for level in numbers_at("level", answer) if level)]
    texts = {format_pvalue(value, level) for value in pvalues for level in levels}
    assert {*re.findall(r"\bp ([=<] [\d.e-]*\d)", shown)} <= texts
    verdicts = [check["failed"] for check in answer["checks"]]
    for words, failed in (("Passes:", False), ("Fails:", True), ("No answer:", None)):
        assert shown.count(words) == verdicts.count(failed)
    assert finished.code == (4 if None in verdicts else 3 * (True in verdicts))
    counts = numbers_at("counts", answer)
    n_classes = max(len(answer["classes"]) * ("class" in line), 1)
    for n_rows, n_positives in re.findall(r"(\d+) rows,? .*?(\d+) positive \(", shown):
        assert any(
            int(n_rows) in (each["rows"], each["rows"] // n_classes)
            and int(n_positives) == each["positives"]
            for each in counts
        )
