"""Raise the errors of scikit-learn's parameter checks, for parameters that its functions share."""

from collections.abc import Callable
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import precision_recall_curve

from ._missing import refuse_mask
from ._options import is_average


def check_like(reference: Callable[..., object], caller: str, **given: object) -> None:
    """If scikit-learn's decorator would refuse a parameter, raise the same error.

    The class of this error (both a ValueError and a TypeError) is private. So the reference itself is called
    with the wrong value, and valid other arguments, to raise it.
    """
    for name, value in given.items():
        refuse_mask(name, value)
        # Only a wrong value reaches the reference: a call for each valid one would be slow.
        if _well_typed(name, value, pos_label_optional=reference is precision_recall_curve):
            continue
        try:
            reference(**{"y_true": [0, 1], "y_score": [0.0, 1.0], name: value})
        except ValueError as error:
            raise type(error)(str(error).replace(reference.__name__, caller)) from None


def _well_typed(name: str, value: object, *, pos_label_optional: bool) -> bool:
    match name:
        case "average":
            return is_average(value)
        case "pos_label":
            return isinstance(value, Real | str | np.bool_) or (value is None and pos_label_optional)
        case "sample_weight" if value is None:
            return True
        case "y_true" if issparse(value):  # scores and weights must not be sparse
            return True
        case _:  # scikit-learn's definition of an array-like; values are checked later
            sized = any(hasattr(value, has) for has in ("__len__", "shape", "__array__"))
            return sized and not issparse(value) and not np.isscalar(value)
