"""Find missing values: entries hidden by a mask, and None, NaN or pandas' NA among objects."""

import numpy as np


def refuse_mask(name: str, values: object) -> None:
    """Refuse arrays with masked values, which numpy and scikit-learn would ignore."""
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array with masked values; numpy would ignore the mask, so drop those rows."
        )


def is_missing(value: object) -> bool:
    """Whether an object is None, NaN, NaT or pandas' NA, or a tuple or frozenset that holds one."""
    if isinstance(value, tuple | frozenset):
        return any(map(is_missing, value))
    try:
        return value is None or not bool(value == value)
    except (TypeError, ArithmeticError):  # the comparisons of pandas' NA have no truth value
        return True
    except ValueError:  # the comparison of an array has several truth values
        return False
