"""Type aliases of the package: its arrays and its options."""

from collections.abc import Callable, Mapping
from typing import (
    Any,
    Literal,
    NamedTuple,
    SupportsFloat,
    TypedDict,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
AnyArray = NDArray[Any]

# `Estimator`, `Features`, `Targets` and `ForeignArray` belong to other packages, which
# have no annotations or need not be installed. So all of them are `Any`, and their
# names show what is expected.

# An estimator of scikit-learn, or another object with its methods.
Estimator = Any
# `X`: an array, a data frame, a sparse matrix or a list, as the estimator takes it.
Features = Any
# `y`: labels, or a matrix with a column per label, which may be sparse.
Targets = Any
# An array of PyTorch, CuPy or another package.
ForeignArray = Any

AveragedBy = Literal["macro", "micro", "weighted", "samples"]
Average = AveragedBy | None
Label = bool | int | float | str
# With these tie policies, equal scores have an order, so each row is a step of its own.
OrderByLabel = Literal["optimistic", "pessimistic"]
TieOrder = Literal["stable", OrderByLabel]
# Scores of ranks require an order of equal scores or the mean over all orders.
RankedTiePolicy = Literal["expected", TieOrder]
TiePolicy = Literal["proportional", RankedTiePolicy]
Normalizer = Literal["min", "n_positives", "k", "hits"]
RecallNormalizer = Literal["n_positives", "min"]
Interpolation = Literal["linear", "davis-goadrich"]
DrawnArea = Literal["step", "interpolated", "eleven-point", Interpolation]
ZeroDivision = Literal["warn"] | float
# Displays accept these methods only. Scorers accept any method.
ResponseMethod = Literal["auto", "predict_proba", "decision_function"]
# Levels of recall or precision, in ascending order; an integer N means the levels j /
# (N - 1).
Levels = int | FloatArray
# The lowest and the highest score, which are numbers of numpy.
Bounds = tuple[Any, Any]
# The id of a query: a number, text, a date or a tuple of these.
QueryId = Any
# The keys are `Any`, since a mapping is invariant in the type of its keys: type
# checkers would reject a variable of type dict[str, float] for keys of another type.
ArrayLikeOrMapping = ArrayLike | Mapping[Any, float]
# An optional argument with a value per row.
PerRow = ArrayLike | None
# An optional argument with a value per ranking, also as a mapping by query.
PerRanking = ArrayLikeOrMapping | None
Share = float | None
# The rows above a cut: a number, a share of the rows, or all rows.
FirstRows = int | float | None
# A function of labels, scores and parameters of its own.
ScoreFunction = Callable[..., SupportsFloat]


class ScoreOptions(TypedDict, total=False):
    """Keywords of scores of this package, which other functions hand on."""

    average: AveragedBy
    interpolation: Interpolation
    k: int | float | None
    n_positives: PerRanking
    normalizer: Normalizer
    pos_label: Label
    precision: float
    prevalence: float | None
    query_id: PerRow
    recall: float
    recall_levels: int | ArrayLike | None
    sample_weight: PerRow
    ties: TiePolicy
    zero_division: ZeroDivision


class PassedRows(NamedTuple):
    """The arguments of a score or a curve that describe its rows, as the caller passed
    them.
    """

    y_true: ArrayLike
    y_score: ArrayLike
    average: Average = "macro"
    # Scores do not accept None.
    pos_label: Label | None = 1
    sample_weight: PerRow = None
    query_id: PerRow = None
    n_positives: PerRanking = None
    unit_id: PerRow = None
