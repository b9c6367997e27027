"""scikit-learn's callback that scores each step of a fit takes the scorers of this package."""

import pytest
from sklearn.linear_model import LogisticRegression

from scoring import IGNORED, X, Y
from sklearn_ap import average_precision_score, get_scorer

callback = pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")
pytestmark = pytest.mark.filterwarnings(*IGNORED)


@pytest.mark.parametrize("several", [False, True])
def test_scoring_monitor_logs_our_scores(several):
    scorer = get_scorer("average_precision")
    scoring = {"ap": scorer, "part": get_scorer("average_precision_to_recall@0.5")} if several else scorer
    monitor = callback.ScoringMonitor(scoring=scoring)
    model = LogisticRegression().set_callbacks(monitor).fit(X, Y)
    log = monitor.get_logs().data_as_pandas
    name = "ap" if several else next(column for column in log if "score" in str(column))
    expected = average_precision_score(Y, model.decision_function(X))
    assert log[name].dropna().iloc[-1] == pytest.approx(expected, abs=1e-12)
    if several:
        part = average_precision_score(Y, model.decision_function(X), max_recall=0.5)
        assert log["part"].dropna().iloc[-1] == pytest.approx(part, abs=1e-12)
