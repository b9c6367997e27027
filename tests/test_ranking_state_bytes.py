"""Stored states: what version 1 wrote is read for ever, and what no state wrote is refused."""

import json
import tracemalloc
import warnings
import zlib
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ranking_state import state_of

from sklearn_ap import average_precision_at_k_score, average_precision_score
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._states import _bytes

Y_TRUE, Y_SCORE, WEIGHT = [0, 1, 0, 1, 1], [-0.5, 0.75, 2.0, 0.25, 0.25], [0.5, 1.0, 2.0, 1.0, 3.0]
LARGE = {
    "int64": np.array([-3, 2**62, 7, -(2**63), 5]),
    "uint64": np.array([3, 2**64 - 1, 7, 0, 5], dtype=np.uint64),
}
STATES = {
    "empty": lambda: RankingState(pos_label="spam"),
    "float32": lambda: state_of(Y_TRUE, np.float32(Y_SCORE)),
    "float64": lambda: state_of(Y_TRUE, Y_SCORE),
    "int64": lambda: state_of(Y_TRUE, LARGE["int64"]),
    "uint64": lambda: state_of(Y_TRUE, LARGE["uint64"]),
    "text": lambda: state_of(np.where(Y_TRUE, "spam", "ham"), Y_SCORE, pos_label="spam"),
    "weights": lambda: state_of(Y_TRUE, Y_SCORE, WEIGHT),
    "k": lambda: state_of(Y_TRUE, Y_SCORE, k=3),
    "k, weights": lambda: state_of(Y_TRUE, Y_SCORE, WEIGHT, k=3),
    "bins": lambda: state_of(Y_TRUE, Y_SCORE, bins=(-1.0, 2.0, 4)),
    "bins, weights": lambda: state_of(Y_TRUE, Y_SCORE, WEIGHT, bins=(-1.0, 2.0, 4)),
}
VERSION_1 = {  # the bytes of these states, in hexadecimal digits
    "empty": (
        "534b41505253010066000000000000004e0000007b22617272617973223a205b5d2c202262696e73223a206e756c6c2c2022"
        "6b223a206e756c6c2c20226e65676174697665223a206e756c6c2c2022706f735f6c6162656c223a20227370616d227d7239"
        "06ce"
    ),
    "float32": (
        "534b415052530100bd00000000000000840000007b22617272617973223a205b5b22706f736974697665222c2022666c6f61"
        "743332222c20332c2031375d2c205b226e65676174697665222c2022666c6f61743332222c20322c2031365d5d2c20226269"
        "6e73223a206e756c6c2c20226b223a206e756c6c2c20226e65676174697665223a20302c2022706f735f6c6162656c223a20"
        "317d789c63600081068603fb181800084601ff789cfbcff89fe13f83433d0012fc03bee6614ce6"
    ),
    "float64": (
        "534b415052530100c000000000000000840000007b22617272617973223a205b5b22706f736974697665222c2022666c6f61"
        "743634222c20332c2031385d2c205b226e65676174697665222c2022666c6f61743634222c20322c2031385d5d2c20226269"
        "6e73223a206e756c6c2c20226b223a206e756c6c2c20226e65676174697665223a20302c2022706f735f6c6162656c223a20"
        "317d789c63604007171824f633300000079501a8789cfbcff89f0106e51f38d4030045f807ba58917883"
    ),
    "int64": (
        "534b415052530100b900000000000000800000007b22617272617973223a205b5b22706f736974697665222c2022696e7436"
        "34222c20332c2031385d2c205b226e65676174697665222c2022696e743634222c20322c2031355d5d2c202262696e73223a"
        "206e756c6c2c20226b223a206e756c6c2c20226e65676174697665223a20302c2022706f735f6c6162656c223a20317d789c"
        "6360fdcdc0f01f1d35d803005c1707ba789cfbcbf59f0101eb1900473e0781251bfeee"
    ),
    "uint64": (
        "534b415052530100b600000000000000820000007b22617272617973223a205b5b22706f736974697665222c202275696e74"
        "3634222c20332c2031365d2c205b226e65676174697665222c202275696e743634222c20322c2031325d5d2c202262696e73"
        "223a206e756c6c2c20226b223a206e756c6c2c20226e65676174697665223a20302c2022706f735f6c6162656c223a20317d"
        "789c6360fdc5c0f01f1301005bc107f9789c636661400100007c00084cd5d147"
    ),
    "text": (
        "534b415052530100c9000000000000008d0000007b22617272617973223a205b5b22706f736974697665222c2022666c6f61"
        "743634222c20332c2031385d2c205b226e65676174697665222c2022666c6f61743634222c20322c2031385d5d2c20226269"
        "6e73223a206e756c6c2c20226b223a206e756c6c2c20226e65676174697665223a202268616d222c2022706f735f6c616265"
        "6c223a20227370616d227d789c63604007171824f633300000079501a8789cfbcff89f0106e51f38d4030045f807bacc0e99"
        "80"
    ),
    "weights": (
        "534b4150525301002f01000000000000d20000007b22617272617973223a205b5b22706f736974697665222c2022666c6f61"
        "743634222c20332c2031385d2c205b22706f73697469766520776569676874222c2022666c6f61743634222c20332c203138"
        "5d2c205b226e65676174697665222c2022666c6f61743634222c20322c2031385d2c205b226e656761746976652077656967"
        "6874222c2022666c6f61743634222c20322c2031355d5d2c202262696e73223a206e756c6c2c20226b223a206e756c6c2c20"
        "226e65676174697665223a20302c2022706f735f6c6162656c223a20317d789c63604007171824f633300000079501a8789c"
        "636040071f245eec67f80f000d0c03af789cfbcff89f0106e51f38d4030045f807ba789c63604080070afb1900056e01c095"
        "93a981"
    ),
    "k": (
        "534b4150525301001201000000000000b80000007b22617272617973223a205b5b2273636f7265222c2022666c6f61743634"
        "222c20332c2031385d2c205b22706f73697469766573222c2022696e743634222c20332c2031375d2c205b226e6567617469"
        "766573222c2022696e743634222c20332c2031365d2c205b22746f74616c73222c2022696e743634222c20322c2031355d5d"
        "2c202262696e73223a206e756c6c2c20226b223a20332c20226e65676174697665223a20302c2022706f735f6c6162656c22"
        "3a20317d789c63604007172424f633300000080d01c0789c63faff9f010335fcff0f00c1081073789c63606064c0000d0c0c"
        "0001ae0082789c63fecf80041bfe03004100087c3b0b5210"
    ),
    "k, weights": (
        "534b4150525301001d020000000000006d0100007b22617272617973223a205b5b2273636f7265222c2022666c6f61743634"
        "222c20332c2031385d2c205b22706f73697469766573222c2022696e743634222c20332c2031375d2c205b226e6567617469"
        "766573222c2022696e743634222c20332c2031365d2c205b22706f7369746976657320776569676874222c2022666c6f6174"
        "3634222c20332c2031385d2c205b226e656761746976657320776569676874222c2022666c6f61743634222c20332c203134"
        "5d2c205b22746f74616c73222c2022696e743634222c20322c2031355d2c205b22746f74616c2077656967687473222c2022"
        "666c6f61743634222c20322c2031365d2c205b2265787472656d6573222c2022666c6f61743634222c20342c2032305d2c20"
        "5b226865617669657374222c2022666c6f61743634222c20332c2031385d5d2c202262696e73223a206e756c6c2c20226b22"
        "3a20332c20226e65676174697665223a20302c2022706f735f6c6162656c223a20317d789c63604007172424f63330000008"
        "0d01c0789c63faff9f010335fcff0f00c1081073789c63606064c0000d0c0c0001ae0082789c63604007020f040efc3f0000"
        "0a160380789c6360c0021a181c0001d800c1789c63fecf80041bfe03004100087c789c63604000910f07fe030005af02c478"
        "9c6360c00e3e48dc50d8cff09f010012f203bf789c636040071c2f180efc670000090e02b051b092e2"
    ),
    "bins": (
        "534b415052530100c8000000000000008a0000007b22617272617973223a205b5b22706f736974697665222c2022666c6f61"
        "743634222c20332c2031385d2c205b22636f756e7473222c2022696e743634222c20342c2032305d5d2c202262696e73223a"
        "205b2d312e302c20322e302c20345d2c20226b223a206e756c6c2c20226e65676174697665223a20302c2022706f735f6c61"
        "62656c223a20317d789c63604007171824f633300000079501a8789c63fccfc0c8f09f81011b6e00620089d5087b1dfe927c"
    ),
    "bins, weights": (
        "534b4150525301006e01000000000000f60000007b22617272617973223a205b5b22706f736974697665222c2022666c6f61"
        "743634222c20332c2031385d2c205b22636f756e7473222c2022696e743634222c20342c2032305d2c205b22706f73697469"
        "766520776569676874222c2022666c6f61743634222c20332c2031385d2c205b22636f756e742077656967687473222c2022"
        "666c6f61743634222c20342c2032305d2c205b2265787472656d6573222c2022666c6f61743634222c20342c2032305d5d2c"
        "202262696e73223a205b2d312e302c20322e302c20345d2c20226b223a206e756c6c2c20226e65676174697665223a20302c"
        "2022706f735f6c6162656c223a20317d789c63604007171824f633300000079501a8789c63fccfc0c8f09f81011b6e006200"
        "89d5087b789c636040071f245eec67f80f000d0c03af789c6360c00e1e283030ec3fc0e000000d7c02c0789c6360c00e3e48"
        "dc50d8cff09f010012f203bfe35c48e3"
    ),
}
FILLED = [name for name in STATES if name != "empty"]


