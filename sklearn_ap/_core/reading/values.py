"""Values as callers pass them: some are missing, on another device, or arrays of other
libraries.
"""

import sys
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config

from ..typing import AnyArray, BoolArray, ForeignArray, Targets

# Sums and products of weights between them keep all digits.
LEAST_WEIGHT = 2.0**-500
MOST_WEIGHT = 2.0**500
_NEVER_MISSING = {int, str, np.int64, np.str_}


def refuse_mask(name: str, values: object) -> None:
    """Refuse arrays with masked values, which numpy and scikit-learn would ignore."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array with masked values; numpy would ignore the "
            "mask, so drop those rows."
        )


def is_missing(value: object) -> bool:
    """Whether an object is None, NaN, NaT or pandas' NA, or a tuple that contains
    one.
    """
    if isinstance(value, tuple):
        return any(map(is_missing, value))
    try:
        return value is None or not bool(value == value)
    except (TypeError, ArithmeticError):
        # The comparisons of pandas' NA have no truth value.
        return True
    except ValueError:  # the comparison of an array has several truth values
        return False


def any_missing(values: list[Any]) -> bool:
    """Whether one of the objects is missing."""
    if {*map(type, values)} <= _NEVER_MISSING:
        return False
    return any(map(is_missing, values))


def rows_in_words(is_affected: BoolArray) -> str:
    """Return the first of these rows, and how many others there are."""
    n_others = int(is_affected.sum()) - 1
    others = f" and {n_others} other{'s' * (n_others > 1)}" if n_others else ""
    return f"row {is_affected.argmax()}{others}"


def is_multilabel(values: Targets) -> bool:
    """Whether there is more than one column.

    `classes_` does not show it: OneVsRest has arange(L) there.
    """
    # Shapes are read first: numpy cannot read arrays of every device.
    shape = getattr(values, "shape", None) or np.shape(values)
    return len(shape) == 2 and shape[1] > 1


T = TypeVar("T")


def is_foreign(values: object) -> TypeGuard[ForeignArray]:
    """Whether an object is an array of another library than numpy, on any device."""
    return _is_tensor(values) or (
        # pandas takes microseconds to say that an instance lacks an attribute.
        hasattr(type(values), "__array_namespace__")
        and not isinstance(values, np.ndarray | np.generic)
    )


def _is_tensor(values: object) -> TypeGuard[ForeignArray]:
    # torch is imported already if there is a tensor, and slow to import if not.
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def on_host(name: str, values: T) -> T | AnyArray:
    """Return an array of another library as one of numpy, and anything else as it
    is.
    """
    array = _array_on_host(name, values) if is_foreign(values) else values
    # numpy has no bfloat16. JAX uses that of ml_dtypes, whose numbers float32
    # represents.
    dtype: Any = getattr(array, "dtype", None)  # its kind takes less time
    if getattr(dtype, "kind", None) == "V" and dtype.name == "bfloat16":
        return np.asarray(array).astype(np.float32)
    return array


def _array_on_host(name: str, values: ForeignArray) -> AnyArray:
    if _is_tensor(values):
        return _tensor_on_host(name, values)
    try:
        return np.asarray(values)
    except (TypeError, RuntimeError, ValueError):
        # Libraries raise any of these for another device.
        if hasattr(values, "todense"):
            raise ValueError(f"{name} is sparse; pass {name}.todense().") from None
        _check_dispatch(name, values)
    try:
        return np.from_dlpack(values, device="cpu")
    except TypeError:  # numpy 2.0 has no devices
        return np.from_dlpack(values)


def _tensor_on_host(name: str, tensor: ForeignArray) -> AnyArray:
    if tensor.requires_grad:
        raise ValueError(
            f"{name} is a tensor that requires grad, but rankings have no gradient; "
            f"pass {name}.detach()."
        )
    if tensor.device.type != "cpu":
        _check_dispatch(name, tensor)
    # numpy has no bfloat16, and float32 represents its numbers.
    if tensor.dtype.is_floating_point and tensor.dtype.itemsize < 4:
        tensor = tensor.float()
    # `force` copies to the host, and resolves lazy views.
    return np.asarray(tensor.numpy(force=True))


def _check_dispatch(name: str, values: ForeignArray) -> None:
    if not get_config()["array_api_dispatch"]:
        raise ValueError(
            f"{name} is on the device {values.device}; pass a copy on the host, or "
            "call sklearn.set_config(array_api_dispatch=True)."
        )


def reference_of(y_score: ArrayLike) -> ForeignArray | None:
    """Return the scores if results must be arrays of the same library and device, else
    None.
    """
    if is_foreign(y_score) and get_config()["array_api_dispatch"]:
        return y_score
    return None


def to_namespace_of(
    values: AnyArray, reference: ForeignArray | None, *, keep_dtype: bool = False
) -> AnyArray | ForeignArray:
    """Return an array in the namespace and on the device of the reference; unchanged
    without a reference.

    Devices without float64 get float32. With `keep_dtype`, a tensor gets the dtype of
    the reference: thresholds are scores, also in bfloat16, which numpy lacks.
    """
    if reference is None:
        return values
    device = reference.device
    if values.dtype == object:  # integers beside infinity, in a hit curve
        values = values.astype(np.float64)
    if _is_tensor(reference):
        import torch  # optional, and imported already

        narrow = device.type == "mps"  # Apple's GPUs have no float64
        tensor = torch.from_numpy(
            np.ascontiguousarray(values.astype(np.float32) if narrow else values)
        )
        return tensor.to(device=device, dtype=reference.dtype if keep_dtype else None)
    namespace = reference.__array_namespace__()
    narrow = values.dtype.name not in namespace.__array_namespace_info__().dtypes(
        device=device
    )
    return namespace.asarray(
        values.astype(np.float32) if narrow else values, device=device
    )
