"""Numbers of files, compared as they are written: none is rounded, and nothing else counts as one."""

import re
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import average_precision_score as theirs

from command import COLUMNS, error_of, rows_of, run, values_of
from sklearn_ap import average_precision_score, distributed
from sklearn_ap.compatibility import compare_conventions, score_as
from sklearn_ap.distributed._engines._arrow import arrow_columns
from sklearn_ap.distributed._engines._files import of_paths
from sklearn_ap.distributed._source import Place, shown

BIG = 2**53
POOL = {
    "integers beyond 2^53": [str(BIG + i) for i in range(5)],
    "integers beyond 2^63": [str(2**63 + i) for i in range(5)],
    "spellings": ["0.5", "0.50", ".5", "5e-1", "+0.5", " 0.5", "0.5\t", "05E-01", "0.25", "1."],
    "floats as repr prints them": [repr(float(np.nextafter(0.1, i))) for i in range(2)]
    + ["0.1", "5e-324", "1e23"],
    "floats as savetxt prints them": [f"{value:.18e}" for value in (0.1, 0.2, 1 / 3, 1e-300, 123456.789)],
    "floats to their last digit": [f"{value:.55f}" for value in (0.1, 0.2, 0.3, 0.125)],
    "whole numbers among others": ["0.5", "9007199254740992", "10000000000000000000000", "-12", "1e22"],
}


def csv_of(tmp_path, **columns):
    path = tmp_path / "written.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in [columns, *rows]))
    return path


def parquet_of(tmp_path, **columns):
    pq.write_table(pa.table(columns), tmp_path / "written.parquet")
    return tmp_path / "written.parquet"


def type_of(path):
    """The type that the scores of a file have."""
    source = of_paths(path, None)
    source.scan(["score"], lambda part: part, lambda parts: parts[0], lambda *_: None)
    return source.columns()["score"]


def found_in(path, *options):
    rows = rows_of(path, *COLUMNS, *options)
    return {row["score"]: (row["value"], row["scikit_learn"]) for row in rows}


def by_rank(labels, scores, **options):
    """What the table of exact scores has to hold: that of their ranks, in which nothing can be rounded."""
    order = sorted(set(map(Fraction, scores)))
    ranks = [order.index(Fraction(score)) for score in scores]
    rows = compare_conventions(labels, ranks, **options).rows
    assert rows[0].scikit_learn == pytest.approx(theirs(labels, ranks), abs=1e-12)
    return {row.name: (row.value, row.scikit_learn) for row in rows}


@pytest.mark.parametrize("kind", POOL)
def test_scores_keep_their_exact_order(kind, tmp_path):
    rng = np.random.default_rng(0)
    for _ in range(4):
        scores = rng.choice(POOL[kind], 12).tolist()
        labels = rng.permutation(np.arange(12) % 3 == 0).astype(int).tolist()
        path = csv_of(tmp_path, label=labels, score=scores)
        assert found_in(path, "-k", 4) == by_rank(labels, scores, k=4)


def test_neighbours_of_float64(tmp_path):
    """float64 makes them one score, and both columns of the table 0.5."""
    path = csv_of(tmp_path, label=[1, 0], score=[BIG + 1, BIG])
    assert found_in(path)["average precision"] == (1.0, 1.0)


@pytest.mark.parametrize(
    ("scores", "dtype"),
    [
        (["1", "2"], np.int64),
        (["1", str(2**64 - 1)], np.uint64),
        (["-1", str(2**63)], np.float64),
        (["1", "2.0"], np.float64),
        (["0.1000000000000000055511151231257827", "0.2"], np.float64),
        (["true", "False"], bool),
        (["1", "true"], object),
        (["1", "0x10"], object),
    ],
)
def test_the_type_of_all_cells(scores, dtype, tmp_path):
    """It does not depend on which of them are in the first rows, from which types are assumed."""
    path = csv_of(tmp_path, label=[0, 1], score=scores)
    assert type_of(path) == dtype
    for order in (scores, scores[::-1]):
        many = [order[0]] * 5000 + [order[1]]
        assert type_of(csv_of(tmp_path, label=many, score=many)) == dtype


TOO_LONG = ["0.50000000000000000001", "0.1000000000000000000", "123456789012345678.5", "9007199254740993"]
TOO_LONG += ["100000000000000000001", "-9223372036854775809"]