def sealed(body: bytes) -> bytes:
    """Bytes with their length and their checksum, as a writer of bad intent would make them."""
    prefix = _bytes._PREFIX.unpack_from(body)
    body = _bytes._PREFIX.pack(*prefix[:2], len(body) + 4, prefix[3]) + body[_bytes._PREFIX.size :]
    return body + zlib.crc32(body).to_bytes(4, "little")


def stored(header: object, *planes: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return sealed(_bytes._PREFIX.pack(b"SKAPRS", 1, 0, len(text)) + text + b"".join(planes))


def parts_of(data: bytes) -> tuple[dict, list[bytearray]]:
    """The header, and the planes of each array."""
    size = _bytes._PREFIX.unpack_from(data)[3]
    header = json.loads(data[20 : 20 + size])
    planes, place = [], 20 + size
    for *_, length in header["arrays"]:
        planes.append(bytearray(zlib.decompress(data[place : place + length])))
        place += length
    return header, planes


def packed(header: dict, planes: list) -> bytes:
    compressed = [zlib.compress(bytes(one)) for one in planes]
    arrays = [[*one[:3], len(data)] for one, data in zip(header["arrays"], compressed, strict=True)]
    return stored({**header, "arrays": arrays}, *compressed)


@pytest.mark.parametrize("name", STATES)
def test_version_1_is_read(name):
    data, state = bytes.fromhex(VERSION_1[name]), STATES[name]()
    again = RankingState.from_bytes(data)
    assert repr(again) == repr(state)
    assert parts_of(again.to_bytes()) == parts_of(data) == parts_of(state.to_bytes())


def test_version_1_keeps_its_numbers():
    states = {name: RankingState.from_bytes(bytes.fromhex(data)) for name, data in VERSION_1.items()}
    for name in ("float32", "float64", "text"):
        assert states[name].score() == average_precision_score(Y_TRUE, Y_SCORE)
    for name, score in LARGE.items():
        assert states[name].score() == average_precision_score(Y_TRUE, score)
    assert states["weights"].score() == average_precision_score(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)
    for name, weight in (("k", None), ("k, weights", WEIGHT)):
        expected = average_precision_at_k_score(Y_TRUE, Y_SCORE, k=3, sample_weight=weight)
        assert states[name].score("average_precision@3") == pytest.approx(expected, rel=1e-15, abs=0)
    for name, weight in (("bins", None), ("bins, weights", WEIGHT)):
        low, high = states[name].bounds()
        assert low <= average_precision_score(Y_TRUE, Y_SCORE, sample_weight=weight) <= high


@pytest.mark.parametrize(
    "data",
    [
        stored(b"[" * 100_000),
        stored([]),
        stored(None),
        stored(b"\xff"),
        stored({"arrays": 3}),
        stored({"arrays": [["score", [], 1, 1]]}),
        stored({"arrays": [[[], "int64", 1, 1]]}),
        stored({"arrays": [["score", "int64", 10**30, 1]]}, b"1"),
        stored({"arrays": [["score", "int64", -1, 1]]}, b"1"),
        stored({"arrays": [["score", "int64", 1.5, 1]]}, b"1"),
        stored({"arrays": [["score", "int64", 1, -1]]}, b"1"),
        stored({"arrays": [["score", "int64", 1, 1]]}, b"1"),
        stored({"arrays": [["score", "int32", 0, 8]]}, zlib.compress(b"1")),
        stored({"arrays": [["score", "int32", 2, 12]]}, zlib.compress(b"1234")),
        stored({"arrays": [["score", "int32", 1, 8]]}, zlib.compress(b"1234")[:8]),
        stored({"arrays": [["score", "int32", 1, 12]] * 2}, *[zlib.compress(b"1234")] * 2),
        stored({"arrays": []}, b"1"),
        stored({"arrays": [], "k": None, "bins": None, "pos_label": 1, "negative": [1]}),
        stored({"arrays": [], "k": None, "bins": None, "pos_label": 1, "negative": 1}),
        stored({"arrays": [], "k": None, "bins": None, "pos_label": {}, "negative": 0}),
        stored({"arrays": [], "k": "3", "bins": None, "pos_label": 1, "negative": 0}),
        stored({"arrays": [], "k": None, "bins": [0, 10**400, 3], "pos_label": 1, "negative": 0}),
        stored({"arrays": [], "k": 3, "bins": [0, 1, 3], "pos_label": 1, "negative": 0}),
    ],
)
def test_bytes_of_bad_intent_are_refused(data):
    with pytest.raises(ValueError, match=r"^(data|memory_limit) must"):
        RankingState.from_bytes(data)


@pytest.mark.parametrize("name", FILLED)
@given(st.data())
def test_spoiled_numbers_are_refused_or_score_within_bounds(name, data):
    """Planes are changed, and the checksum with them; what is read is a state like any other."""
    header, planes = parts_of(bytes.fromhex(VERSION_1[name]))
    for _ in range(data.draw(st.integers(1, 3))):
        one = data.draw(st.sampled_from([plane for plane in planes if plane]))
        one[data.draw(st.integers(0, len(one) - 1))] = data.draw(st.integers(0, 255))
    said, bounds = "", (0.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # states without a positive
        try:
            state = RankingState.from_bytes(packed(header, planes))
            bounds = state.bounds("average_precision" if state._k is None else "average_precision@2")
        except ValueError as error:
            said = str(error)
    # Tiny weights are refused wherever they come from.
    assert not said or said.startswith("data must") or "at least 2**-500" in said
    assert 0 <= bounds[0] <= bounds[1] <= 1


def test_small_bytes_may_not_take_much_memory():
    size = 10**7
    planes = zlib.compress(bytes(4 * size))
    data = stored({"arrays": [["positive", "float32", size, len(planes)]]}, planes)
    with pytest.raises(ValueError, match=r"^memory_limit must hold arrays of 40000000 bytes; got 1000000"):
        RankingState.from_bytes(data, memory_limit="1MB")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("options", "most"),
    [({}, 1.5), ({"k": 100_000}, 2), ({"bins": (0, 1, 2**16)}, 2)],
    ids=["all", "k", "bins"],
)
def test_reading_and_writing_take_less_than_a_second_state(options, most, weighted):
    rng, size = np.random.default_rng(0), 200_000
    weight = rng.random(size) if weighted else None
    state = state_of(rng.random(size) < 0.3, rng.random(size), weight, **options)
    data = state.to_bytes()
    for call in (state.to_bytes, partial(RankingState.from_bytes, data)):
        tracemalloc.start()
        try:
            call()
            assert tracemalloc.get_traced_memory()[1] < most * state.nbytes + len(data)
        finally:
            tracemalloc.stop()
    assert RankingState.from_bytes(data).n_samples == size


def test_other_versions_are_refused():
    """Also with the right checksum."""
    body = bytearray(STATES["float64"]().to_bytes()[:-4])
    body[6] = 2
    with pytest.raises(ValueError, match="data must have version 1; got 2, of another version or damaged"):
        RankingState.from_bytes(body + zlib.crc32(body).to_bytes(4, "little"))


def test_views_are_read_without_a_copy():
    data = STATES["float64"]().to_bytes()
    for view in (memoryview(data), bytearray(data), memoryview(np.frombuffer(data, dtype=np.int8))):
        assert RankingState.from_bytes(view).to_bytes() == data


def test_sums_of_counts_do_not_wrap_around():
    header, _ = parts_of(bytes.fromhex(VERSION_1["bins"]))
    counts = np.full(4, 2**62)
    data = _bytes.to_bytes(
        {name: header[name] for name in ("k", "bins", "pos_label", "negative")},
        {"positive": np.array([0.5]), "counts": counts},
    )
    with pytest.raises(ValueError, match=r"^data must hold counts of at most 2\*\*53 rows"):
        RankingState.from_bytes(data)
