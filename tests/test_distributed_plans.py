"""Plans: whatever the parts and the memory are, a score is that of all rows in memory."""

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ranking_state import HELD, KINDS

import problems
from sklearn_ap import average_precision_score, distributed, get_scorer
from sklearn_ap.distributed._plans import _slices
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._part import Roles
from sklearn_ap.distributed._plans._plan import scores_of
from sklearn_ap.distributed._question import question_of
from sklearn_ap.distributed._source import read_memory_limit
from sources import PartsSource

LIMITS = (1, 20_000, 10**9)
QUESTIONS = [question_of(one.score, one.options) for one in HELD]


OPTIONS = st.fixed_dictionaries({"statistics": st.booleans(), "exchanges": st.booleans()})


def nobody(*_):
    """Listen to no progress."""


def scored(source, questions=QUESTIONS, limit=10**9, **roles) -> list[float]:
    return scores_of(Job(source, Roles("y", "x", **roles), limit, nobody), questions)


def in_memory(y_true, y_score) -> list[float]:
    return [one.score(y_true, y_score, **one.options) for one in HELD]


def close(values: list[float], expected: list[float]) -> bool:
    return bool(np.all(np.abs(np.subtract(values, expected)) <= 1e-15))


@pytest.fixture
def few_bins(monkeypatch):
    """Cut a dozen rows into ranges: ranges need not take less memory than bins."""
    monkeypatch.setattr(_slices, "_LEAST_BINS", 2)


@pytest.mark.usefixtures("few_bins")
@given(st.data(), st.integers(1, 12), st.sampled_from([1, 60, 100, 10**9]))
def test_any_parts_and_any_memory_give_the_score_of_all_rows(data, size, limit):
    y_true = np.array(data.draw(problems.labels_with_a_positive(size)))
    y_score = np.array(data.draw(problems.scores(size)))
    part_size, options = data.draw(st.integers(1, size)), data.draw(OPTIONS)
    source = PartsSource({"y": y_true, "x": y_score}, part_size, **options)
    assert close(scored(source, limit=limit), in_memory(y_true, y_score))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [0.004, 0.3])
def test_any_kind_of_scores(kind, rate):
    rng = np.random.default_rng(len(kind))
    y_true, y_score = (rng.random(2000) < rate).astype(int), KINDS[kind](rng, 2000)
    y_true[:2] = 0, 1
    expected = in_memory(y_true, y_score)
    for limit, statistics in ((1, False), (1, True), (12_000, True)):
        for exchanges in (False, True):
            options = {"statistics": statistics, "exchanges": exchanges}
            source = PartsSource({"y": y_true, "x": y_score}, 300, **options)
            assert close(scored(source, limit=limit), expected), limit


def test_scans_are_as_few_as_memory_allows():
    """One takes best rows and all rows; rare positives one more without statistics, others one per range."""
    rng = np.random.default_rng(0)
    ap, cut = ([question_of(name, {})] for name in ("average_precision", "average_precision@20"))
    common, rare = (rng.random(20_000) < rate for rate in (0.5, 0.002))
    y_score = rng.random(20_000, dtype=np.float32)

    def scans(y_true, questions, limit, **options) -> int:
        source = PartsSource({"y": y_true, "x": y_score}, 1000, **options)
        scored(source, questions, limit)
        return source.scans

    assert scans(common, cut, 1) == 1
    assert scans(common, ap, 80_000) == 1
    assert scans(common, ap, 79_999, statistics=False) == 5  # too many after all, counts, ranges
    assert scans(rare, ap, 40_000) == 2
    assert scans(rare, ap, 40_000, statistics=False) == 3
    assert 5 <= scans(common, ap, 40_000) <= 7
    several = [*ap, question_of("pr_auc", {}), question_of("r_precision", {})]
    assert scans(rare, several, 40_000) == 2
    assert scans(common, several, 79_000) == scans(common, ap, 79_000)


SEVERAL = [  # of all areas, with cuts, orders of equal scores and prevalences
    ("average_precision", {}),
    ("average_precision", {"prevalence": 0.1}),
    ("interpolated_average_precision", {}),
    ("eleven_point_average_precision", {}),
    ("pr_auc", {}),
    ("pr_auc", {"interpolation": "davis-goadrich"}),
    ("r_precision", {}),
    ("recall_at_precision@0.6", {}),
    ("average_precision@20", {}),
    ("average_precision@0.1", {}),
    ("precision@0.1", {"ties": "pessimistic"}),
    ("average_precision@0.1", {"ties": "expected", "normalizer": "hits"}),
]


