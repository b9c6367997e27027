"""scikit-learn's own tests of its score, its curve and its scorers pass with our functions
in their places, except for the listed deviations.
"""

import pytest

from brief import not_in_brief
from scikit_learn_suite import NEWEST, run

FILES = ("test_ranking", "test_common", "test_classification", "test_score_objects")
MODULES = [f"sklearn.metrics.tests.{file}" for file in FILES]
MODULES += ["sklearn.tests.test_public_functions"]
# The tests that call the function; the others of these modules run behind the marker
# alone.
CALLERS = "(average_precision or precision_recall_curve or inf_nan_input or order_invariance_multilabel"
CALLERS += " or score_scale_invariance or raise_for_incorrect_shape or invalid_default_pos_label"
CALLERS += " or test_score_objects or (param_validation and _scorer))"
TEXT_LABELS = "A scorer of text labels without pos_label"
OF_PARAMETERS = {
    f"test_function_param_validation[sklearn.metrics.{name}": "Parameters of a private attribute"
    for name in (
        "average_precision_score",
        "precision_recall_curve",
        "make_scorer",
        "get_scorer]",
    )
}
DEVIATIONS = {
    (1, 5): {
        **OF_PARAMETERS,
        "test_average_precision_pos_label": TEXT_LABELS,
        "test_precision_recall_curve_deprecation_warning": "A curve's scores as probas_pred",
    },
    (1, 9): {
        **OF_PARAMETERS,
        "test_average_precision_pos_label": TEXT_LABELS,
        "test_invalid_default_pos_label_ignored_on_multiclass": (
            "One of three text classes as pos_label"
        ),
    },
}


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(CALLERS, marks=not_in_brief, id="callers"),
        pytest.param("test", marks=pytest.mark.slow, id="all"),
    ],
)
def test_scikit_learn_tests_pass_with_ours(chosen, tmp_path):
    n_callers = run(chosen, MODULES, DEVIATIONS, tmp_path)
    assert n_callers["average_precision_score"] >= (95 if NEWEST else 54)
    assert n_callers["precision_recall_curve"] >= (24 if NEWEST else 12)
    assert n_callers["make_scorer"] >= 15
    assert n_callers["get_scorer"] >= 200
