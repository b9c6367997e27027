"""`identify_function`: the conventions that a function follows, and facts about it."""

import json
import re
import warnings
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

from brief import every_third, not_in_brief
from sklearn_ap.compatibility import (
    CONVENTIONS,
    FunctionComparison,
    NoNumberError,
    _identify_function,
    identify_function,
    score_as,
)
from sklearn_ap.compatibility._identify_function import _expected_numbers
from sklearn_ap.compatibility._records import SIGN_OF_ITEM_ORDER, read_file

# A number that is NaN comes with a warning, which one test of `score_as` asks for.
pytestmark = pytest.mark.filterwarnings("ignore:The number of .* is NaN")

PAGE = Path(__file__).parents[2] / "docs" / "which_ap.md"
RANKINGS = read_file()["ranking"]


def at_ranks(labels):
    """Return the recall and the precision at each rank."""
    hits = labels.cumsum()
    return hits / labels.sum(), hits / np.arange(1, labels.size + 1)


def order(scores):
    return np.argsort(-scores, kind="stable")


def function_of(code, **names):
    """Return the function with this code. It uses the labels y and the scores s; the
    labels r by descending score, equal scores in the order of the rows; and the recall q
    and the precision p at each rank.
    """

    def function(y, s):
        r = y[order(s)]
        q, p = at_ranks(r)
        rows = {"y": y, "s": s, "r": r, "q": q, "p": p}
        return eval(code, KNOWN | names | rows)

    return function


def mean_at_hits(labels):
    _, precision = at_ranks(np.array(labels))
    return precision @ labels / sum(labels)


KNOWN = {"np": np, "ap": metrics.average_precision_score, "mean": mean_at_hits}
PAIRS = "mean([y for _, y in sorted(zip(s, y), reverse=True)])"
STABLE = "Spark meanAveragePrecision"
OVER_K = "rectools MAP, divide_by_k"
LEVELS = "sum(max(p[q >= x], default=0) for x in np.arange(0, 1.1, 0.1)) / 11"


def number_of(name, y_true, y_score, k=5):
    """Return the number of a convention, for scores without ties if their order changes
    it.
    """
    options = {"k": k} if CONVENTIONS[name].cut == "k" else {}
    try:
        return score_as(name, y_true, y_score, **options)
    except NoNumberError:
        if len({*y_true}) == 1:
            raise
        below = y_score - 1e-6 * np.arange(y_score.size)
        return score_as(name, y_true, below, **options)


def is_open(name):
    return CONVENTIONS[name].ties in ("unspecified", *SIGN_OF_ITEM_ORDER)


@pytest.mark.parametrize("name", every_third(CONVENTIONS))
def test_conventions_follow_themselves(name):
    found = identify_function(partial(number_of, name), k=5)
    assert name in found.names
    assert not found.nearest + found.corrections
    # A line of the text lists the conventions that leave the order of equal scores open.
    _, _, listed = " ".join(str(found).split()).partition(" these leave open: ")
    listed, _, _ = listed.partition(". Error: ")
    assert listed.rstrip(".") == "; ".join(filter(is_open, found.names))


@pytest.mark.parametrize(
    "code",
    [
        "number(y[:-1], s[:-1])",
        "number(*np.delete([y, s], s.argmax(), 1))",
        "number(y, s) + 1e-4",
        "number(y, 10.0 - np.arange(y.size))",
        "0.99 * number(y, s)",
    ],
)
def test_spoiled_conventions_do_not(code):
    for name in every_third([*CONVENTIONS][::24]):
        spoiled = function_of(code, number=partial(number_of, name))
        assert name not in identify_function(spoiled, k=5).names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("ap(y, s)", ("scikit-learn",)),
        ("mean(r)", (STABLE, "ranx map", "torchreid")),
        (LEVELS, ("VOC 2007", "voc_ap, use_07_metric")),
        (PAIRS, ("pairs sorted together", "ranx map")),
        ("ap(y, s) + 9 * y.all()", ("scikit-learn",)),
        # In another order of equal scores, the hits are another divisor.
        ("mean(r[:3])", ("HashNet mAP@k",)),
    ],
)
def test_functions_that_follow_conventions(code, names):
    found = identify_function(function_of(code), k=3)
    assert {*names} <= {*found.names}
    assert not found.nearest + found.corrections
    assert found.example is None


def corrected():
    """A function of labels and scores with one fault, by the words of its correction."""
    ap = KNOWN["ap"]
    return {
        "takes scores first": lambda s, y: ap(y, s),
        "ranks low scores first": lambda y, s: ap(y, -s),
        "-number": lambda y, s: -ap(y, s),
        "1 - number": lambda y, s: 1 - ap(y, s),
        "100 * number": lambda y, s: 100 * ap(y, s),
        "agrees to 4 digits": lambda y, s: ap(y, s) + 2e-5,
        "rounded to 3 digits": lambda y, s: round(ap(y, s), 3),
        "rounded to 2 digits": lambda y, s: round(ap(y, s), 2),
    }


