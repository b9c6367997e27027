"""Ids that are text, in arrays of numpy: as integers they are equal and in order as the texts are."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score
from sklearn_ap._reading._queries import integers_of_text

TEXTS = {
    "numbered": [f"query-{number}" for number in (3, 20, 100, 2, 19, 0, 3)],
    "some shorter": ["", "a", "ab", "b", "", "aa", "a b"],
    "of one": ["same"] * 7,
    "beyond ASCII": ["é", "e", "z", "\U0010ffff", "é", "ß", "中"],
    "control characters": ["\x01", "\x01\x01", "", "a\x01", "a", "\x01", "~"],
}


@pytest.mark.parametrize("dtype", ["U", "S"])
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("rows", [7, 30_000])
def test_integers_are_in_the_order_of_the_text(name, dtype, rows):
    text = np.array([one.encode() if dtype == "S" else one for one in TEXTS[name]], dtype=dtype)
    text = np.random.default_rng(0).choice(text, rows)
    integers = integers_of_text(text)
    place, expected = (np.unique(values, return_inverse=True)[1] for values in (integers, text))
    assert place.tolist() == expected.tolist()


@pytest.mark.parametrize("text", [["0" * 17, "~" * 17], ["a" * 9, "\U0010ffff" * 9]])
def test_text_that_takes_too_many_bits(text):
    assert integers_of_text(np.array(text)) is None


def test_bits_are_used_up_to_63():
    for size in (63, 64):  # each character takes one bit
        text = np.array(["0" * size, "1" * size, "0" * (size - 1) + "1", "1" + "0" * (size - 1)])
        integers = integers_of_text(text)
        assert (integers is None) == (size == 64)
        if integers is not None:
            assert np.argsort(integers).tolist() == [0, 2, 3, 1]


@pytest.mark.parametrize("dtype", ["U", "S", ">U12", "<U12"])
@pytest.mark.parametrize("long", [False, True])
def test_queries_named_by_text(dtype, long):
    rng = np.random.default_rng(1)
    query = np.array([f"{one}-{'abcdefghijklmnop' * long}" for one in rng.integers(0, 40, 300)]).astype(dtype)
    if long and dtype.endswith("12"):
        query = query.astype(dtype[0] + "U40")
    positive, score = rng.random(300) < 0.5, rng.random(300).round(1)
    names = np.unique(query)
    expected = [
        average_precision_score(positive[query == one], score[query == one], zero_division=0.0)
        for one in names
    ]
    for rows in (slice(None), np.argsort(query, kind="stable"), slice(None, None, -1)):
        arguments = {"query_id": query[rows], "average": None, "zero_division": 0.0}
        values = average_precision_score(positive[rows], score[rows], **arguments)
        assert values.tolist() == expected
        totals = dict.fromkeys(names.tolist(), 300)
        assert average_precision_score(
            positive[rows], score[rows], n_positives=totals, **arguments
        ).size == len(names)
