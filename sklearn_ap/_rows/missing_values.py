"""Missing values: which fields are missing, how many, and the error about them."""

from collections import Counter

import numpy as np

from .._core.typing import AnyArray, BoolArray, Label
from .._shown.sources import format_value
from .columns import Column, Columns
from .labels import counted_labels, typed_label
from .roles import Roles, column_error

# The types of Arrow that have NaN.
_FLOATS = "halffloat", "float", "double"
_MISSING_FIELDS = frozenset([None, "", "nan", "NaN"])
# pandas reads these words as missing values, too, except for the dot of VCF files.
# Here, the words are missing values only in columns of numbers, since an id or a label
# may be called NA or None.
_MISSING_WORDS = "#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL None n/a null ."
_MISSING_NUMBERS = _MISSING_FIELDS.union(_MISSING_WORDS.split())

# Advice for an error about missing values: a line that drops the rows without a value.
# `MissingValues.check` fills in the names. Frames of Spark have the same method as
# those of pandas.
ADVICE_OF_PANDAS = "frame.dropna(subset={names})"
# In polars, NaN is not a missing value.
ADVICE_OF_POLARS = "frame.fill_nan(None).drop_nulls({names})"
# isnan() of DuckDB fails for integers and text. The comparison also drops NULL, since
# no comparison with NULL is true.
ADVICE_OF_DUCKDB = 'duckdb.sql("""FROM {rows} WHERE {conditions}""")'


class MissingValues:
    """Counts of the missing values of a source."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        # Number of rows with a missing value, and number of missing values by column.
        self.n_rows = 0
        self.by_column = Counter[str]()
        # Number of rows with each label, among the rows with another missing value.
        self.labels = Counter[Label]()
        # Number of missing values by file and column, and number of rows by file.
        self._by_file = Counter[tuple[str, str]]()
        self._n_read = Counter[str]()
        # Words in place of missing numbers, such as NA, that were found in text files.
        self._words = set[str]()

    def complete(self, columns: Columns) -> Columns:
        """Return the rows that have a value in each column, and count the rows that do
        not.

        After the last batch, `check` raises an error with the numbers of missing
        values, unless such rows are dropped.
        """
        is_complete = has_label = np.array(True)
        for column in columns.values():
            missing = _is_missing(column, self._roles)
            is_complete = is_complete & ~missing
            if column.name == self._roles.y_true:
                has_label = ~missing
            if n_missing := int(missing.sum()):
                if column.is_text:
                    texts = {*column.values[missing].tolist()}
                    self._words |= texts - _MISSING_FIELDS
                self.by_column[column.name] += n_missing
                self._by_file[column.where, column.name] += n_missing
        # All columns of a batch are from the same file.
        self._n_read[column.where] += is_complete.size
        if is_complete.all():
            return columns
        self.n_rows += int(np.count_nonzero(~is_complete))
        if self._roles.drops_missing:
            labels = columns[self._roles.y_true].take(has_label & ~is_complete)
            self.labels.update(counted_labels(labels))
        return {name: column.take(is_complete) for name, column in columns.items()}

    def check(self, rows: str, advice: str) -> None:
        """Raise SourceError if rows with a missing value were counted, unless such rows
        are dropped.

        `rows` is the source in SQL. The names of columns with missing values are filled
        into `advice`.
        """
        if self._roles.drops_missing or not self._by_file:
            return
        where, name = next(iter(self._by_file))
        n_missing, n_rows = self._by_file[where, name], self._n_read[where]
        problem = f"contains missing values in {n_missing:,} of {n_rows:,} rows"
        for (file, column), n_others in self._by_file.items():
            if file == where and column != name:
                problem += f", {format_value(column)} in {n_others:,}"
        names = [*self.by_column]
        if self._words:
            rows = f"read_csv({rows}, nullstr={['', *sorted(self._words)]})"
        conditions = [f"lower({quoted(name)}::text) <> 'nan'" for name in names]
        line = advice.format(
            names=names, rows=rows, conditions=" AND ".join(conditions)
        )
        problem += f"; fill them, or drop these rows: {line}"
        raise column_error(where, name, problem)

    def join(self, other: "MissingValues") -> None:
        """Add the numbers of missing values in another part of the source."""
        self.n_rows += other.n_rows
        self.by_column += other.by_column
        self.labels.update(other.labels)
        self._by_file += other._by_file
        self._n_read += other._n_read
        self._words |= other._words


def _is_missing(column: Column, roles: Roles) -> BoolArray:
    """Return which values of a column are missing or NaN."""
    if column.is_text:
        has_words = column.name == roles.query_id or column.name in roles.other_ids
        if column.name == roles.y_true:
            others = {*column.values.tolist()} - _MISSING_NUMBERS
            labels = [roles.pos_label, *map(typed_label, others)]
            has_words = any(isinstance(label, str) for label in labels)
        return is_missing_text(
            column.values, _MISSING_FIELDS if has_words else _MISSING_NUMBERS
        )
    values, kind = column.values, str(column.values.type)
    # Older versions of Arrow do not find NaN among half floats.
    if kind == "halffloat":
        halves = values.to_numpy(zero_copy_only=False)
        return np.asarray(np.isnan(halves.astype(np.float32)))
    missing = values.is_null(nan_is_null=kind in _FLOATS)
    return np.asarray(missing.to_numpy(zero_copy_only=False))


def is_missing_text(
    values: AnyArray, missing: frozenset[str | None] = _MISSING_FIELDS
) -> BoolArray:
    """Return which fields are one of the texts in `missing`: by default, the empty
    field, None, and NaN as pandas and numpy write it.
    """
    fields = values.tolist()
    if missing.isdisjoint(fields):
        return np.zeros(values.size, dtype=bool)
    return np.fromiter(map(missing.__contains__, fields), bool, values.size)


def quoted(name: str) -> str:
    """Return the name of a column in the quotes of SQL."""
    return '"' + name.replace('"', '""') + '"'
