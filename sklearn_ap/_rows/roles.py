"""The columns to read, by their roles in a score, and the errors about a column."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._core.typing import Label
from .._shown.sources import SourceError, format_value
from .missing_columns import other_columns


class MissingColumnError(SourceError):
    """A file does not have a column. Another file may have it."""


def column_error(where: str, column: str, problem: str) -> SourceError:
    """Return an error about a column. `where` is the path in quotes, or another name of
    the rows.
    """
    return SourceError(f"{where}: column {format_value(column)}: {problem}")


class Roles(NamedTuple):
    """The name of the column for each role, the positive label, and rules for missing
    values and other labels.
    """

    y_true: str
    y_score: str
    sample_weight: str | None = None
    query_id: str | None = None
    pos_label: Label = 1
    # The positive labels, if one of several classes is scored against the others. Then
    # `pos_label` has no effect, and all other labels are negative.
    of_class: frozenset[Label] | None = None
    # The column of the amount of each row, such as money.
    amount: str | None = None
    # The option that names each column on a command line, by the name of the column.
    options: Mapping[str, str] = {}
    # The columns of ids other than `query_id`.
    other_ids: frozenset[str] = frozenset()
    # Whether rows with a missing value are dropped. Then all columns that `options`
    # names are read and checked, too.
    drops_missing: bool = False
    # Whether several labels may be negative, because a user has named the positive one.
    takes_others: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of all columns to read, each once."""
        names = [
            self.y_true,
            self.y_score,
            self.sample_weight,
            self.amount,
            self.query_id,
        ]
        if self.drops_missing:
            names += self.options
        return list(dict.fromkeys(name for name in names if name is not None))

    def check_columns(
        self, where: str, available: Iterable[str], types: Iterable[object] = ()
    ) -> None:
        """Raise SourceError unless each column to read is available exactly once. Names
        in upper and lower case differ.

        `types` are the types of the available columns, as any library names them. The
        error lists columns of numbers first.
        """
        names = list(available)
        for name in self.columns:
            column, count = f"{where}: column {format_value(name)}", names.count(name)
            if count == 1:
                continue
            if count > 1:
                raise SourceError(
                    f"{column} occurs {count} times; names of columns, and of folders "
                    "such as day=1, must be unique"
                )
            # A user may pass several columns as one name, such as "site,day". A single
            # part is the name itself, which is not in `names`.
            parts = name.split(",")
            if {*parts} <= {*names}:
                raise MissingColumnError(
                    f"{column} is {len(parts)} columns; write one that joins them, "
                    f"with values such as {' '.join(parts)}"
                )
            has_roles = not {self.y_true, self.y_score}.isdisjoint(names)
            others = other_columns(name, names, types, has_roles=has_roles)
            raise MissingColumnError(
                f"{column} is missing; pass another name by {self.option_of(name)}; "
                f"{others}"
            )

    def option_of(self, name: str) -> str:
        """Return the option or the argument that names a column."""
        arguments = {
            self.y_true: "y_true",
            self.y_score: "y_score",
            self.sample_weight: "sample_weight",
            self.query_id: "query_id",
        }
        return self.options.get(name, arguments.get(name, "amount"))
