"""All records by their names, with those of our own numbers, and where each name is looked up."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

from ..._definition import Definition
from ..._registry import FAMILY as NUMBERS
from ..._registry import Number
from .._choices import Frozen, Grid
from .._convention import Convention
from ._aliases import ALIASES, NOT_REPRODUCED, SHARED_NAMES
from ._classification import CLASSIFICATION, R
from ._detection import DETECTION
from ._retrieval import RETRIEVAL


def _record_of(number: Number) -> Convention:
    """Return the record of a number: its definition, with the choices that all our functions share."""
    one = number.definition
    return Convention(
        name=number.name,
        source=number.call,
        run=True,
        queries="mean",
        total="stated" if number.takes("n_positives") else "found",
        area=one.area.name,
        grid=_grid_of(one),
        ties=one.ties,
        cut="k" if number.is_cut else one.cut,
        normalizer=one.normalizer,
    )


def _grid_of(one: Definition) -> Grid | None:
    """Return the levels of a definition as records have them."""
    if one.level is not None:
        return Grid(f"level {one.level}", (one.level,))
    return None if one.grid is None else Grid(f"{one.grid} levels j/{one.grid - 1}", one.grid)


FAMILY = tuple(map(_record_of, NUMBERS))


GROUPS: Frozen[str, tuple[Convention, ...]] = Frozen(
    {
        "sklearn_ap": FAMILY,
        "Classification": CLASSIFICATION,
        "R": R,
        "Object detection": DETECTION,
        "Retrieval and recommendation": RETRIEVAL,
    }
)
CONVENTIONS: Frozen[str, Convention] = Frozen({one.name: one for group in GROUPS.values() for one in group})

_NEAR = 0.6  # similarity from 0 to 1; allows one or two typos in a word of six letters
_SHORT = 3  # letters; shorter text is the start of too many names


def convention_of(convention: str | Convention) -> Convention:
    """Return a record as it is, or the record with this name or alias, in upper or lower case."""
    if isinstance(convention, Convention):
        return convention
    if not isinstance(convention, str):
        raise ValueError(f"convention must be a Convention or a name in CONVENTIONS; got {convention!r}.")
    if convention in CONVENTIONS:
        return CONVENTIONS[convention]
    asked = _comparable_name(convention)
    if asked in _PLAIN_NAMES:
        name = _PLAIN_NAMES[asked]
        return CONVENTIONS[ALIASES[name].convention if name in ALIASES else name]
    raise ValueError(_not_found(convention, asked))


def _not_found(convention: str, asked: str) -> str:
    """Return the error text for an unknown name: what it may stand for, or which names are similar."""
    shared = {_comparable_name(name): names for name, names in SHARED_NAMES.items()}
    meant = shared.get(asked) or [
        name for plain, name in _PLAIN_NAMES.items() if len(asked) >= _SHORT and plain.startswith(asked)
    ]
    if meant:
        rest = "that name" if len(meant) == 1 else "one of these names"
        return f"convention {convention!r} may be {_quoted(meant)}; pass {rest}."
    nearest = nlargest(3, _PLAIN_NAMES, key=lambda plain: _nearness(asked, plain))
    if asked in _WITHOUT_RECORD:  # checked first: some names are always similar
        return f"convention {convention!r} has no record: {_WITHOUT_RECORD[asked].rstrip('.')}."
    near = [_PLAIN_NAMES[plain] for plain in nearest if _nearness(asked, plain) >= _NEAR]
    hint = f"; did you mean {_quoted(near)}?" if near else "."
    return f"convention must be a Convention or a name in CONVENTIONS; got {convention!r}{hint}"


def _nearness(asked: str, plain: str) -> float:
    """Return the similarity, from 0 to 1, to a name or to the package that the name begins with."""
    package = plain.split(" ", maxsplit=1)[0]
    return max(SequenceMatcher(None, asked, part).ratio() for part in (plain, package))


def _quoted(names: Iterable[str]) -> str:
    *first, last = map(repr, names)
    return f"{', '.join(first)} or {last}" if first else last


def _comparable_name(name: str) -> str:
    """Return a name in lower case, with one space for each run of spaces, underscores and hyphens."""
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


_WITHOUT_RECORD = {_comparable_name(one.name): one.reason for one in NOT_REPRODUCED}
_PLAIN_NAMES = {_comparable_name(name): name for name in (*CONVENTIONS, *ALIASES)}
