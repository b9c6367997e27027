"""The errors of scikit-learn's own parameter checks, for the parameters that its functions have too."""

from collections.abc import Callable
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import precision_recall_curve

from ._missing import refuse_mask
from ._options import is_average

__all__ = ["check_like"]


def check_like(reference: Callable[..., object], caller: str, **given: object) -> None:
    """Where scikit-learn's decorator would refuse a parameter, raise its own error.

    The class of that error (ValueError and TypeError at once) is private, so the reference is made to raise
    it: every other argument of that call is valid.
    """
    for name, value in given.items():
        refuse_mask(name, value)
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
        case "y_true" if issparse(value):
            return True
        case _:
            sized = any(hasattr(value, has) for has in ("__len__", "shape", "__array__"))
            return sized and not issparse(value) and not np.isscalar(value)
