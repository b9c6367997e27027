"""What `identify` did not search, and why: in sentences, for a terminal or a notebook."""

from collections.abc import Iterator
from typing import NamedTuple

from ._convention import Convention
from ._engine import ITEMS_NEEDED, NoNumberError

__all__ = ["Unsearched"]


class Unsearched(NamedTuple):
    """The arguments that were not given, and the conventions without a number, each with its reason."""

    k: int | float | None
    cuts: tuple[str, ...]  # names of the conventions that were left out because k is None
    total_given: bool
    queries_given: bool
    without: tuple[tuple[Convention, NoNumberError], ...]

    def in_short(self) -> Iterator[str]:
        """Yield a sentence about what was not searched, and one about conventions without a number."""
        missing = [] if self.k is not None else ["cuts at k (no k was given)"]
        missing += [] if self.total_given else ["missed positives (no total was given)"]
        said = [] if self.k is None else [f"Cuts are at k = {self.k}."]
        if missing:
            said.append(f"Not searched: {', '.join(missing)}.")
        if said:
            yield " ".join(said)
        reasons = [f"{len(names)} ({reason})" for reason, names in self._by_reason(self.without).items()]
        if reasons:
            yield f"Without a number here: {', '.join(reasons)}."

    def in_full(self, possible: frozenset[str]) -> Iterator[str]:
        """Yield what was not searched, and how to search it, except for the names in `possible`."""
        # First what the user can change by another argument, then what has no number at all.
        yield self._cut()
        if not self.total_given:
            yield (
                "Not searched: missed positives, such as objects that were never detected, because no total "
                "was given. Give n_positives, the number of all positives."
            )
        if not self.queries_given:
            yield (
                "All rows were taken for one ranking, because no queries were given. Give query_id for a "
                "mean over queries or classes."
            )
        # A range that was computed, but does not include the number: then no order of equal scores gives it.
        ruled_out = [
            one.name for one, error in self.without if error.low is not None and one.name not in possible
        ]
        by_items = [one.name for one, error in self.without if error.reason == ITEMS_NEEDED]
        if set(by_items) - set(ruled_out):  # item ids could still find one of these
            yield (
                f"Not known: the order of equal scores in {len(by_items)} conventions such as {by_items[0]}, "
                "because no item ids were given. Give item_id."
            )
        if ruled_out:
            yield f"Ruled out in every order of equal scores: {'; '.join(ruled_out)}."
        unknown = tuple(pair for pair in self.without if pair[1].low is None)
        for reason, names in self._by_reason(unknown).items():
            yield f"Without a number here, because {reason}: {'; '.join(names)}."

    def _cut(self) -> str:
        if self.k is not None:
            return f"Cuts were searched at k = {self.k} alone. Give another k for another cut."
        return (
            f"Not searched: {len(self.cuts)} conventions that cut a ranking, such as {self.cuts[0]} and "
            f"{self.cuts[-1]}, because no k was given. Give k, a number of rows or a share of them."
        )

    @staticmethod
    def _by_reason(without: tuple[tuple[Convention, NoNumberError], ...]) -> dict[str, list[str]]:
        reasons: dict[str, list[str]] = {}
        for convention, error in without:
            reasons.setdefault(error.reason, []).append(convention.name)
        return reasons