@pytest.mark.parametrize(("rate", "weighted"), [(0.5, False), (0.5, True), (0.002, False), (0.002, True)])
def test_several_scores_take_the_scans_of_one(rate, weighted):
    """Together as many scans as the one that needs most takes alone, and the same floats."""
    rng = np.random.default_rng(1)
    y_true, y_score, weight = rng.random(20_000) < rate, rng.normal(size=20_000).round(4), rng.random(20_000)
    questions = [question_of(*one) for one in SEVERAL[: 10 if weighted else None]]

    def scans(questions, limit) -> tuple[int, list[float]]:
        source = PartsSource({"y": y_true, "x": y_score + y_true, "w": weight}, 3000)
        values = scored(source, questions, limit, sample_weight="w" if weighted else None)
        return source.scans, values

    for limit in (10**8, 400_000 if weighted else 60_000):
        alone = [scans([one], limit) for one in questions]
        together, values = scans(questions, limit)
        expected = [value for _, (value,) in alone]
        # Weights of the first rows are added up in another order where all rows fit.
        assert close(values, expected)
        assert weighted or values == expected
        assert together == max(n_scans for n_scans, _ in alone)
    assert together >= 2 + (rate == 0.5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("slope", [-1.0, 0.0, 1.0])
def test_workers_rank_their_ranges_and_return_sums(slope, weighted):
    """Two scans for any scores and limit, the floats of one range after the other, and no row comes back."""
    rng = np.random.default_rng(2)
    y_true = rng.random(20_000) < 0.3
    rows = {"y": y_true, "x": rng.normal(size=20_000).round(3) + slope * y_true, "w": rng.random(20_000)}
    questions = [question_of(*one) for one in (SEVERAL[:9] if weighted else SEVERAL)]
    weight = "w" if weighted else None
    limit = 400_000 if weighted else 40_000
    here, workers = (PartsSource(rows, 3000, exchanges=exchanges) for exchanges in (False, True))
    expected = scored(here, questions, limit, sample_weight=weight)
    assert scored(workers, questions, limit, sample_weight=weight) == expected
    assert workers.scans == 2 < here.scans
    # Without room for all ranges at once, they take turns.
    little = PartsSource(rows, 3000, exchanges=True)
    little.room = lambda: 600_000 if weighted else 40_000
    assert scored(little, questions, limit, sample_weight=weight) == expected
    assert 2 < little.scans < here.scans
    # Steps between the bounds of interpolation are sent; precision that falls with the score has most.
    assert 0 < workers.sent < 20_000 * (2 if slope < 0 else 1)


@pytest.mark.parametrize("rate", [0.5, 0.02])
def test_ranges_and_workers_do_not_move_the_last_bit(rate):
    """Sums over the steps of ranges are rounded once, and those in memory block by block."""
    rng = np.random.default_rng(7)
    y_true, y_score = rng.random(70_000) < rate, rng.random(70_000, dtype=np.float32)
    questions = [question_of(*one) for one in SEVERAL]
    scores = [get_scorer(name, **given) for name, given in SEVERAL]
    expected = [one._score_func(y_true, y_score, **one._kwargs) for one in scores]
    found = [
        scored(PartsSource({"y": y_true, "x": y_score}, 20_000, exchanges=exchanges), questions, limit)
        for limit, exchanges in ((270_000, False), (150_000, False), (100_000, True), (250_000, True))
    ]
    assert found == found[:1] * 4
    assert found[0] == pytest.approx(expected, rel=1e-15, abs=0)


def test_workers_find_rows_that_changed_or_are_refused():
    rng = np.random.default_rng(5)
    y_true, y_score = rng.random(3000) < 0.5, rng.random(3000)

    class Changing(PartsSource):
        def exchange(self, *asked):
            self.parts[3] = {"y": self.parts[3]["y"], "x": self.parts[3]["x"] + self.added}
            return super().exchange(*asked)

    for added, message in (
        (-1, "changed between two scans: a range of scores held"),
        (np.inf, "column 'x', row 1501: inf is not a finite number"),
    ):
        source = Changing({"y": y_true, "x": y_score}, 500, exchanges=True)
        source.added = added
        with pytest.raises(ValueError, match=rf"^'rows': {message}"):
            scored(source, QUESTIONS[:1], limit=8000)


@pytest.mark.parametrize("limit", LIMITS)
def test_scores_that_crowd_in_one_bin(limit):
    """Bins of the same width put all but one row into the first bin, which is cut again."""
    rng = np.random.default_rng(2)
    y_score = np.concatenate([rng.random(3000) * 1e-12, np.full(2000, 3e-13), [1e300, -1e300]])
    y_true = np.arange(y_score.size) % 3 == 0
    source = PartsSource({"y": y_true, "x": y_score}, 500)
    assert close(scored(source, limit=limit), in_memory(y_true, y_score))
    workers = PartsSource({"y": y_true, "x": y_score}, 500, exchanges=True)
    assert scored(workers, limit=limit) == scored(source, limit=limit)
    exact = Fraction(0)
    distinct = np.unique(y_score[y_true])
    for one in distinct:
        found, above = int(np.sum(y_true[y_score >= one])), int(np.sum(y_score >= one))
        exact += Fraction(found, above) * int(np.sum(y_true[y_score == one]))
    assert abs(scored(source, limit=limit)[0] - float(exact / int(y_true.sum()))) <= 1e-15


def test_one_score_for_all_rows():
    y_true = np.arange(10_000) % 4 == 0
    source = PartsSource({"y": y_true, "x": np.ones(10_000)}, 1000)
    assert close(scored(source, limit=1000), in_memory(y_true, np.ones(10_000)))


def test_parameters_of_scores():
    rng = np.random.default_rng(3)
    y_true, y_score = rng.random(4000) < 0.02, rng.random(4000).round(3)
    rows = pd.DataFrame({"label": y_true, "score": y_score})
    for params in ({"n_positives": 300}, {"prevalence": 0.3}, {"zero_division": 1.0}):
        expected = average_precision_score(y_true, y_score, **params)
        for limit in LIMITS[1:]:
            value = distributed.average_precision_score(rows, memory_limit=limit, **params)
            assert value == pytest.approx(expected, abs=1e-15)
    with pytest.raises(ValueError, match="n_positives must not be below"):
        distributed.average_precision_score(rows, n_positives=3, memory_limit=1000)


@pytest.mark.parametrize("limit", LIMITS)
def test_no_positive(limit):
    rows = pa.table({"label": [0] * 300, "score": np.arange(300.0)})
    with pytest.warns(UserWarning, match="No positive class found"):
        assert distributed.average_precision_score(rows, memory_limit=limit) == 0
    assert np.isnan(distributed.pr_auc_score(rows, zero_division=np.nan, memory_limit=limit))
    assert distributed.scores(["precision@2"], rows, memory_limit=limit) == {"precision@2": 0}


@pytest.mark.parametrize(("negative", "positive"), [(0, 1), (-1, 1), (False, True), ("no", "yes"), (2, 7)])
@pytest.mark.parametrize("limit", [500, 10**9])
def test_labels(negative, positive, limit):
    rng = np.random.default_rng(4)
    y_score, found = rng.random(500), rng.random(500) < 0.3
    y_true = np.where(found, np.array(positive, dtype=object), negative)
    source = PartsSource(
        {"y": y_true if isinstance(positive, str) else y_true.astype(type(positive)), "x": y_score}
    )
    assert close(scored(source, limit=limit, pos_label=positive), in_memory(found, y_score))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [0.1, np.nan]}, "column 'x', row 4: no value"),
        ({"x": [0.1, -np.inf]}, "column 'x', row 4: -inf is not a finite number"),
        ({"y": [0.0, np.nan]}, "column 'y', row 4: no value"),
        ({"y": [0, 2]}, "column 'y', row 4: 2 is a third label, beside pos_label=1 and 0; pos_label must"),
        (
            {"y": [1, 2]},
            "column 'y', row 4: 2 is a third label, beside pos_label=1 and 0 of 'rows', row 1; pos_label",
        ),
        ({"y": [0.5, 1]}, "column 'y': continuous format is not supported"),
        ({"w": [1.0, -2.0]}, "column 'w', row 4: -2.0 is below 0, but a weight is 0 or more"),
        ({"w": [np.inf, 1.0]}, "column 'w', row 3: inf is not a finite number"),
        (
            {"x": np.array(["1", "2"], dtype=object)},
            "column 'x', row 3: '1' is text; a column of numbers is wanted",
        ),
        ({"x": np.array([2**63 - 1, 0])}, "column 'x': y_score must be exact in one type"),
    ],
)
@pytest.mark.parametrize("limit", [1, 10**9])
def test_rows_that_are_refused_are_named(columns, message, limit):
    usual = {"y": [0, 1], "x": [0.5, 0.7], "w": [1.0, 2.0]}
    second = {name: np.asarray(columns.get(name, values)) for name, values in usual.items()}
    parts = {name: [np.asarray(values), second[name], np.asarray(values)] for name, values in usual.items()}
    weight = {"sample_weight": "w"} if "w" in columns else {}
    if weight and limit == 1:
        return
    with pytest.raises(ValueError, match=r"^" + re.escape(f"'rows': {message}")) as caught:
        scored(PartsSource(parts, statistics=False), limit=limit, **weight)
    assert "\n" not in str(caught.value)


