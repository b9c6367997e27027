"""Where sklearn_ap deviates from scikit-learn on purpose, as data.

Each row holds a call and the answers of both libraries; `tests/test_deviations.py` runs it in both. The names
of functions mean scikit-learn's function or ours; `precision_recall_curve` stands for our
`interpolated_precision_recall_curve`. `X` is ``np.arange(6).reshape(-1, 1)``. All other names are those of
numpy, `scipy.sparse` and scikit-learn. An error of the same class with another text is not a deviation.
"""

from dataclasses import dataclass

from .._public import Public


@dataclass(frozen=True, kw_only=True)
class Deviation(metaclass=Public):
    """A call that scikit-learn and sklearn_ap answer differently, and why.

    .. versionadded:: 0.1

    Parameters
    ----------
    topic : str
        What the call shows; each row has another topic.
    call : str
        The call, as a Python expression.
    scikit_learn : str
        The answer of scikit-learn: a number of at most 6 significant digits, True or False, or the class of
        an error with the start of its text. The text is left out if it depends on the version.
    sklearn_ap : str
        The answer of sklearn_ap, written in the same way.
    why : str
        The reason, in one sentence.
    versions : str, default=""
        Versions of scikit-learn with this answer, such as ``">= 1.9"``; in all others, both libraries agree.
        By default, all versions from 1.5 to 1.9.

    Examples
    --------
    >>> from sklearn_ap.compatibility import DEVIATIONS
    >>> row = next(row for row in DEVIATIONS if row.topic == "negative weights")
    >>> print(row.call)
    average_precision_score([1, 0, 1], [0.8, 0.4, 0.2], sample_weight=[1, -1.5, 1])
    >>> row.scikit_learn, row.sklearn_ap
    ('2.5', 'ValueError: sample_weight must not be negative')
    """

    topic: str
    call: str
    scikit_learn: str
    sklearn_ap: str
    why: str
    versions: str = ""


