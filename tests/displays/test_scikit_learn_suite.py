"""scikit-learn's own tests of `PrecisionRecallDisplay` pass with ours in its place,
except for the listed deviations.
"""

import pytest

from scikit_learn_suite import NEWEST, run

FILES = ("test_precision_recall_display", "test_common_curve_display")
MODULES = [f"sklearn.metrics._plot.tests.{file}" for file in FILES]
LENGTHS = "Lists of different lengths"
SEVERAL = "Several classes or labels"
REGRESSOR = "A display of a regressor"
METHOD = "An unknown response method"
LENGTHS_TEST = "test_precision_recall_plot_parameter_length_validation[params"
DEVIATIONS = {
    (1, 5): {
        "test_display_curve_error_classifier[PrecisionRecallDisplay]": SEVERAL,
        "test_display_curve_error_regression[PrecisionRecallDisplay]": REGRESSOR,
        "test_display_curve_error_no_response[PrecisionRecallDisplay-bad": METHOD,
    },
    (1, 9): {
        **{f"{LENGTHS_TEST}{number}-": LENGTHS for number in range(5)},
        "test_display_curve_error_binary_classifier[PrecisionRecallDisplay]": SEVERAL,
        "test_display_curve_error_regression[PrecisionRecallDisplay]": REGRESSOR,
        "test_display_curve_error_no_response_method[PrecisionRecallDisplay-bad": METHOD,
        "test_display_validate_plot_params[PrecisionRecallDisplay-": "A private method",
        "test_display_from_cv_results_param_validation[PrecisionRecallDisplay]": (
            "A class missing in training"
        ),
    },
}


@pytest.mark.scikit_learn
def test_scikit_learn_tests_of_its_display_pass_with_ours(tmp_path):
    chosen = "PrecisionRecallDisplay or test_precision_recall_display"
    n_callers = run(chosen, MODULES, DEVIATIONS, tmp_path)
    assert n_callers["PrecisionRecallDisplay"] >= (110 if NEWEST else 32)
