"""The first lines for a file: average precision beside chance, and what n, R, prevalence and k are."""

import json
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from command import COLUMNS, error_of, run
from oracle import ranking, step
from sklearn_ap._command._summary import Given, _count, mean_chance, shortly
from sklearn_ap.compatibility import compare_conventions


def written(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    return tmp_path / "a.csv"


def said(*arguments):
    """The first lines, as one, after the name of the file."""
    finished = run(*arguments, "--table")
    assert (finished.code, finished.err) == (0, "")
    first, _ = finished.out.split("\n\n", 1)
    return " ".join(first.split()).partition("': ")[2]


@pytest.fixture
def path(tmp_path):
    """Two queries; x ranks its positive first, y last but for a tie at its end."""
    rows = ["1,9,2,x", "0,8,1,x", "0,7,1,x", "0,6,1,y", "0,5,1,y", "1,4,1,y", "0,4,1,y", "0,3,2,y"]
    return written(tmp_path, "label,score,weight,query\n" + "\n".join(rows) + "\n")


def test_one_ranking(path):
    # (1 + 2/7) / 2, and the mean over all orders of 8 rows whose 6th and 7th are tied
    assert said(path, *COLUMNS, "-k", "3") == (
        "8 rows, 2 positive (25 %). Average precision (AP) is 0.64; chance is 0.43. The first 3 rows hold "
        "1 of 2 positives. k = 3 rows."
    )
    tied = said(path, *COLUMNS, "-k", "6")
    assert "The first 6 rows hold 1.5 of 2 positives." in tied
    assert "The first row holds 1 of 2 positives." in said(path, *COLUMNS, "-k", "1")
    assert "All 8 rows hold 2 of 2 positives." in said(path, *COLUMNS, "-k", "99")
    assert said(path, *COLUMNS).endswith("k = 10 rows, the default of -k.")


def test_shares_weights_queries_and_totals(path):
    share = said(path, *COLUMNS, "-k", "0.25")
    assert "The first 25% of the rows (2) hold 1 of 2 positives." in share
    assert share.endswith("k = 0.25 of the rows.")
    weighted = said(path, *COLUMNS, "--sample-weight", "weight", "-k", "3")
    assert "chance is 0.30. The first 3 rows hold 0.67 of the weight of the positives." in weighted
    assert "2 positive (25 %); they are 30 % of the weight." in weighted
    queries = said(path, *COLUMNS, "--query-id", "query", "-k", "1")
    # x: (1 + 1/2 + 1/3) / 3, the mean of 1, 1/2 and 1/3; y: of 1, 1/2, 1/4, 1/4 and 1/5
    assert queries == (
        "8 rows in 2 queries, 2 positive (25 %). Mean average precision (MAP) of the queries is 0.62; chance "
        "is 0.53. The first row of a query holds 0.50 of its positives, on average. "
        "k = 1 rows. Means over 2 queries. scikit-learn's AP takes all rows as one ranking."
    )
    weighted = said(path, *COLUMNS, "--sample-weight", "weight", "--n-positives", "6", "-k", "3")
    assert "The first 3 rows hold 0.33 of the weight of the positives." in weighted
    assert "they are 30 % of the weight, 3 of the 6 that all positives weigh." in weighted
    totals = said(path, *COLUMNS, "--n-positives", "4", "-k", "3")
    assert "(AP) is 0.32; chance is 0.22. The first 3 rows hold 1 of 4 positives." in totals
    assert "2 of 4 positive (25 %)." in totals
    totals = said(path, *COLUMNS, "--n-positives", "4", "--query-id", "query")
    assert "(MAP) of the queries is 0.16; chance is 0.13." in totals
    assert "2 of 8 positive (25 %)." in totals


def test_weights_of_queries_are_said_to_be_weights(tmp_path):
    path = written(tmp_path, "label,score,weight,query\n1,9,9,x\n1,8,1,x\n0,7,5,x\n")
    queries = [*COLUMNS, "--query-id", "query", "-k", "1"]
    assert "The first row of a query holds 0.50 of its positives, on average." in said(path, *queries)
    weighted = said(path, *queries, "--sample-weight", "weight")
    assert "The first row of a query holds 0.90 of the weight of its positives, on average." in weighted


def test_queries_of_no_weight_have_no_chance(path, tmp_path):
    text = path.read_text() + "1,1,0,z\n"
    queries = ["--sample-weight", "weight", "--query-id", "query"]
    with_z, without = (
        said(written(tmp_path, one), *COLUMNS, *queries).split(". ")[1] for one in (text, path.read_text())
    )
    mean = "Mean average precision (MAP) of the queries by weight"
    assert with_z == without == f"{mean} is 0.62; chance is 0.33"


@pytest.mark.parametrize("scores", [[4, 3, 2, 1], [2, 2, 1, 1], [1, 1, 1, 0], [0, 0, 0, 0]])
@pytest.mark.parametrize("n_positives", [1, 2, 3, 4])
def test_chance_is_the_mean_over_all_orders(scores, n_positives):
    labels = [place < n_positives for place in range(4)]
    orders = [step(ranking(order, scores)) for order in permutations(labels)]
    given = Given(np.array(labels), np.array(scores), None, None, None)
    assert mean_chance(given) == pytest.approx(float(sum(orders) / Fraction(len(orders))), abs=1e-15)


def test_without_positives(tmp_path):
    finished = run(written(tmp_path, "label,score\n0,1\n0,2\n"), *COLUMNS, "--table")
    assert "a.csv': no row is positive, so average precision says nothing.\n" in finished.out
    assert "k = 10 rows" in finished.out


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.00"),
        (1, "1.00"),
        (0.5, "0.50"),
        (0.0334, "0.033"),
        (0.998, "0.9980"),
        (3e-5, "0.000030"),
        (3.21e-8, "3.2e-08"),
        (1 - 1e-9, "1.00"),
        (0.999996, "0.999996"),
    ],
)
def test_shares_keep_two_digits_of_what_is_near(value, text):
    assert shortly(value) == text


def test_counts():
    assert [_count(one) for one in (3.0, 2.9999999999, 2.25, 0.0)] == ["3", "3", "2.2", "0"]


def test_reasons_are_asked_for(path):
    short, long = run(path, *COLUMNS, "--table").out, run(path, *COLUMNS, "--why").out
    assert "  positives counted, not their precision" in long
    assert "  positives counted" not in short
    assert short.endswith("\n--why tells which choice of the definition makes which part of a difference.\n")
    assert "--why" not in long
    assert [line for line in long.splitlines() if line[:1] != " "] == short.splitlines()[:-2]


def test_reasons_of_other_formats_are_there_anyway(path):
    for options in (
        ["--format", "json"],
        ["--format", "csv"],
        ["--identify", "0.5"],
    ):
        message = error_of(path, *COLUMNS, "--why", *options)
        shown = options[0] if options[0] == "--identify" else " ".join(options)
        assert message == (
            f"--why adds reasons to the table, and {shown} tells them anyway: leave out --why; see --help"
        )


def test_first_lines_are_not_in_other_formats(path):
    rows = json.loads(run(path, *COLUMNS, "--format", "json").out)
    expected = compare_conventions([1, 0, 0, 0, 0, 1, 0, 0], [9, 8, 7, 6, 5, 4, 4, 3]).rows
    assert [(row["score"], row["value"]) for row in rows] == [(row.name, row.value) for row in expected]
    assert run(path, *COLUMNS, "--format", "csv").out.startswith("score,value,low,high,")
