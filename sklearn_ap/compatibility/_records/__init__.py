"""Every convention in use, by its name."""

from difflib import get_close_matches

from .._convention import Convention
from ._classification import CLASSIFICATION
from ._detection import DETECTION
from ._family import FAMILY
from ._not_reproduced import NOT_REPRODUCED
from ._r import R
from ._retrieval import RETRIEVAL

GROUPS: dict[str, tuple[Convention, ...]] = {
    "sklearn_ap": FAMILY,
    "Classification": CLASSIFICATION,
    "R": R,
    "Object detection": DETECTION,
    "Retrieval and recommendation": RETRIEVAL,
}
CONVENTIONS: dict[str, Convention] = {one.name: one for group in GROUPS.values() for one in group}

__all__ = ["CONVENTIONS", "FAMILY", "GROUPS", "NOT_REPRODUCED", "convention_of"]


def convention_of(convention: str | Convention) -> Convention:
    """Return a record, looked up where its name was given."""
    if isinstance(convention, Convention):
        return convention
    if isinstance(convention, str) and convention in CONVENTIONS:
        return CONVENTIONS[convention]
    names = {name.casefold(): name for name in CONVENTIONS}
    near = [names[one] for one in get_close_matches(str(convention).casefold(), names, n=3, cutoff=0.4)]
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    raise ValueError(f"convention must be a Convention or a name in CONVENTIONS; got {convention!r}{hint}")
