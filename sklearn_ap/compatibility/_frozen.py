"""A mapping that nobody can change: the tables of this package are shared by everybody who imports them."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Frozen(Mapping[K, V]):
    """A read-only mapping in the order given, which pickles as a dict, unlike a view of one.

    It compares equal to a dict of the same items, and shows like one. ``dict(...)`` makes a copy to change.
    """

    _items: dict[K, V]

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V]) -> None:
        object.__setattr__(self, "_items", dict(items))

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
        """Show what a dict would."""
        return repr(self._items)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse."""
        raise AttributeError(f"a read-only mapping has no attribute {name!r} to set")

    def __reduce__(self) -> tuple[type[dict[K, V]], tuple[dict[K, V]]]:
        """Pickle and copy as a dict, so that no saved object names this file."""
        return dict, (self._items,)
