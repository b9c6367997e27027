"""Values that callers pass, which may be missing, on another device, or arrays of other
libraries.
"""

import sys
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config

from ..typing import AnyArray, BoolArray, ForeignArray, Targets

# Sums and products of weights between these bounds neither overflow nor underflow.
LEAST_WEIGHT = 2.0**-500
MOST_WEIGHT = 2.0**500
_NEVER_MISSING = {int, str, np.int64, np.str_}


def check_not_masked(name: str, values: object) -> None:
    """Raise ValueError if an array has masked values, since numpy and scikit-learn
    would ignore the mask.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array with masked values; numpy would ignore the "
            "mask, so drop those rows."
        )


def is_missing(value: object) -> bool:
    """Return whether an object is None, NaN, NaT or pandas' NA, or a tuple that
    contains one of them.
    """
    if isinstance(value, tuple):
        return any(map(is_missing, value))
    try:
        return value is None or not bool(value == value)
    except (TypeError, ArithmeticError):
        # The comparisons of pandas' NA have no truth value.
        return True
    except ValueError:
        # The comparison of an array has several truth values.
        return False


def any_missing(values: list[Any]) -> bool:
    """Return whether at least one of the objects is missing."""
    if {*map(type, values)} <= _NEVER_MISSING:
        return False
    return any(map(is_missing, values))


def rows_in_words(is_affected: BoolArray) -> str:
    """Return the first affected row and the number of other affected rows as text, such
    as "row 3 and 2 others".
    """
    first = f"row {is_affected.argmax()}"
    match int(is_affected.sum()) - 1:
        case 0:
            return first
        case 1:
            return f"{first} and 1 other"
        case n_others:
            return f"{first} and {n_others} others"


def is_multilabel(values: Targets) -> bool:
    """Return whether labels have more than one column.

    The attribute `classes_` of an estimator does not show this: `OneVsRestClassifier`
    has arange(L) there.
    """
    # Read the attribute `shape` first, since numpy cannot read arrays of every device.
    shape = getattr(values, "shape", None) or np.shape(values)
    return len(shape) == 2 and shape[1] > 1


def shape_of(y_score: ArrayLike) -> tuple[int, ...]:
    """Return the shape of scores; that of lists of different lengths is ()."""
    try:
        return np.shape(on_host("y_score", y_score))
    except ValueError:
        return ()


T = TypeVar("T")


def is_foreign(values: object) -> TypeGuard[ForeignArray]:
    """Return whether an object is an array of another library than numpy, on any
    device.
    """
    return _is_tensor(values) or (
        # Ask the class, since an instance of pandas takes microseconds to report that
        # an attribute does not exist.
        hasattr(type(values), "__array_namespace__")
        and not isinstance(values, np.ndarray | np.generic)
    )


def _is_tensor(values: object) -> TypeGuard[ForeignArray]:
    """Return whether an object is a tensor of torch."""
    # If `values` is a tensor, torch is imported already. Otherwise, do not import it,
    # since the import takes seconds.
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def on_host(name: str, values: T) -> T | AnyArray:
    """Return an array of another library as an array of numpy, and other values
    unchanged. Raise ValueError for masked values.
    """
    check_not_masked(name, values)
    array = _array_on_host(name, values) if is_foreign(values) else values
    # Numpy has no bfloat16. JAX uses the type of ml_dtypes, whose numbers float32
    # represents exactly. The kind is compared first, since this takes less time than a
    # comparison of names.
    dtype: Any = getattr(array, "dtype", None)
    if getattr(dtype, "kind", None) == "V" and dtype.name == "bfloat16":
        return np.asarray(array).astype(np.float32)
    return array


def _array_on_host(name: str, values: ForeignArray) -> AnyArray:
    """Return an array of another library as an array of numpy."""
    if _is_tensor(values):
        return _tensor_on_host(name, values)
    try:
        return np.asarray(values)
    except (TypeError, RuntimeError, ValueError):
        # Libraries raise one of these errors for an array on another device.
        if hasattr(values, "todense"):
            raise ValueError(f"{name} is sparse; pass {name}.todense().") from None
        # If scikit-learn's dispatch is on, the array is copied to the host below.
        _check_dispatch(name, values)
    try:
        return np.from_dlpack(values, device="cpu")
    except TypeError:
        # numpy 2.0 has no devices.
        return np.from_dlpack(values)


def _tensor_on_host(name: str, tensor: ForeignArray) -> AnyArray:
    """Return a tensor of torch as an array of numpy."""
    if tensor.requires_grad:
        raise ValueError(
            f"{name} is a tensor that requires grad, but rankings have no gradient; "
            f"pass {name}.detach()."
        )
    if tensor.device.type != "cpu":
        _check_dispatch(name, tensor)
    # Numpy has no bfloat16, whose numbers float32 represents exactly.
    if tensor.dtype.is_floating_point and tensor.dtype.itemsize < 4:
        tensor = tensor.float()
    # `force` copies the tensor to the host and resolves lazy views.
    return np.asarray(tensor.numpy(force=True))


def _check_dispatch(name: str, values: ForeignArray) -> None:
    """Raise ValueError if scikit-learn's dispatch of arrays on other devices is off."""
    if not get_config()["array_api_dispatch"]:
        raise ValueError(
            f"{name} is on the device {values.device}; pass a copy on the host, or "
            "call sklearn.set_config(array_api_dispatch=True)."
        )


def reference_of(y_score: ArrayLike) -> ForeignArray | None:
    """Return the scores if results must be arrays of their library and on their device;
    otherwise None.
    """
    if is_foreign(y_score) and get_config()["array_api_dispatch"]:
        return y_score
    return None


def to_namespace_of(
    values: AnyArray, reference: ForeignArray | None, *, keep_dtype: bool = False
) -> AnyArray | ForeignArray:
    """Return an array in the library and on the device of the reference; without a
    reference, return it unchanged.

    A device without float64 receives float32. With `keep_dtype`, which is for
    thresholds, a tensor has the dtype of the reference, since thresholds are scores.
    This dtype may be bfloat16, which numpy does not have.
    """
    if reference is None:
        return values
    device = reference.device
    # The thresholds of a hit curve are objects if they contain infinity and large
    # integers.
    if values.dtype == object:
        values = values.astype(np.float64)
    if _is_tensor(reference):
        # torch is optional, and imported already if the reference is a tensor.
        import torch

        # Apple's GPUs have no float64.
        if device.type == "mps":
            values = values.astype(np.float32)
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        return tensor.to(device=device, dtype=reference.dtype if keep_dtype else None)
    namespace = reference.__array_namespace__()
    dtypes_of_device = namespace.__array_namespace_info__().dtypes(device=device)
    if values.dtype.name not in dtypes_of_device:
        values = values.astype(np.float32)
    return namespace.asarray(values, device=device)