@pytest.mark.parametrize("text", TOO_LONG)
@pytest.mark.parametrize("limit", [[], ["--memory-limit", "1"]])
def test_digits_that_float64_does_not_hold(text, limit, tmp_path):
    """Nothing is rounded in silence; a decimal of 17 digits is what every program prints of its floats."""
    path = csv_of(tmp_path, label=[1, 0, 1], score=["0.5", text, "0.25"])
    if text.endswith("000"):  # zeros say nothing new
        assert run(path, *COLUMNS, *limit).code == 0
        return
    end = f"column 'score', row 2: {text!r} has more digits than float64 holds; write {float(text)!r}, or "
    assert end in error_of(path, *COLUMNS, *limit)
    with pytest.raises(ValueError, match=re.escape(end)):
        distributed.average_precision_score(path)
    ids = ["--query-id", "score", "--y-true", "label", "--y-score", "label2"]
    words = csv_of(tmp_path, label=[1, 0, 1], score=["0.5", text, "x"], label2=[3, 2, 1])
    assert run(words, *ids, *limit).code == 0  # an id is text, and so are all others


@pytest.mark.parametrize(("text", "problem"), [("1e-400", "nearer to 0 than"), ("1e400", "beyond every")])
def test_numbers_without_float64(text, problem, tmp_path):
    path = csv_of(tmp_path, label=[1, 0], score=["0.5", text])
    assert f"row 2: {text!r} is {problem}" in error_of(path, *COLUMNS)


def test_labels_beyond_float64(tmp_path):
    path = csv_of(tmp_path, label=[BIG + 1, BIG, BIG + 1], score=[3, 2, 1])
    found = values_of(path, *COLUMNS, "--pos-label", BIG + 1)
    assert found["average precision"] == average_precision_score([1, 0, 1], [3, 2, 1])
    three = csv_of(tmp_path, label=[BIG, BIG + 1, BIG + 2], score=[3, 2, 1])
    assert "column 'label': holds 3 labels" in error_of(three, *COLUMNS, "--pos-label", BIG)


def test_labels_are_numbers_however_they_are_written(tmp_path):
    path = csv_of(tmp_path, label=["1", "1.0", " 1", "+1e0", "0", "-0", "0.0", "00"], score=range(8, 0, -1))
    assert values_of(path, *COLUMNS)["average precision"] == 1.0
    assert values_of(path, *COLUMNS, "--pos-label", " 1.00")["average precision"] == 1.0
    minus = csv_of(tmp_path, label=["-1", "1"], score=[2, 1])
    assert values_of(minus, *COLUMNS, "--pos-label", "-1")["average precision"] == 1.0


ODDITIES = ["1_0", "١٢", "１２", "nan", "inf", "-Infinity", "0x10", "1,5", "1e", "e5", ".", "--1", "1\x00"]
ODDITIES += ["\xa01", "1e1234567", "1 000", "5%", "1.2.3", "true", "1" * 99_999 + "x"]


