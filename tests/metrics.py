"""The public functions, for tests that hold of all of them."""

import sklearn_ap

ALL_SCORES = [getattr(sklearn_ap, name) for name in sklearn_ap.__all__ if name.endswith("_score")]
CURVES = [getattr(sklearn_ap, name) for name in sklearn_ap.__all__ if name.endswith("_curve")]