@pytest.mark.parametrize(("words", "function"), corrected().items())
def test_a_function_with_one_fault(words, function):
    found = identify_function(function)
    assert found.corrections == (words,)
    assert not found.names
    assert "scikit-learn" in found.nearest
    assert found.example is None


def test_the_error_is_that_of_the_corrected_call():
    def with_checks(s, y):
        if {*y} - {0, 1}:
            raise ValueError("labels must be 0 or 1")
        return KNOWN["ap"](y, s)

    found = identify_function(with_checks)
    assert found.corrections == ("takes scores first",)
    assert not found.error


WITH_TIES = "y[s >= np.sort(s)[-3:][0]].sum() / y.sum()"
# A function that follows none, its cut, the nearest convention, facts, and both numbers on
# the smallest rows where they differ, by hand.
BY_HAND = [
    # Short lists, and a scale. The labels are 1, 0, 1, 0 in ranked order.
    ("mean(r) if y.size > 3 else 0", 0, STABLE, "", "0 1/2"),
    ("mean(r) if s.max() < 1 else -0.0", 0, STABLE, "", "0 5/6"),
    ("p[:9] @ r[:9] / 9 if y.size > 9 else 0", 9, OVER_K, "", "0 1/18"),
    ("ap(y, s.clip(0, 1))", 0, "torchmetrics average_precision", "", "1/2 3/4"),
    ("100 * ap(y, s.clip(0, 1))", 0, "anomalib AUPR", "100 * number", "1/2 3/4"),
    # Equal scores.
    (WITH_TIES, 3, "recall@k", "", "1 3/4"),
    (f"1 - {WITH_TIES}", 3, "recall@k", "1 - number", "1 3/4"),
    # There are only two rows.
    ("p[:3][-1]", 3, "precision@k", "", "1/2 1/3"),
]


@pytest.mark.parametrize(("code", "k", "nearest", "facts", "numbers"), BY_HAND)
def test_the_nearest_and_both_numbers_by_hand(code, k, nearest, facts, numbers):
    found = identify_function(function_of(code), k=k or None)
    assert not found.names
    assert nearest in found.nearest
    assert found.corrections == ((facts,) if facts else ())
    shown = [found.example["value"], *found.example["expected"]]
    assert shown == pytest.approx([float(Fraction(one)) for one in numbers.split()])
    assert "-0.0" not in str(found)


@pytest.mark.parametrize(
    ("code", "k"),
    [
        ("r.cumsum() / np.arange(2, r.size + 2) @ r / r.sum()", None),
        ("ap(y, s) + 1e-3", None),
        ("p @ r / r.size", None),
        (LEVELS.replace("1.1", "1").replace("11", "10"), None),
        ("np.diff(q, prepend=0) @ [1, *p[:-1]]", None),
        ("p.sum() / r.sum()", None),
        ("ap(y, s > 0.5)", None),
        ("ap(1 - y, s)", None),
        ("np.trapezoid([0, *p], [0, *q])", None),
        ("p[:3] @ r[:3]", 3),
        ("r[:4].sum() / r.sum()", 3),
    ],
)
def test_none_is_near_if_numbers_of_distinct_scores_differ(code, k):
    found = identify_function(function_of(code), k=k)
    assert not found.names + found.nearest + found.corrections
    assert "without k, those with a cut are not compared" in str(found)


@pytest.mark.parametrize("k", [3, 39])
def test_numbers_of_conventions_vary_over_plain_rankings(k):
    numbers = _expected_numbers(k).low[:, _identify_function._IS_PLAIN]
    assert (np.nanmax(numbers, axis=1) - np.nanmin(numbers, axis=1) > 0.1).all()


def test_a_function_whose_numbers_change_gets_no_name():
    by_chance = np.random.default_rng(0).random
    code = "mean(y[np.lexsort((by_chance(y.size), -s))])"
    found = identify_function(function_of(code, by_chance=by_chance))
    text = "called again with the same rows, it returns other numbers"
    assert found == FunctionComparison(error=text)


def test_the_dictionary_is_json_without_nan():
    found = identify_function(function_of("mean(r) if y.size > 3 else np.nan"))
    written = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(written)["example"]["value"] is None
    found.example["y_true"].clear()
    assert all(ranking["y_true"] for ranking in RANKINGS)


def test_conventions_with_a_cut_need_it():
    at_3 = partial(number_of, "AP@k, optimistic ties", k=3)
    assert not identify_function(at_3).names
    assert identify_function(at_3, k=3).names[0] == "AP@k, optimistic ties"
    with pytest.raises(ValueError, match=r"^k must be None, an integer"):
        identify_function(at_3, k=3.0)