@pytest.mark.parametrize("text", ODDITIES)
def test_what_is_not_a_number(text, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(f'label,score,weight\n1,1,1\n0,"{text}",2\n1,0,3\n', encoding="utf-8")
    row_2 = f"row 2: {shown(text)} is not a finite number such as"
    assert f"column 'score', {row_2}" in error_of(path, *COLUMNS)
    swapped = ["--y-true", "label", "--y-score", "weight", "--sample-weight", "score"]
    assert f"column 'score', {row_2}" in error_of(path, *swapped)
    for option in ("-k", "--n-positives", "--identify"):
        if (option, text) == ("-k", "1,5"):  # two cuts
            continue
        if option == "--n-positives":
            message = error_of(path, "--y-true", "label", "--y-score", "weight", f"{option}={text}")
            assert f"column {shown(text)} is missing; the columns are " in message
        elif text != "5%":
            message = error_of(path, "--y-true", "label", "--y-score", "weight", f"{option}={text}")
            assert f"{option}: {shown(text)} is n" in message
    message = error_of(path, "--y-true", "label", "--y-score", "weight", f"--pos-label={text}")
    assert f"column 'label': holds the labels 0, 1, but --pos-label is {shown(text)}" in message


@pytest.mark.parametrize("text", ["1e400", "-1e309", "9" * 309, "1" + "0" * 5000])
def test_beyond_float64(text, tmp_path):
    path = csv_of(tmp_path, label=[1, 0], score=["1e308", text])
    assert error_of(path, *COLUMNS).endswith("is beyond every float64")
    assert "row 2" in error_of(path, *COLUMNS)
    assert "is not a number of positives" in error_of(path, *COLUMNS, f"--n-positives={text}")


@pytest.mark.parametrize(
    "k",
    ["0%", "101%", "-5%", "%", "5%%", "5 %%", "0", "-1", "1.5", "10.0", "0.0", "1e-400", str(2**53), "0.0e0"],
)
def test_cuts_that_are_none(k, tmp_path):
    path = csv_of(tmp_path, label=[1, 0], score=[2, 1])
    message = error_of(path, *COLUMNS, f"-k={k}")
    assert message.startswith(f"argument -k: {k!r} is neither a number of rows such as 100 nor a share")


def test_cuts(tmp_path):
    path = csv_of(tmp_path, label=[1, 0, 1, 0], score=[4, 3, 2, 1])
    for k, name in [("3", "precision@3"), ("0.75", "precision@0.75"), ("7.5e-1", "precision@0.75")]:
        assert values_of(path, *COLUMNS, "-k", k)[name] == pytest.approx(2 / 3)
    for k, name in [("1.0", "precision@1.0"), ("100%", "precision@1.0"), ("100.0%", "precision@1.0")]:
        assert values_of(path, *COLUMNS, "-k", k)[name] == 0.5
    assert values_of(path, *COLUMNS, "-k", "75%") == values_of(path, *COLUMNS, "-k", "0.75")
    assert values_of(path, *COLUMNS, "-k", "0.7%")["precision@0.007"] == 1.0


@pytest.mark.parametrize(
    ("dtype", "scores"),
    [
        (pa.int64(), [BIG + 1, BIG, -(2**63)]),
        (pa.uint64(), [2**64 - 1, 2**64 - 2, 0]),
        (pa.int8(), [3, 2, 1]),
        (pa.float64(), [0.5, 0.25, -0.0]),
        (pa.float32(), [0.5, 0.25, 0.125]),
        (pa.float16(), np.array([0.5, 0.25, 0.125], dtype=np.float16)),
        (pa.decimal128(38, 20), [Decimal("1.5"), Decimal(1), Decimal("0.5")]),
        (pa.decimal256(60, 20), [Decimal("1.5"), Decimal(1), Decimal("0.1")]),
        (pa.decimal128(12, 3), [Decimal("1.501"), Decimal("1.5"), Decimal("0.1")]),
        (pa.decimal128(38, 0), [Decimal(BIG + 1), Decimal(BIG), Decimal(0)]),
        (pa.bool_(), [True, False, False]),
    ],
)
@pytest.mark.parametrize("encoded", [False, True])
def test_parquet_keeps_its_types(dtype, scores, encoded, tmp_path):
    column = pa.array(scores, dtype)
    if encoded and not pa.types.is_float16(dtype):
        column = column.dictionary_encode()
    path = parquet_of(tmp_path, label=[1, 0, 0], score=column)
    assert found_in(path)["average precision"] == (1.0, 1.0)
    if not pa.types.is_decimal(dtype):
        small = pa.types.is_float16(dtype)
        assert type_of(path) == (np.float32 if small else dtype.to_pandas_dtype())


@pytest.mark.parametrize("limit", [[], ["--memory-limit", "1"]])
def test_parquet_numbers_that_are_refused(limit, tmp_path):
    """A column of text is text, whatever it spells; decimals are numbers as those of CSV."""
    wrong = {
        "'0.5' is text; a column of numbers is wanted": pa.array(["0.5", "1"]),
        "1.00000000000000000001 has more digits than float64": pa.array(
            [Decimal("1.00000000000000000001")] * 2
        ),
        "100000000000000000000 is beyond int64": pa.array([Decimal(10**20)] * 2),
    }
    for text, column in wrong.items():
        path = parquet_of(tmp_path, label=[1, 0], score=column)
        assert f"column 'score', row 1: {text}" in error_of(path, *COLUMNS, *limit)
        with pytest.raises(ValueError, match=re.escape(text)):
            distributed.average_precision_score(path)


def test_parquet_labels_and_weights(tmp_path):
    """Each type of label, and weights of another type than float."""
    labels = {
        "bool": pa.array([True, False, True]),
        "int8": pa.array([1, 0, 1], pa.int8()),
        "uint64": pa.array([1, 0, 1], pa.uint64()),
        "float": pa.array([1.0, 0.0, 1.0]),
        "decimal": pa.array([Decimal("1.00"), Decimal("0.00"), Decimal("1.00")]),
        "text": pa.array(["1", "0", "1"]),
        "dictionary": pa.array(["1", "0", "1"]).dictionary_encode(),
    }
    others = {"score": [3, 2, 1], "weight": pa.array([2, 4, 1], pa.uint8())}
    expected = average_precision_score([1, 0, 1], [3, 2, 1], sample_weight=[2, 4, 1])
    path = parquet_of(tmp_path, **labels, **others)
    for name in labels:
        options = ["--y-true", name, "--y-score", "score", "--sample-weight", "weight"]
        assert values_of(path, *options)["average precision"] == expected, name
        assert values_of(path, *options, "--pos-label", "0")["average precision"] == theirs(
            [0, 1, 0], [3, 2, 1], sample_weight=[2, 4, 1]
        )
    words = ["--y-true", "bool", "--y-score", "score", "--pos-label", "True"]
    assert values_of(path, *words)["average precision"] == theirs([1, 0, 1], [3, 2, 1])


def test_ids_of_every_type(tmp_path):
    """Times beyond Python's calendar and neighbours of nanoseconds are ids as good as others."""
    numbers = [2**62, 2**62 + 1, 2**62, 2**62 + 1]
    ids = {
        "text": pa.array(["a", "b", "a", "b"]),
        "integer": pa.array(numbers),
        "float": pa.array([0.5, 1.5, 0.5, 1.5]),
        "bytes": pa.array([b"\xff", b"\xfe", b"\xff", b"\xfe"]),
        "uuid": pa.array([b"a" * 16, b"b" * 16] * 2, pa.binary(16)),
        "seconds": pa.array([2**50, 2**50 + 1] * 2, pa.timestamp("s")),
        "nanoseconds": pa.array(numbers, pa.timestamp("ns", "UTC")),
        "date": pa.array([2**31 - 1, -(2**31)] * 2, pa.int32()).cast(pa.date32()),
        "duration": pa.array(numbers, pa.duration("us")),
        "category": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
    }
    expected = average_precision_score([1, 0, 0, 1], [4, 3, 2, 1], query_id=[0, 1, 0, 1])
    path = parquet_of(tmp_path, label=[1, 0, 0, 1], score=[4, 3, 2, 1], **ids)
    for name in ids:
        assert values_of(path, *COLUMNS, "--query-id", name)["average precision"] == expected, name


@pytest.mark.parametrize("write", [csv_of, parquet_of])
def test_items_break_ties_by_their_text(write, tmp_path):
    """Neither the order of first rows nor that of numbers is that of text: "10" stands before "9"."""
    labels, scores = [i % 2 for i in range(12)], [1] * 12
    for ids in ([9, 10, 11, 100, 2, 3, 20, 30, 1, 4, 5, 6], list("kabgfelcdhij")):
        path = write(tmp_path, label=labels, score=scores, item=ids)
        found = values_of(path, *COLUMNS, "--item-id", "item", "--all")
        for name in ("trec_eval map", "trec_eval P"):
            expected = score_as(name, labels, scores, item_id=list(map(str, ids)), k=10)
            assert found[name] == expected


def test_many_items(tmp_path):
    """Among 1,000 items, the places of items have several lengths, which must not decide their order."""
    rng = np.random.default_rng(0)
    ids = [f"d{number}" for number in rng.permutation(1000)]
    labels = (rng.random(1000) < 0.1).astype(int).tolist()
    path = csv_of(tmp_path, label=labels, score=[0] * 1000, item=ids)
    found = values_of(path, *COLUMNS, "--item-id", "item", "--all")["trec_eval map"]
    assert found == score_as("trec_eval map", labels, [0] * 1000, item_id=ids)


@pytest.mark.parametrize("precision", [18, 27, 38, 76])
def test_decimals_are_the_floats_that_print_them(precision):
    """As engines make them: quotients of few digits, and doubles written with 18 digits behind the point."""
    floats = [*np.random.default_rng(0).random(200).tolist(), 1e-17, 0.25, 1.0, 0.0, 1e-10]
    scale = min(precision - 1, 18)
    numbers = [
        Decimal(repr(one)).quantize(Decimal(1).scaleb(-scale), context=Context(prec=76)) for one in floats
    ]
    numbers += [-one for one in numbers] + [Decimal(one) / 10**6 for one in (123_456, -10, 10**6)]
    of_type = (pa.decimal128 if precision < 39 else pa.decimal256)(precision, scale)
    told = [
        one for one in numbers if Decimal(repr(float(one))) == one
    ]  # others have 17 digits, and 18 places
    found = arrow_columns(pa.table({"c": pa.array(told, of_type)}), ["c"], Place("x"))["c"]
    assert found.tolist() == [float(one) for one in told]
    assert len(told) > 300


def test_labels_that_are_decimals():
    labels = [Decimal("1.000000"), Decimal("0.000000"), Decimal(1)]
    table = pa.table({"label": pa.array(labels, pa.decimal128(27, 6)), "score": [0.5, 0.25, 0.125]})
    assert distributed.average_precision_score(table) == pytest.approx(5 / 6, abs=1e-15)
