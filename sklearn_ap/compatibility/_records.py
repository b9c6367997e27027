"""All records by their names: those of `records.toml`, and those of our own scores.

The file is read when a record is first asked for. `tests/test_records.py` checks its keys and words.
"""

import re
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from .._definition import Definition
from .._registry import NUMBERS, Number
from ._choices import Grid, LazyTable, Thresholds, even_thresholds
from ._convention import Convention


class Alias(NamedTuple):
    """Another name of a record: a package, or one of its functions and settings."""

    name: str
    convention: str  # the name of the record
    version: str  # the version that was run or read
    note: str = ""  # what the record leaves out, or what to pass
    run: bool = True  # against the record, on hundreds of random rankings; otherwise its source was read


# Recall levels as packages compute them: some are one bit above the nearest decimal, and recalls miss them.
RECALL_LEVELS = {
    "numpy.arange(0, 1.1, 0.1)": np.arange(0, 1.1, 0.1),
    "numpy.arange(11) / 10": np.arange(11) / 10,
    "float32 of numpy.arange(11) / 10": (np.arange(11) / 10).astype(np.float32),
    "numpy.arange(1, 41) / 40": np.arange(1, 41) / 40,
    "numpy.linspace(0, 1, 11)": np.linspace(0, 1, 11),
    "numpy.linspace(0, 1, 101)": np.linspace(0, 1, 101),
    "numpy.linspace(0, 1, 101)[11:]": np.linspace(0, 1, 101)[11:],
    "torch.linspace(0, 1, 101)": even_thresholds(101),
}
_GROUPS = ("Classification", "R", "Object detection", "Retrieval and recommendation")


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("records.toml").read_text("utf-8"))


def _read_groups() -> dict[str, tuple[Convention, ...]]:
    """Return the records of each group, with the fields that they take over from others."""
    fields: dict[str, dict[str, Any]] = {}
    for group in ("template", *_GROUPS):
        for name, changes in _data()[group].items():
            taken_over = fields[changes["like"]] if "like" in changes else {}
            fields[name] = {**taken_over, **changes, "name": name}
    packages = {group: tuple(_convention(fields[name]) for name in _data()[group]) for group in _GROUPS}
    return {"sklearn_ap": SKLEARN_AP_RECORDS, **packages}


def _convention(fields: dict[str, Any]) -> Convention:
    """Return the record of a package from its fields in the file."""
    package = fields["source"].split(",", maxsplit=1)[0]
    usual = {"versions": package.split(" ")[-1], "run": True}  # "Keras 3.15.1, metrics/..." has its version
    choices = {name: value for name, value in fields.items() if name != "like"}
    if "grid" in choices:
        choices["grid"] = _grid(**choices["grid"])
    if "thresholds" in choices:
        choices["thresholds"] = Thresholds(**choices["thresholds"])
    return Convention(**{**usual, **choices})


def _grid(levels: str | list[float], **others: Any) -> Grid:
    return Grid(levels=tuple(RECALL_LEVELS[levels] if isinstance(levels, str) else levels), **others)


def _record_from(number: Number) -> Convention:
    """Return the record of a number of ours: its definition, and the choices that all our functions share."""
    definition = number.definition
    return Convention(
        name=number.name,
        source=number.call,
        run=True,
        queries="mean",
        query_weights="used",
        total="stated" if number.takes("n_positives") else "found",
        area=definition.area.name,
        grid=_grid_from(definition),
        ties=definition.ties,
        cut="k" if number.is_cut else definition.cut,
        normalizer=definition.normalizer,
    )


def _grid_from(definition: Definition) -> Grid | None:
    """Return the levels of a definition as records have them."""
    if definition.level is not None:
        return Grid(f"level {definition.level}", (definition.level,))
    if definition.max_recall is not None:
        return Grid(f"every recall up to {definition.max_recall}", definition.max_recall)
    n = definition.grid
    return None if n is None else Grid(f"{n} levels j/{n - 1}", n)


SKLEARN_AP_RECORDS = tuple(map(_record_from, NUMBERS))
GROUPS = LazyTable(_read_groups)
CONVENTIONS = LazyTable(lambda: {record.name: record for group in GROUPS.values() for record in group})
ALIASES = LazyTable(lambda: {name: Alias(name, **fields) for name, fields in _data()["alias"].items()})
# Numbers without a record, with the versions and the reason.
NOT_REPRODUCED: LazyTable[str, dict[str, str]] = LazyTable(lambda: _data()["not_reproduced"])
# Names that several records share, and the records that each may mean.
SHARED_NAMES: LazyTable[str, list[str]] = LazyTable(lambda: _data()["shared_names"])

_MIN_LETTERS = 3  # of the start of a name; shorter text starts too many names


def find_convention(convention: str | Convention) -> Convention:
    """Return a record as it is, or the record with this name or alias, in upper or lower case."""
    if isinstance(convention, Convention):
        return convention
    if not isinstance(convention, str):
        raise ValueError(f"convention must be a Convention or a name in CONVENTIONS; got {convention!r}.")
    if convention in CONVENTIONS:
        return CONVENTIONS[convention]
    name = _plain_names().get(plain(convention))
    if name is None:
        raise ValueError(_unknown(convention))
    return CONVENTIONS[ALIASES[name].convention if name in ALIASES else name]


def plain(name: str) -> str:
    """Return a name in lower case, with one space for each run of spaces, underscores and hyphens."""
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


@cache
def _plain_names() -> dict[str, str]:
    return {plain(name): name for name in (*CONVENTIONS, *ALIASES)}


def _unknown(convention: str) -> str:
    """Return the error text for an unknown name: what it may stand for, or which names are similar."""
    text, names = plain(convention), _plain_names()
    shared = {plain(name): records for name, records in SHARED_NAMES.items()}
    possible = shared.get(text) or [
        name for other, name in names.items() if len(text) >= _MIN_LETTERS and other.startswith(text)
    ]
    if possible:
        return f"convention {convention!r} may be {_quoted(possible)}; pass such a name."
    for name, entry in NOT_REPRODUCED.items():  # before similar names, since some names are always similar
        if plain(name) == text:
            return f"convention {convention!r} has no record: {entry['reason']}"
    similar = [names[other] for other in get_close_matches(text, names)]
    hint = f"; did you mean {_quoted(similar)}?" if similar else "."
    return f"convention must be a Convention or a name in CONVENTIONS; got {convention!r}{hint}"


def _quoted(names: Iterable[str]) -> str:
    *first, last = map(repr, names)
    return f"{', '.join(first)} or {last}" if first else last
