"""What `--example` prints: a model is tuned by AP@20, and the answer is about rows that it did not see."""

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB

from .. import get_scorer
from .._answer._numbers import Question, answer_of
from .._answer._rows import rows_in_memory
from .._answer._sentences import in_lines, sentences_of, wrapped
from ..compatibility import compare_conventions
from ._tables import without_reasons

_K = 20
_DEFINITIONS = (
    "average precision",
    "interpolated, all recalls",
    "eleven-point",
    "PR AUC, linear",
    "AP@k over min(k, R)",
    "precision@k",
    "recall@k",
)
_NEXT = "Next, your own: sklearn-ap scores.csv --y-true COLUMN --y-score COLUMN -k 20"


def print_example() -> None:
    """Tune a model on images of digits, and print how well it and its default find the eights."""
    images, digits = load_digits(return_X_y=True)
    data = train_test_split(images, digits == 8, test_size=0.5, random_state=0, stratify=digits)
    images_train, images_test, y_train, y_test = data
    grid = {"var_smoothing": [1e-9, 1e-3, 1e-2, 1e-1, 1.0]}
    scorer = f"average_precision@{_K}"
    search = GridSearchCV(GaussianNB(), grid, scoring=get_scorer(scorer)).fit(images_train, y_train)
    default = GaussianNB().fit(images_train, y_train)
    tuned, untuned = (model.predict_proba(images_test)[:, 1] for model in (search, default))
    print(
        wrapped(
            f"GridSearchCV(GaussianNB(), ..., scoring=get_scorer('{scorer}')) chooses var_smoothing="
            f"{search.best_params_['var_smoothing']:g} to find the eights among images of digits. "
            "On the other half of the images:"
        ),
        end="\n\n",
    )
    rows = rows_in_memory({"y_true": y_test, "y_score": tuned, "compare": untuned}, None)
    answer = answer_of("The tuned model", rows, Question(_K, compare="The default"))
    print(in_lines(sentences_of(answer)), end="\n\n")
    comparison = compare_conventions(y_test, tuned, k=_K, conventions=_DEFINITIONS)
    print(without_reasons(comparison), end="\n\n")
    print(_NEXT)