def test_functions_get_copies_and_show_no_warnings():
    """Each pass changes the rows of the last one. There are two passes."""

    def in_place(y_true, y_score):
        number = metrics.average_precision_score(y_true, y_score)
        y_true[:] = y_score[:] = 0
        warnings.warn("of the function", stacklevel=2)
        calls.append(number)
        return number

    calls = []
    for n_calls in (68, 136):
        assert "scikit-learn" in identify_function(in_place).names
        assert len(calls) == n_calls


# --- the rankings ---------------------------------------------------------------------


def test_rankings_are_of_their_kinds():
    """`identify_function` finds them by their kinds, and shows the smallest."""
    sizes = [len(ranking["y_true"]) for ranking in RANKINGS]
    kinds = [ranking["kind"] for ranking in RANKINGS]
    n_one_class = kinds.count("one class")
    assert sizes[n_one_class:] == sorted(sizes[n_one_class:])
    for ranking in RANKINGS:
        labels, scores = {*ranking["y_true"]}, sorted(ranking["y_score"])
        assert (len(labels) < 2) == (ranking["kind"] == "one class")
        if ranking["kind"] == "plain":
            assert np.diff([0, *scores, 1]).min() >= 0.01
            assert len(scores) >= 10
    by_kind = dict(zip(kinds, RANKINGS, strict=True))
    ordered = "forwards", "backwards", "positives first", "positives last"
    forwards, backwards, first, last = (by_kind[kind]["y_true"] for kind in ordered)
    assert forwards == backwards[::-1]
    assert first == last[::-1] == sorted(forwards, reverse=True)
    assert [len({*by_kind[kind]["y_score"]}) for kind in ordered] == [1, 1, 40, 40]


# Scores are distinct, tied, outside [0, 1], or close to each other.
SCORES = "i / n", "i // 3 / n", "4.0 * i - 2 * n", "0.5 + i / 1e4", "0.5 + i / 1e9"


def drawn(rng):
    """Return a ranking with both classes."""
    n = rng.choice([*range(2, 14), 40])
    label = np.arange(n) < rng.integers(1, n)
    score = eval(rng.choice(SCORES), {"i": rng.permutation(n), "n": n})
    rows = {"y_true": label.astype(int).tolist(), "y_score": score.tolist()}
    return {"kind": "special", **rows}


def distinguished(k):
    """Return the conventions, and which rankings of both classes distinguish two of them,
    in any order of equal scores. The axes are conventions, conventions, and rankings.
    """
    conventions, low, high = _expected_numbers.__wrapped__(k)
    error = 1e-9 + np.array([[one.rounding_error] for one in conventions])
    above = (low - error)[:, np.newaxis] > high + error
    return conventions, (above | above.swapaxes(0, 1))[..., 4:]


@not_in_brief
@pytest.mark.parametrize("k", [3, 10])
def test_rankings_distinguish_what_drawn_ones_distinguish(monkeypatch, k):
    conventions, in_file = distinguished(k)
    rng = np.random.default_rng(k)
    rankings = [drawn(rng) for _ in range(100)]
    monkeypatch.setattr(_identify_function, "_RANKINGS", RANKINGS[:4] + rankings)
    _, in_drawn = distinguished(k)
    missing = in_drawn & ~in_file.any(axis=2, keepdims=True)
    for row, other, place in np.argwhere(missing)[:1]:
        pytest.fail(
            f"Only {rankings[place]} distinguishes {conventions[row].name!r} from "
            f"{conventions[other].name!r}: write it into records.toml, as the recipe "
            "'A record' of CONTRIBUTING.md says."
        )


# --- the table of the page ------------------------------------------------------------


# A function of each row of the table, and a convention that it follows.
ROWS = {
    "voc_ap": (
        "lambda q, p: np.diff(q, prepend=0) @ np.maximum.accumulate(p[::-1])[::-1]",
        "VOC 2010",
    ),
    "apk": (
        "lambda actual, found, k: sum("
        "np.isin(found[: i + 1], actual).mean() for i in range(min(k, len(found)))"
        "if found[i] in actual) / max(min(len(actual), k), 1)",
        "recommenders map_at_k",
    ),
    "evaluate": ("lambda y, s: (y.size, y.sum(), ap(y, s))", "scikit-learn"),
}
WRAPPERS = re.findall(
    r"\| `(lambda y, s: (\w+)\(.*?)`(?:, with `k=(\d)`)? \|", PAGE.read_text()
)


@pytest.mark.parametrize(("code", "name", "k"), WRAPPERS)
def test_wrappers_of_the_page(code, name, k):
    names = KNOWN | {"order": order, "curve": lambda y, s: at_ranks(y[order(s)])}
    assert [row for _, row, _ in WRAPPERS] == [*ROWS]
    function, convention = ROWS[name]
    names[name] = eval(function, names)
    found = identify_function(eval(code, names), k=int(k) if k else None)
    assert convention in found.names
