"""A column as it was read: an array of Arrow, or the texts of fields."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .._core.reading.fields import what_is
from .._core.typing import AnyArray, BoolArray
from .._shown.sources import SourceError, format_value
from .decimals import Decimals
from .roles import column_error

# An array of pyarrow, or an array of numpy that contains text.
Values = Any

_TEXTS = "string", "large_string", "string_view"
# float64 never rounds a decimal that has at most this many digits.
_EXACT_DIGITS = 15
# An error shows at most this many items of a list.
_N_SHOWN_ITEMS = 3


class Column(NamedTuple):
    """The values of a column as they were read, with its name and source for errors."""

    values: Values
    name: str
    # The path in quotes, or another name of the rows.
    where: str
    # Whether `values` is an array of text, as from CSV files and names of folders, in
    # which None is a missing value.
    is_text: bool = False
    # The reader of decimal commas; None for columns of Arrow, and for files whose
    # columns are separated by commas, since numbers then contain no comma.
    decimals: Decimals | None = None

    def error(self, problem: str) -> SourceError:
        """Return an error about this column."""
        return column_error(self.where, self.name, problem)

    def take(self, rows: BoolArray) -> "Column":
        """Return this column with only the values where `rows` is True."""
        values = self.values
        if self.is_text:
            return self._replace(values=values[rows])
        # Arrow cannot select values of the type string_view.
        if str(values.type) == "string_view":
            values = values.cast("large_string")
        return self._replace(values=values.take(np.flatnonzero(rows)))

    def texts(self) -> tuple[AnyArray, list[str]] | None:
        """Return, for each row, the index of its text among the distinct texts, and
        then the distinct texts. Return None if the values are not text.
        """
        values = self.values
        if self.is_text:
            code_of = {text: i for i, text in enumerate(dict.fromkeys(values.tolist()))}
            codes = map(code_of.__getitem__, values.tolist())
            return np.fromiter(codes, np.int64, values.size), [*code_of]
        if str(values.type) in _TEXTS:
            values = values.dictionary_encode()
        # Only arrays of codes have `indices`. Arrays of lists do not, although their
        # type has a `value_type`, too.
        if not hasattr(values, "indices") or str(values.type.value_type) not in _TEXTS:
            return None
        codes = values.indices.to_numpy(zero_copy_only=False)
        return codes, values.dictionary.to_pylist()

    def array(self, expected: str | None = None) -> AnyArray:
        """Return the values as an array of numpy. Raise SourceError if numpy has no
        type for them; `expected` describes, for the error, the values that this column
        may have.
        """
        values = self.values
        if str(values.type).startswith("decimal"):
            return self._floats_of_decimals()
        array: AnyArray = values.to_numpy(zero_copy_only=False)
        if array.dtype == object and array.size:
            raise self._type_error(array[0], expected)
        return array

    def _type_error(self, field: Any, expected: str | None) -> SourceError:
        """Return the error about a field for which numpy has no type."""
        if isinstance(field, np.ndarray | list):
            shown = format_value(np.asarray(field)[:_N_SHOWN_ITEMS].tolist())
            problem = f"contains {shown}, which is {what_is(field)}"
            if isinstance(next(iter(field), None), str):
                problem += "; sklearn_ap.read_lists takes lists of ids"
            return self.error(problem)
        if expected is None:
            expected = (
                "numbers, text or dates; pass "
                f"CAST({self.name} AS VARCHAR), or frame[{self.name!r}].astype(str)"
            )
        return self.error(f"contains {format_value(field)}; expected {expected}")

    def _floats_of_decimals(self) -> AnyArray:
        """Return decimals of pyarrow as the nearest float64. Raise SourceError if a
        decimal has more digits than float64 can represent.
        """
        from pyarrow import compute

        decimals = self.values
        # Arrow's own cast may return a neighbour of the nearest float64, and a
        # conversion of decimals to objects of Python takes eight times as long as a
        # conversion to text.
        floats = decimals.cast("string").cast("float64")
        if decimals.type.precision > _EXACT_DIGITS:
            shortest = floats.cast("string").cast(decimals.type)
            rounded = decimals.filter(compute.not_equal(shortest, decimals))
            if len(rounded):
                raise self.error(
                    f"contains {rounded[0].as_py():f}, which float64 would round; round "
                    f"it to n decimals, so that at most {_EXACT_DIGITS} digits remain in "
                    f"all: round({self.name}, n)"
                )
        array: AnyArray = floats.to_numpy(zero_copy_only=False)
        return array


# The columns of some rows, by name.
Columns = Mapping[str | None, Column]


def columns_of(
    arrays: Mapping[str, Values],
    where: str,
    *,
    is_text: bool = False,
    decimals: Mapping[str, Decimals] = MappingProxyType({}),
) -> Columns:
    """Return arrays of pyarrow, or arrays of numpy that contain text, as columns."""
    return {
        name: Column(values, name, where, is_text, decimals.get(name))
        for name, values in arrays.items()
    }