def test_rows_that_change_between_scans():
    rng = np.random.default_rng(5)
    source = PartsSource({"y": rng.random(3000) < 0.5, "x": rng.random(3000)}, 500)

    class Changing(PartsSource):
        def scan(self, *asked):
            if source.scans == 2:
                source.parts.pop(0)
            return source.scan(*asked)

        def __init__(self):
            self.name, self.reads_again, self.exchanges = source.name, True, False
            self.columns, self.n_rows, self.extremes = source.columns, source.n_rows, source.extremes

    with pytest.raises(ValueError, match=r"^'rows': changed between two scans: "):
        scored(Changing(), QUESTIONS[:1], limit=8000)


def test_rows_that_are_read_once():
    rng = np.random.default_rng(6)
    y_true, y_score = rng.random(3000) < 0.5, rng.random(3000)
    once = PartsSource({"y": y_true, "x": y_score}, 500, reads_again=False, statistics=False)
    assert scored(once) == in_memory(y_true, y_score)
    once = PartsSource({"y": y_true, "x": y_score}, 500, reads_again=False, statistics=False)
    with pytest.raises(
        ValueError,
        match=r"^'rows': memory_limit must be at least 24000 bytes here: .*, so all 3000 rows must fit",
    ):
        scored(once, limit=1000)