DEVIATIONS: tuple[Deviation, ...] = (
    # input
    Deviation(
        topic="masked labels",
        call="average_precision_score(np.ma.array([0, 1, 1], mask=[0, 0, 1]), [0.8, 0.4, 0.3])",
        scikit_learn="0.583333",
        sklearn_ap="ValueError: y_true is a masked array with masked values",
        why="scikit-learn ignores the mask, so a masked label counts like any other.",
    ),
    Deviation(
        topic="masked scores",
        call="average_precision_score([0, 1, 1], np.ma.array([0.8, 0.4, 0.3], mask=[1, 0, 0]))",
        scikit_learn="0.583333",
        sklearn_ap="ValueError: y_score is a masked array with masked values",
        why="scikit-learn ignores the mask, so a masked score is ranked like any other.",
    ),
    Deviation(
        topic="masked weights",
        call="average_precision_score([0, 1, 1], [0.8, 0.4, 0.3], "
        "sample_weight=np.ma.array([1, 1, 1], mask=[1, 0, 0]))",
        scikit_learn="0.583333",
        sklearn_ap="ValueError: sample_weight is a masked array with masked values",
        why="scikit-learn ignores the mask, so a masked weight counts like any other.",
    ),
    Deviation(
        topic="negative weights",
        call="average_precision_score([1, 0, 1], [0.8, 0.4, 0.2], sample_weight=[1, -1.5, 1])",
        scikit_learn="2.5",
        sklearn_ap="ValueError: sample_weight must not be negative",
        why="With negative weights, precision and recall are not shares, and their mean can exceed 1.",
    ),
    Deviation(
        topic="overflowing weights",
        call="average_precision_score([0, 0, 1], [0.8, 0.4, 0.2], sample_weight=[1e308, 1e308, 1e308])",
        scikit_learn="0",
        sklearn_ap="ValueError: sample_weight must be 0 or from 2**-500 (3e-151) to 2**500 (3e150)",
        why="If the sum of the weights is infinite, every precision is 0, but equal weights should give 1/3.",
    ),
    Deviation(
        topic="weights that are all 0",
        call="average_precision_score([0, 1], [0.1, 0.4], sample_weight=[0, 0])",
        scikit_learn="IndexError",
        sklearn_ap="ValueError: Sample weights must contain at least one non-zero number",
        why="Older versions drop every row and then break; the newer error names the weights.",
        versions="< 1.9",
    ),
    Deviation(
        topic="empty input",
        call="average_precision_score([], [])",
        scikit_learn="IndexError",
        sklearn_ap="ValueError: y_true is empty",
        why="scikit-learn breaks further on, and its error does not name the argument.",
    ),
    Deviation(
        topic="scores that are text",
        call='average_precision_score([1, 0], ["10", "9"])',
        scikit_learn="UFuncTypeError: ufunc 'subtract' did not contain a loop",
        sklearn_ap="ValueError: y_score must hold real numbers",
        why="scikit-learn breaks further on, and its error does not name the argument.",
    ),
    Deviation(
        topic="text among scores stored as objects",
        call='average_precision_score([1, 0], np.array([10, "9"], dtype=object))',
        scikit_learn="TypeError: '<' not supported between instances of",
        sklearn_ap="ValueError: y_score must hold real numbers",
        why="scikit-learn breaks while it sorts, and its error does not name the argument.",
    ),
    Deviation(
        topic="None among scores stored as objects",
        call="average_precision_score([1, 0], np.array([1, None], dtype=object))",
        scikit_learn="TypeError: '<' not supported between instances of",
        sklearn_ap="ValueError: y_score must hold real numbers",
        why="scikit-learn breaks while it sorts, and its error does not name the argument.",
    ),
    Deviation(
        topic="dates as scores",
        call='average_precision_score([1, 0], np.array(["2026", "2025"], dtype="M8[Y]"))',
        scikit_learn="1",
        sklearn_ap="ValueError: y_score must hold real numbers",
        why="scikit-learn ranks later dates higher, but a date is more likely a wrong column than a score.",
    ),
    Deviation(
        topic="labels stored as objects",
        call="average_precision_score(np.array([0, 1, 1], dtype=object), [0.4, 0.8, 0.3])",
        scikit_learn="ValueError: unknown format is not supported",
        sklearn_ap="0.833333",
        why="Tables of mixed types hold the labels 0 and 1 as objects, but they are still numbers.",
    ),
    Deviation(
        topic="query ids",
        call='average_precision_score([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], query_id=["a", "a", "b", "b"])',
        scikit_learn="TypeError: got an unexpected keyword argument 'query_id'",
        sklearn_ap="0.75",
        why="scikit-learn has no query ids and takes the rows of all queries as one ranking.",
    ),
    # columns
    Deviation(
        topic="sparse indicators",
        call="average_precision_score(csr_array([[0, 1], [1, 0]]), [[0.1, 0.9], [0.8, 0.2]])",
        scikit_learn="InvalidParameterError: The 'y_true' parameter of average_precision_score must be",
        sklearn_ap="1",
        why="Indicators of many labels are often sparse, and mean the same as dense ones.",
    ),
    Deviation(
        topic="multiclass scores in lists",
        call="average_precision_score([0, 1, 2], [[2, 1, 0], [1, 1, 2], [0, 1, 2]])",
        scikit_learn="AttributeError: 'list' object has no attribute 'shape'",
        sklearn_ap="0.611111",
        why="Lists of scores are accepted for binary and multilabel labels, so they should be for classes.",
        versions=">= 1.9",
    ),
    Deviation(
        topic="fewer columns of scores than classes",
        call="average_precision_score([0, 1, 2], np.array([[0.7, 0.3], [0.4, 0.6], [0.8, 0.2]]))",
        scikit_learn="0.75",
        sklearn_ap="ValueError: `y_score` needs to be of shape `(n_samples, n_classes)`",
        why="Older versions leave out the classes without a column, and the mean does not show it.",
        versions="< 1.9",
    ),
    Deviation(
        topic="fewer columns of scores than labels",
        call="average_precision_score(np.eye(3), np.eye(3)[:, :2])",
        scikit_learn="1",
        sklearn_ap="ValueError: y_score has shape (3, 2), but y_true has shape (3, 3)",
        why="scikit-learn leaves out the labels without a column, and the mean does not show it.",
    ),
    Deviation(
        topic="more columns of scores than labels",
        call="average_precision_score(np.eye(3)[:, :2], np.eye(3))",
        scikit_learn="IndexError: index 2 is out of bounds",
        sklearn_ap="ValueError: y_score has shape (3, 3), but y_true has shape (3, 2)",
        why="scikit-learn breaks further on, and its error does not name the argument.",
    ),
    Deviation(
        topic="average='weighted' with tiny weights",
        call='average_precision_score([[1, 1], [1, 0]], [[2, 1], [1, 2]], average="weighted", '
        "sample_weight=[1e-9, 1e-9])",
        scikit_learn="0",
        sklearn_ap="0.833333",
        why="scikit-learn treats a weight of positives below 1e-8 as 0, but the unit of the weights should "
        "not matter.",
    ),
    Deviation(
        topic="average='weighted' with indicators -1 and 1",
        call="average_precision_score([[1, 1], [1, -1], [1, -1]], [[1, 1], [2, 2], [3, 3]], "
        'average="weighted")',
        scikit_learn="1.33333",
        sklearn_ap="0.833333",
        why="scikit-learn adds up the indicators as they are, so negatives cancel positives.",
    ),
    Deviation(
        topic="average='weighted' with float32 weights",
        call='average_precision_score([[1, 1], [1, 0]], [[2, 1], [1, 2]], average="weighted", '
        'sample_weight=np.array([3e38, 3e38], dtype="float32"))',
        scikit_learn="nan",
        sklearn_ap="0.833333",
        why="scikit-learn adds up the weights of the positives in float32, which loses digits and here "
        "overflows.",
        versions=">= 1.9",
    ),
    Deviation(
        topic="average='samples' with weights that are all 0",
        call='average_precision_score([[0, 1], [1, 0]], [[0.1, 0.9], [0.8, 0.2]], average="samples", '
        "sample_weight=[0, 0])",
        scikit_learn="ZeroDivisionError: Weights sum to zero",
        sklearn_ap="ValueError: Sample weights must contain at least one non-zero number",
        why="Such weights should raise the same error with every average.",
    ),
    Deviation(
        topic="average='samples' with weights in a column",
        call='average_precision_score([[1, 1], [1, 0]], [[2, 1], [1, 2]], average="samples", '
        "sample_weight=[[1], [3]])",
        scikit_learn="IndexError: too many indices",
        sklearn_ap="0.625",
        why="Weights in a column are accepted with every other average.",
        versions="< 1.9",
    ),
    # curves
    Deviation(
        topic="curve with negative weights",
        call="precision_recall_curve([0, 1, 1], [0.1, 0.4, 0.3], sample_weight=[1, -2, 1])[1].max()",
        scikit_learn="2",
        sklearn_ap="ValueError: sample_weight must not be negative",
        why="With negative weights, recall is not a share: here it reaches 2.",
    ),
    Deviation(
        topic="curve with overflowing weights",
        call="precision_recall_curve([0, 0, 1], [0.8, 0.4, 0.2], sample_weight=[1e308, 1e308, 1e308])[0][0]",
        scikit_learn="0",
        sklearn_ap="ValueError: sample_weight must be 0 or from 2**-500 (3e-151) to 2**500 (3e150)",
        why="If the sum of the weights is infinite, every precision is 0, but equal weights should give 1/3.",
    ),
    Deviation(
        topic="curve with masked scores",
        call="precision_recall_curve([0, 1, 1], np.ma.array([0.8, 0.4, 0.3], mask=[1, 0, 0]))[2].max()",
        scikit_learn="0.8",
        sklearn_ap="ValueError: y_score is a masked array with masked values",
        why="scikit-learn ignores the mask, so a masked score becomes a threshold.",
    ),
    # scorers
    Deviation(
        topic="scorer of three classes that are text",
        call='get_scorer("average_precision")(GaussianNB().fit(X, list("aabbcc")), X, list("aabbcc"))',
        scikit_learn="ValueError: pos_label=1 is not a valid label",
        sklearn_ap="1",
        why="With several classes, each one is positive in a ranking of its own, whatever its name is.",
        versions="< 1.9",
    ),
    Deviation(
        topic="scorer of an estimator that knows class 1 alone",
        call='get_scorer("average_precision")(DummyClassifier().fit(X, [1] * 6), X, [1] * 6)',
        scikit_learn="ValueError: Got predict_proba of shape (6, 1), but need classifier with two classes",
        sklearn_ap="1",
        why="A ranking of positives alone has a precision of 1 at every threshold.",
    ),
    Deviation(
        topic="scorer where a class is absent from the fold",
        call='get_scorer("average_precision")(GaussianNB().fit(X, [0, 0, 1, 1, 2, 2]), '
        "X, [0, 0, 0, 2, 2, 2])",
        scikit_learn="ValueError: pos_label=1 is not a valid label",
        sklearn_ap="1",
        why="The class is left out of the mean, since a rare class is often missing from a fold.",
    ),
    Deviation(
        topic="scorer where a class was unseen in training",
        call='get_scorer("average_precision")(GaussianNB().fit(X, [0, 0, 1, 1, 2, 2]), '
        "X, [0, 0, 1, 1, 3, 3])",
        scikit_learn="1",
        sklearn_ap="ValueError: y holds the class 3, which the estimator was not trained on",
        why="scikit-learn only counts columns, and ranks class 3 by the probability of class 2.",
    ),
    Deviation(
        topic="scorer where a label was constant in training",
        call='get_scorer("average_precision")(KNeighborsClassifier(1).fit(X, [[0, 0]] * 3 + [[1, 0]] * 3), '
        "X, [[0, 0]] * 3 + [[1, 1]] * 3)",
        scikit_learn="ValueError: Found input variables with inconsistent numbers of samples",
        sklearn_ap="0.75",
        why="For such a label the estimator gives a single column of probabilities, so the score is the "
        "constant value, 0 or 1.",
    ),
    Deviation(
        topic="scorer of scores of pairs of classes",
        call='get_scorer("average_precision")(SVC(kernel="linear", decision_function_shape="ovo").fit('
        "X, [0, 0, 0, 1, 1, 2]), X, [0, 0, 0, 1, 1, 2])",
        scikit_learn="0.497222",
        sklearn_ap="ValueError: decision_function_shape='ovo' gives scores of pairs of classes",
        why="Three classes have three pairs, so scikit-learn mistakes scores of pairs for scores of classes.",
    ),
    Deviation(
        topic="scorer of outliers as the positive class",
        call='make_scorer(average_precision_score, response_method="decision_function", pos_label=-1)('
        "OneClassSVM().fit(X[:3]), X, [1, 1, 1, 1, 1, -1])",
        scikit_learn="0.166667",
        sklearn_ap="1",
        why="Outlier detectors score inliers high, so scikit-learn ranks the outliers last.",
    ),
    Deviation(
        topic="scorer of sparse indicators",
        call='get_scorer("average_precision")(KNeighborsClassifier(1).fit(X, [[0, 1]] * 3 + [[1, 0]] * 3), '
        "X, csr_array([[0, 1]] * 3 + [[1, 0]] * 3))",
        scikit_learn="InvalidParameterError: The 'y_true' parameter of average_precision_score must be",
        sklearn_ap="1",
        why="Indicators of many labels are often sparse, and mean the same as dense ones.",
    ),
    Deviation(
        topic="two scorers of different positive classes",
        call='cross_validate(SVC(kernel="linear"), X, [0, 0, 0, 1, 1, 1], cv=2, scoring={str(label): '
        'make_scorer(average_precision_score, response_method="decision_function", pos_label=label) '
        'for label in (0, 1)})["test_1"].mean()',
        scikit_learn="0.458333",
        sklearn_ap="1",
        why="scikit-learn keeps the scores as the first scorer reads them, and hands them to the others.",
    ),
    Deviation(
        topic="scorer made without a response method",
        call="make_scorer(average_precision_score)(GaussianNB().fit(X, [0, 0, 0, 1, 1, 1]), X, "
        "[0, 0, 0, 0, 0, 1])",
        scikit_learn="0.333333",
        sklearn_ap="1",
        why="scikit-learn calls predict, whose labels leave a single threshold, but a ranking needs decision "
        "values or probabilities.",
    ),
    Deviation(
        topic="scorer made with an unknown argument",
        call="callable(make_scorer(average_precision_score, k=10))",
        scikit_learn="True",
        sklearn_ap="TypeError: average_precision_score takes no argument 'k'",
        why="scikit-learn fails only when the scorer is used, and cross-validation turns the error into NaN "
        "and a warning.",
    ),
    Deviation(
        topic="scorer made with average=None",
        call="callable(make_scorer(average_precision_score, average=None))",
        scikit_learn="True",
        sklearn_ap="ValueError: average=None gives several values, but a scorer returns one",
        why="A scorer must return a single number, so that models can be compared.",
    ),
    Deviation(
        topic="name of a scorer",
        call='hasattr(get_scorer("average_precision"), "__name__")',
        scikit_learn="False",
        sklearn_ap="True",
        why="LearningCurveDisplay and ValidationCurveDisplay write the name of a scorer beside the axis.",
    ),
    Deviation(
        topic="scorer that no query ids reach",
        call='make_scorer(average_precision_score, query_id="groups")('
        "GaussianNB().fit(X, [0, 0, 0, 1, 1, 1]), X, [0, 0, 0, 1, 1, 1])",
        scikit_learn="TypeError: got an unexpected keyword argument 'query_id'",
        sklearn_ap="ValueError: no query ids reached the scorer",
        why="scikit-learn has no query ids, and a scorer made for queries should not pool them in silence.",
    ),
)
