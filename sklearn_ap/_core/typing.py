"""Type aliases of the package: its arrays and its options."""

from collections.abc import Callable, Mapping
from typing import (
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    SupportsFloat,
    TypedDict,
    Unpack,
    cast,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .words import with_hints

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
AnyArray = NDArray[Any]

# What other packages ship no types for: one name each, so that `Any` says what is
# meant.
Estimator = Any  # of scikit-learn, or anything else that has its methods
# `X`: an array, a data frame, a sparse matrix or a list, as the estimator takes it
Features = Any
# `y`: labels, or a column for each of several, which scipy's sparse matrices may
# contain
Targets = Any
ForeignArray = Any  # of PyTorch, CuPy and others, which need not be installed

AveragedBy = Literal["macro", "micro", "weighted", "samples"]
Average = AveragedBy | None
Label = bool | int | float | str
# In these orders, equal scores are steps of their own.
TieOrder = Literal["stable", "optimistic", "pessimistic"]
# Scores made of ranks need an order, which a shared threshold does not give.
RankedTiePolicy = Literal["expected", TieOrder]
TiePolicy = Literal["proportional", RankedTiePolicy]
Normalizer = Literal["min", "n_positives", "k", "hits"]
RecallNormalizer = Literal["n_positives", "min"]
Interpolation = Literal["linear", "davis-goadrich"]
DrawnArea = Literal["step", "interpolated", "eleven-point", Interpolation]
ZeroDivision = Literal["warn"] | float
# Displays take these methods; scorers take any.
ResponseMethod = Literal["auto", "predict_proba", "decision_function"]
# Levels of recall or precision, in ascending order; N means the levels j / (N - 1).
Levels = int | FloatArray
# The lowest or the highest score: a number of numpy, or what an array of objects
# contains.
Bound = Any
Bounds = tuple[Bound, Bound]  # no score is below the first or above the second
# The id of a query, as ids are told apart and sorted: a number, text, a date or a tuple
# of these.
QueryId = Any
# A mapping is invariant in its keys: of `QueryId`, it would refuse a variable of type
# dict[str, float].
ArrayLikeOrMapping = ArrayLike | Mapping[Any, float]
# What optional arguments accept.
PerRow = ArrayLike | None  # a value per row
PerRanking = ArrayLikeOrMapping | None  # a value per ranking, or by query
Share = float | None
# The first rows of each ranking: a number, a share, a number of each, or all.
FirstRows = int | float | FloatArray | None
ScoreFunction = Callable[..., SupportsFloat]  # of labels, scores and its own parameters


class PassedRows(NamedTuple):
    """Labels, scores and what describes them, as the caller of a score or a curve
    passed them.
    """

    y_true: ArrayLike
    y_score: ArrayLike
    average: Average = "macro"
    pos_label: Label | None = 1  # None for curves alone
    sample_weight: PerRow = None
    query_id: PerRow = None
    n_positives: PerRanking = None
    zero_division: ZeroDivision = 0.0


class ScoreOptions(TypedDict, total=False):
    """The options of all scores but `average`; each score takes some of them."""

    k: int | float | None
    ties: TiePolicy
    normalizer: Normalizer
    recall: float
    precision: float
    recall_levels: int | ArrayLike | None
    interpolation: Interpolation
    prevalence: float | None
    pos_label: Label
    sample_weight: ArrayLike | None
    query_id: ArrayLike | None
    n_positives: ArrayLikeOrMapping | None
    zero_division: ZeroDivision


_Arguments = ParamSpec("_Arguments")


class AveragedScore(Protocol[_Arguments]):
    """A score as type checkers see it: an array with ``average=None``, else a float."""

    __name__: str

    @overload
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        average: None,
        **options: Unpack[ScoreOptions],
    ) -> FloatArray: ...
    @overload
    def __call__(
        self, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> float: ...


def averaged(
    score: Callable[_Arguments, float | FloatArray],
) -> AveragedScore[_Arguments]:
    """Return a score whose errors say what to write for the words of other packages. Its
    type also has ``average=None``, which gives an array.

    One type for all scores, since two overloads of each would double their signatures.
    """
    return cast(AveragedScore[_Arguments], with_hints(score))