def test_no_rows():
    with pytest.raises(ValueError, match=r"^'rows': holds no rows"):
        scored(PartsSource({"y": np.empty(0, dtype=int), "x": np.empty(0)}))


def test_arguments_are_refused_before_a_scan():
    rows = pd.DataFrame({"label": [0, 1], "score": [0.1, 0.9]})
    for arguments, error, message in [
        ({"y_true": "nope"}, ValueError, "column 'nope' is missing; the columns are 'label', 'score'"),
        ({"k": 3}, TypeError, r"average_precision_score\(\) got an unexpected keyword argument 'k'"),
        ({"memory_limit": "much"}, ValueError, "memory_limit must be 'auto', a number of bytes"),
        ({"prevalence": 2}, ValueError, "prevalence must be"),
        ({"filter": 1}, (TypeError, ValueError), "filter"),
        ({"average": "mean"}, ValueError, "average"),
    ]:
        with pytest.raises(error, match=message):
            distributed.average_precision_score(rows, **arguments)
    with pytest.raises(TypeError, match=r"^data must be a path"):
        distributed.average_precision_score(7)
    with pytest.raises(ValueError, match="needs the order of rows"):
        distributed.precision_at_k_score(rows, ties="stable")
    with pytest.raises(TypeError, match="score_funcs must be a list"):
        distributed.scores("average_precision", rows)


def test_memory_limits():
    assert read_memory_limit("1.5GB") == 1_500_000_000
    assert read_memory_limit("2 GiB") == read_memory_limit("2gi") == 2**31
    assert read_memory_limit("100k") == read_memory_limit(100_000) == read_memory_limit(1e5) == 100_000
    assert 2**20 < read_memory_limit("auto") < 2**45
    for wrong in (0, -1, "0", "", "GB", "1XB", None, np.nan, np.inf, [1], "1e9"):
        with pytest.raises(ValueError, match=r"^memory_limit must be"):
            read_memory_limit(wrong)


def test_progress(capsys):
    rows = pd.DataFrame({"label": [0, 1], "score": [0.1, 0.9]})
    told = []
    distributed.average_precision_score(rows, progress=lambda *done: told.append(done))
    assert told[-1][0] == len(told) > 0
    distributed.average_precision_score(rows, progress=True)
    assert "] 1 of 1 parts\n" in capsys.readouterr().err


@pytest.mark.parametrize("query_id", [None, "query"])
def test_progress_says_which_scan_of_how_many(query_id, capsys):
    rng = np.random.default_rng(0)
    columns = {"label": rng.random(4000) < 0.5, "score": rng.random(4000), "query": np.arange(4000) // 40}
    source = PartsSource(columns, 1000, statistics=False)
    limit = 8000 if query_id is None else 90_000
    distributed.average_precision_score(source, query_id=query_id, memory_limit=limit, progress=True)
    pattern = r"\] (?:scan (\d+)(?: of (\d+))?: )?5 of 5 parts\n"
    scans = re.findall(pattern, capsys.readouterr().err)
    numbers = [int(number or 1) for number, _ in scans]
    assert numbers == list(range(1, source.scans + 1))
    known = [of_all for _, of_all in scans if of_all]
    assert known == [str(source.scans)] * len(known)
    assert len(known) >= 2


@pytest.mark.parametrize("memory_limit", ["auto", 1])
def test_a_positive_between_masked_candidates_and_all_other_negatives(memory_limit):
    """What stands for the masked score is below every other score, of either class."""
    rows = pd.DataFrame({"label": [0, 1, 0, 1], "score": [np.finfo(np.float64).min, 1.0, 2.0, 3.0]})
    found = distributed.average_precision_score(rows, memory_limit=memory_limit)
    assert found == average_precision_score(rows.label, rows.score) == pytest.approx(5 / 6)
