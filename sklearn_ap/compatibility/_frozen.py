"""A mapping that nobody can change, for tables that all users of the package share."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

__all__ = ["Frozen"]

K = TypeVar("K")
V = TypeVar("V")


class Frozen(Mapping[K, V]):
    """A read-only mapping that keeps the order of its items and, unlike a view of a dict, can be pickled.

    It is equal to a dict of the same items, and has the same repr. ``dict(...)`` makes a copy to change.
    """

    _items: dict[K, V]

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V]) -> None:
        object.__setattr__(self, "_items", dict(items))  # our own __setattr__ refuses

    def __getitem__(self, key: K) -> V:
        """Return the value of a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        """Yield the keys in their order."""
        return iter(self._items)

    def __len__(self) -> int:
        """Count the keys."""
        return len(self._items)

    def __repr__(self) -> str:
        """Return the repr of a dict of the same items."""
        return repr(self._items)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse, since a mapping that was replaced would change for everybody."""
        raise AttributeError(f"a read-only mapping has no attribute {name!r} to set")

    def __reduce__(self) -> tuple[type[dict[K, V]], tuple[dict[K, V]]]:
        """Pickle and copy as a dict, so that saved objects do not depend on the name of this file."""
        return dict, (self._items,)
