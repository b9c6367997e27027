"""The warnings that rows in tables of tests give, since they are few. All other warnings are
errors there.
"""

import pytest

may_warn_of_few_positives = pytest.mark.filterwarnings(
    "ignore::sklearn_ap.UncertaintyWarning",
    "ignore:(No positive class|y_true contains no positive):UserWarning",
)
