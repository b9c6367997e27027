"""The code of docs/in_other_libraries.md runs in the libraries: `pytest -m clients`."""

import pytest

from docs.scripts.clients import DATA, ONE_LINE, PAGE, SECTIONS, run, sections, versions

TEXT = PAGE.read_text()
ON_PAGE = sections(TEXT)
BELOW = sections(ONE_LINE.read_text()) | ON_PAGE


@pytest.mark.clients
@pytest.mark.parametrize("heading", SECTIONS)
def test_code_of_a_section_prints_what_the_page_says(heading):
    if versions(heading) is None:
        pytest.skip(f"{' or '.join(SECTIONS[heading])} is not installed")
    result = run(PAGE, heading)
    assert result.returncode == 0, result.stdout + result.stderr


# The errors that the page mentions: code that raises the error, to run after the code
# of its section, and a part of the message.
ERRORS = {
    "XGBoost": (
        "from functools import partial\n"
        "from sklearn_ap import average_precision_at_k_score\n"
        "XGBClassifier(eval_metric=partial(average_precision_at_k_score, k=20)).fit("
        "X_fit, y_fit, eval_set=[(X_valid, y_valid)])",
        "no attribute '__name__'",
    ),
    "Tuning a ranker by MAP": (
        "make_scorer(average_precision_score)(ranker, X, y)",
        "XGBRanker has none of the following attributes",
    ),
    "LightGBM": ("fitted(average_precision_score)", "Self-defined eval function"),
    "CatBoost": ("fitted(average_precision_score)", "no attribute 'is_max_optimal'"),
    "AutoGluon": (
        "TabularPredictor('eight', eval_metric=get_scorer('average_precision'), path='more', verbosity=0)"
        ".fit(train, hyperparameters={'KNN': {}})",
        "no attribute 'needs_",
    ),
    "FLAML": ("fitted(average_precision_score)", "11 were given"),
    "MLflow": (
        "mlflow.models.evaluate(data=table, targets='y', predictions='score', extra_metrics=["
        "make_metric(eval_fn=average_precision_score, greater_is_better=True)])",
        "missing columns ['y_true', 'y_score']",
    ),
    "skore": (
        "from sklearn.metrics import make_scorer as theirs\n"
        "from sklearn_ap import precision_at_k_score\n"
        "for k in (10, 20):\n"
        "    report.metrics.add(theirs(precision_at_k_score, k=k, response_method='predict_proba'))",
        "it already exists",
    ),
    "BayesSearchCV": (
        "BayesSearchCV(KNeighborsClassifier(), {'n_neighbors': (1, 9)}, n_iter=2, "
        "scoring=average_precision_score).fit(X_train, y_train)",
        "takes 2 positional arguments but 3 were given",
    ),
    "fairlearn": (
        "from functools import partial\n"
        "average_precision_score = partial(average_precision_score, sample_weight=weight)\n"
        "by_group(scores)",
        "inconsistent numbers of samples",
    ),
}


@pytest.mark.clients
@pytest.mark.parametrize("heading", ERRORS)
def test_what_the_page_calls_an_error_is_one(heading, tmp_path):
    if versions(heading) is None:
        pytest.skip(f"{' or '.join(SECTIONS[heading])} is not installed")
    code, message = ERRORS[heading]
    page = tmp_path / "page.md"
    page.write_text(
        f"## {DATA}\n{BELOW[DATA]}\n## {heading}\n{BELOW[heading]}\n>>> exec({code!r})\n"
    )
    result = run(page, heading)
    assert result.stdout.count("Failed example:") == 1, result.stdout + result.stderr
    assert message in result.stdout


def test_every_section_is_on_the_page_or_with_those_of_one_line():
    assert list(ON_PAGE) == [
        DATA,
        *(name for name in SECTIONS if name in ON_PAGE),
        "Versions",
    ]
    assert set(BELOW) == {DATA, *SECTIONS, "Versions"}
    assert all(">>> " in BELOW[heading] for heading in (DATA, *SECTIONS))
