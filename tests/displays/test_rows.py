"""Rows of displays, one call per line, with what is drawn or kept."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import OneClassSVM

import sklearn_ap
from few_positives import may_warn_of_few_positives
from refusals import assert_raises
from sklearn_ap._displays import paths, rows, styles

NAMES = {**vars(paths), **vars(rows), **vars(styles), "plt": plt, "np": np, "pd": pd}
NAMES |= {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {"PR": sklearn_ap.PrecisionRecallDisplay, "HIT": sklearn_ap.HitCurveDisplay}
NAMES |= {"y": [1, 0, 1, 1, 0], "s": [5, 4, 3, 2, 1], "w": [1, 2, 3, 4, 5]}
CURVE = np.array([0.5, 1.0, 1.0]), np.array([1.0, 0.5, 0.0])
NAMES |= {"one": CURVE, "two": [[each] * 2 for each in CURVE], "point": CURVE}
NAMES |= {"many": [[each] * 43 for each in CURVE], "three": np.arange(6) % 3}
NAMES |= {"labels": [[1, 0], [0, 1]] * 2, "scores": [[4, 1], [3, 2], [2, 3], [1, 4]]}
NAMES["frame"] = pd.DataFrame({"y": NAMES["y"], "s": NAMES["s"]})
NAMES["model"] = GaussianNB().fit(NAMES["frame"][["s"]], NAMES["y"])
NAMES["detector"] = OneClassSVM().fit(NAMES["frame"][["s"]])
NAMES["band"] = [0, 1], [0.1, 0.2], [0.8, 0.9], "b"


def shown(display, *attributes):
    """Return what these attributes or methods of a display have."""
    return [eval(f"display.{each}", {"display": display}) for each in attributes]


NAMES["shown"] = shown
FOLDS = {"color": "blue", "linestyle": "--", "alpha": 0.5}
VALUES = [
    # The area below the drawn line is the score: the line ends at its lowest height.
    ("PR.from_predictions([1, 0], [1, 1], area='davis-goadrich').line_.get_ydata()[-1].item()", 0.5),
    ("[entry('a', 'b'), entry('', 'b'), entry('a', None)]", ["a (b)", "b", "a"]),
    # A line has up to five characters, without the space at its end.
    ("[name_or('d', None), name_or('d', ''), name_or('d', 0.5)]", ["d", "d", "0.5"]),
    ("resolve_style({'lw': 3}, 'x', linewidth=1, color='k')", {"linewidth": 3, "color": "k"}),
    ("[number_per_curve('x', None, 2), number_per_curve('x', 0.5, 1)]", [[], [0.5]]),
    # The entries of curves, and the title of their legend
    ("PR(*one, average_precision=0.5)._styles('a', {'lw': 3}, 1)", ([{"label": "a (AP = 0.50)", "linewidth": 3}], None)),
    ("PR(*one, average_precision=0.5, area='linear')._styles(['a'], [{}], 1)", ([{"label": "a (linear PR AUC = 0.50)"}], None)),
    ("PR(*one, average_precision=0.5, area='davis-goadrich')._styles(['a'], [{}], 1)", ([{"label": "a (Davis-Goadrich PR AUC = 0.50)"}], None)),
    ("PR(*two, average_precision=[0.5, 0.7])._styles('a', None, 2)", ([{"label": "a (AP = 0.60 +/- 0.10)", **FOLDS}, {"label": None, **FOLDS}], None)),
    ("PR(*two, average_precision=[0.5, 0.7])._styles('a', [{'c': 'r'}, {}], 2)", ([{"label": "a (AP = 0.50)", **FOLDS, "color": "r"}, {"label": "a (AP = 0.70)", **FOLDS}], None)),
    ("PR(*two, average_precision=[0.5, 0.7], classes=[7, 8], area='eleven-point')._styles('a', None, 2)", ([{"label": "7 (0.50)"}, {"label": "8 (0.70)"}], "a (macro eleven-point AP = 0.60)")),
    ("PR(*two, classes=[7, 8])._styles(None, {'lw': 3}, 2)", ([{"label": "7", "linewidth": 3}, {"label": "8", "linewidth": 3}], None)),
    ("PR(*two, classes=np.array(['a', 'b']))._styles(None, None, 2)[0]", [{"label": "a"}, {"label": "b"}]),
    ("PR(*two, average_precision=[0.5, 0.7], classes=[7, 8])._styles(['a', 'b'], None, 2)", ([{"label": "a (AP = 0.50)"}, {"label": "b (AP = 0.70)"}], None)),
    ("PR(*many, classes=range(42))._styles('a', None, 42)[0][41]", {"label": "41"}),
    ("PR(*many, classes=range(43))._styles('a', None, 43)[0][:2]", [{"label": label, **FOLDS} for label in ("a", None)]),
    ("PR(*many, average_precision=[0.5] * 43, classes=range(43))._styles(None, None, 43)[0][0]['label']", "macro AP = 0.50"),
    # The legend of eight curves is inside of the axes, and that of nine next to them.
    *[(f"[PR(*[[each] * n for each in one], classes=range(n)).plot({options}).ax_.get_aspect() for n in (8, 9)]", [1, "auto"]) for options in ("", "ax=plt.subplots(layout='constrained')[1]")],
    ("[PR(*[[each] * n for each in one], classes=range(n)).plot().figure_.get_layout_engine() is None for n in (8, 9)]", [True, False]),
    # A title that is wider than the axes is divided, rather than written in small letters.
    *[(f"(lambda title: (title.get_text().count(chr(10)), title.get_fontsize() > 7))(PR(*two, average_precision=[0.5, 0.7], classes=[7, 8]).plot(name='a' * {length}).ax_.get_legend().get_title())", (1, True)) for length in (53, 67)],
    # The levels 1, .5 and 0 are reached by one, two and two of the points.
    ("[list(each) for each in _interpolated_path(CurvePoints(*point), 3)[:2]]", [[0.5, 0.5, 1, 1, 1], [1, 1, 0.5, 0.5, 0]]),
    ("_interpolated_path(CurvePoints(*point), 3).style", {"drawstyle": "steps-post", "marker": "o", "markevery": [1, 3, 4]}),
    ("_interpolated_path(CurvePoints(point[0], point[1] * 0.6), 3).precision.tolist()", [0, 0.5, 0.5, 1, 1]),
    # A missing name is no name of a class.
    # An outlier detector has no classes.
    ("shown(HIT.from_estimator(detector, frame[['s']], [-1, 1, 1, 1, 1], pos_label=-1), 'pos_label', 'line_.get_label()')", [-1, "OneClassSVM"]),
    # The best precision at recall 0 is that of the first step.
    ("PR.from_predictions([0, 1], [2, 1], area='interpolated').line_.get_ydata().tolist()", [0.5] * 3),
    ("PR.from_predictions([1, 0, 1], [3, 2, 1], area='interpolated').line_.get_ydata().tolist()", [2 / 3, 2 / 3, 1, 1]),
    # Three of five rows are positive, and three positives have no row.
    ("shown(PR.from_predictions(y, s, n_positives=6, plot_chance_level=True), 'line_.get_label()', 'prevalence_pos_label', 'share_retrieved.tolist()', 'recall[0]', 'chance_level_.get_label()', 'chance_level_.get_xydata().tolist()', 'pos_label')", ["Classifier (AP = 0.40)", 0.6, [1, 0.8, 0.6, 0.4, 0.2, 0], 0.5, "Chance level (AP = 0.30)", [[0, 0.6], [0.5, 0.6]], 1]),
    ("shown(PR.from_predictions(y, s, sample_weight=w, pos_label=0, despine=True), 'prevalence_pos_label', 'precision.tolist()', 'ax_.get_ylabel()', 'ax_.spines[\"top\"].get_visible()', 'ax_.spines[\"left\"].get_bounds()')", [7 / 15, [7 / 15, 0.2, 1 / 3, 2 / 3, 0, 1], "Precision (Positive label: 0)", False, (0, 1)]),
    ("shown(PR.from_predictions(y, s, name='a', plot_band=True, confidence_level=0.5, unit_id=[1, 1, 2, 2, 3], curve_kwargs={'c': 'red'}), 'line_.get_label()', 'band_.get_label()', 'band_.get_facecolor().tolist()', 'band_.get_zorder()', 'band_.get_linewidth()[0]', 'chance_level_')", ["a (AP = 0.81)", "50 % band, pointwise", [[1, 0, 0, 0.2]], 1.2, 0, None]),
    ("shown(PR.from_predictions(three, np.eye(3)[three], plot_chance_level=True, chance_level_kw={'c': 'red'}), 'chance_level_[0].get_label()', 'chance_level_[1].get_color()', 'chance_level_[2].get_alpha()', 'line_[1].get_color()', 'line_[1].get_linestyle()', 'pos_label', 'classes', 'band_', 'ax_.get_xlabel()')", ["Chance level (AP = 0.33)", "red", 0.3, "#D55E00", "--", None, [0, 1, 2], None, "Recall"]),
    ("shown(PR.from_predictions([0, 1, 2, 2], np.eye(3)[[0, 1, 2, 2]], plot_chance_level=True), 'chance_level_[0].get_label()', 'prevalence_pos_label')", ["Chance level", [0.25, 0.25, 0.5]]),
    # Both columns have the share .5 of positives, and the recalls .5 and 1 of all rows.
    ("shown(PR.from_predictions(labels, scores, n_positives=[4, 2], plot_chance_level=True), 'chance_level_[0].get_label()', 'chance_level_[0].get_xdata()[1]', 'chance_level_[1].get_xdata()[1]')", ["Chance level", 0.5, 1]),
    ("shown(PR.from_predictions(labels, scores, n_positives=[4, 4], plot_chance_level=True), 'chance_level_[0].get_label()', 'chance_level_[1].get_label()[0]')", ["Chance level (AP = 0.25)", "_"]),
    ("shown(PR(*two, prevalence_pos_label=[0.2, 0.4]).plot(plot_chance_level=True), 'chance_level_[0].get_label()')", ["Chance level (AP = 0.30 +/- 0.10)"]),
    ("shown(PR(*one, band=band, name='a').plot(name='c', plot_band=True), 'line_.get_label()', 'band_.get_label()', 'ax_.get_xlabel()')", ["c", "b", "Recall"]),
    ("PR.from_predictions(y, s, n_positives=6, plot_band=True).band[0].max()", 0.5),
    ("[[line.get_xdata().max() for line in PR.from_predictions(pd.DataFrame([[1, 0], [0, 1]], columns=[*'ab']), np.eye(2), n_positives=totals).line_] for totals in ([5, 8], {'b': 8, 'a': 5})]", [[1 / 5, 1 / 8]] * 2),
    ("PR.from_predictions(y, s, n_positives=18, sample_weight=[3] * 5).recall[0]", 9 / 18),
    ("PR(*one).plot().ax_.get_legend()", None),
    ("shown(HIT.from_predictions(y, s, plot_chance_level=True), 'line_.get_label()', 'perfect_line_.get_label()', 'perfect_line_.get_color()', 'perfect_line_.get_zorder()', 'chance_level_.get_label()', 'chance_level_.get_color()', 'chance_level_.get_linestyle()', 'ax_.get_xlabel()', 'ax_.get_ylabel()')", ["Hit curve", "Perfect ranking", "0.5", 1.5, "Random ranking (prevalence = 0.6)", "k", "--", "Share of samples retrieved, t", "Share of positives found (Positive label: 1)"]),
    ("shown(HIT.from_predictions(y, s, pos_label=0, plot_perfect=False, curve_kwargs={'ls': ':'}, name='a'), 'line_.get_ydata().tolist()', 'line_.get_linestyle()', 'line_.get_label()', 'perfect_line_', 'chance_level_', 'pos_label', 'ax_.get_ylabel()')", [[0, 0, 0.5, 0.5, 0.5, 1], ":", "a", None, None, 0, "Share of positives found (Positive label: 0)"]),
    ("shown(HIT.from_predictions(y, s, n_positives=6, plot_chance_level=True, chance_level_kw={'label': 'c', 'c': 'red'}), 'line_.get_ydata().tolist()', 'line_.get_xdata()[-1]', 'perfect_line_.get_xydata()[[0, 3, -1]].tolist()', 'chance_level_.get_xydata()[[0, -1]].tolist()', 'chance_level_.get_label()', 'chance_level_.get_color()', 'prevalence_pos_label')", [[0, 1 / 6, 1 / 6, 1 / 3, 0.5, 0.5], 0.625, [[0, 0], [0.375, 0.5], [0.625, 0.5]], [[0, 0], [0.625, 0.5]], "c", "red", None]),
    ("shown(HIT.from_predictions(y, s, sample_weight=w), 'prevalence_pos_label', 'line_.get_ydata().tolist()', 'perfect_line_.get_xydata()[[0, 3, -1]].tolist()')", [0.6, [0, 0.125, 0.125, 0.5, 1, 1], [[0, 0], [0.6, 1], [1, 1]]]),
    ("shown(HIT([0, 0.5, 1], [0, 0.2, 0.4], pos_label=1, name='a').plot(plot_chance_level=True), 'line_.get_label()', 'line_.get_ydata().tolist()', 'perfect_line_.get_xydata()[[0, 1, -1]].tolist()', 'chance_level_.get_xydata()[[0, -1]].tolist()')", ["a", [0, 0.5, 1], [[0, 0], [0.4, 1], [1, 1]], [[0, 0], [1, 1]]]),
    # On a logarithmic axis, a straight line from 0 would be drawn as another one.
    ("shown(HIT([0, 0.01, 1], [0, 0.01, 0.4]).plot(plot_chance_level=True), 'perfect_line_.get_xydata().tolist()', 'chance_level_.get_xydata().tolist()')", [[[0, 0], [0.01, 0.025], [0.4, 1], [1, 1]], [[0, 0], [0.01, 0.01], [1, 1]]]),
    # matplotlib omits entries that begin with "_".
    ("[shown(KIND.from_predictions(y, s, name='_a'), 'ax_.get_legend_handles_labels()')[0][1][0] for KIND in (PR, HIT)]", [" _a (AP = 0.81)", " _a"]),
    # Three of five rows and three missed positives are six of eight samples.
    ("HIT.from_predictions(y, s, n_positives=6, plot_chance_level=True).chance_level_.get_label()", "Random ranking (prevalence = 0.75)"),
    ("HIT.from_estimator(model, frame[['s']], y).line_.get_label()", "GaussianNB"),
    ("HIT([0, 1], [0, 0.4], name='a').plot(name='b').line_.get_label()", "b"),
    ("HIT([0, 1], [0, 0.4], prevalence_pos_label=0.5).plot().perfect_line_.get_xdata().tolist()", [0, 0.5, 1]),
    ("HIT.from_predictions([0, 0], [2, 1], plot_chance_level=True).chance_level_.get_label()", "Random ranking (prevalence = 0)"),
    ("shown(HIT.from_predictions([0, 0, 0], [3, 2, 1], plot_chance_level=True), *[f'{line}_.get_ydata().any()' for line in ('line', 'perfect_line', 'chance_level')], 'ax_.get_ylim()[1]')", [False] * 3 + [1.01]),
    # One of three positives has a row, so the perfect line rises to a recall of a third.
    ("shown(HIT.from_predictions([1, 0], [2, 1], sample_weight=[2, 2], n_positives=6), 'perfect_line_.get_ydata()[1]', 'hits[-1]', 'prevalence_pos_label')", [1 / 3, 0.25, None]),
    # A figure that is large enough stays.
    *[(f"shown({display}.from_predictions(y, s), 'figure_.get_layout_engine()', 'ax_.yaxis.label.get_fontsize()')", [None, 10]) for display in ("PR", "HIT")],
    ("PR(*one, name='new').estimator_name", "new"),
    ("HIT.from_predictions(y, s, ax=plt.figure().subfigures(1, 2)[0].subplots()).figure_ is plt.gcf()", True),
]  # fmt: skip


@may_warn_of_few_positives
@pytest.mark.parametrize(("call", "expected"), VALUES)
def test_a_call_returns_its_value(call, expected):
    assert eval(call, NAMES) == expected


# A call, and the beginning of its error, before anything is drawn.
ERRORS = [
    ("PR(*one, area='stairs').plot()", "area must be one of 'step', 'interpolated', 'eleven-point', 'linear', 'davis-goadrich'; got 'stairs'"),
    ("PR(*one).plot(plot_chance_level=True)", "You must provide prevalence_pos_label when"),
    ("PR(*one).plot(curve_kwargs=[{}, {}])", "`curve_kwargs` must be None, a dictionary or a list of 1 dictionaries, one per curve; got [{}, {}]"),
    ("PR(*two).plot(curve_kwargs='red')", "`curve_kwargs` must be None, a dictionary or a list of 2 dictionaries, one per curve; got 'red'"),
    ("PR(*two).plot(name=['a', 'b'])", "To avoid labeling individual curves that have the same appearance, pass curve_kwargs as a list of 2 dictionaries, or one name for all curves; got name=['a', 'b']"),
    ("PR(*one).plot(curve_kwargs={'lw': 3}, color='red')", "Cannot provide both `curve_kwargs` and `kwargs`: add {'color': 'red'} to curve_kwargs; got {'lw': 3}"),
    ("PR(*one, average_precision=[0.5, 0.5]).plot()", "average_precision must contain a number for each of 1 curves; got [0.5, 0.5]"),
    ("PR(*two, prevalence_pos_label=0.5).plot()", "prevalence_pos_label must contain a number for each of 2 curves; got 0.5"),
    ("PR(*two).plot(name=['a'] * 3, curve_kwargs=[{}, {}])", "name must be a str, or a list of 2 names; got ['a', 'a', 'a']"),
    ("PR(*one).plot(name=3)", "name must be a str, or a list of 1 names; got 3"),
    ("PR(*one, area='davis-goadrich').plot()", "share_retrieved is required for area='davis-goadrich'"),
    ("PR(two[0], two[1][:1]).plot()", "precision, recall and share_retrieved must have an array per curve; got [2, 1] arrays"),
    ("PR(*one).plot(plot_band=True)", "plot_band=True supports a single curve, whose band from_predictions and from_estimator compute; got 1 curves and band=None"),
    ("PR(*two, band=band).plot(plot_band=True)", "plot_band=True supports a single curve, whose band from_predictions and from_estimator compute; got 2 curves and band=([0, 1]"),
    ("PR(*one, estimator_name='a', name='b')", "Cannot provide both `estimator_name` and `name`. Use `name` only; got 'a' and 'b'"),
    ("PR.from_predictions(three, np.eye(3)[three], pos_label=2)", "pos_label must be omitted for several columns of y_score; got 2"),
    ("PR.from_predictions(three, np.eye(3)[three], plot_band=True)", "plot_band=True supports a single curve, whose band from_predictions and from_estimator compute; got 3 curves"),
    ("PR.from_predictions(y, s, n_positives=2)", "n_positives must not be below the positives in y_true; got 2, where 3 were found"),
    ("PR.from_predictions(y, s, n_positives=2, plot_band=True, sample_weight=[2.5] * 5)", "n_positives must not be below"),
    ("PR.from_predictions(y, s, confidence_level=0.9)", "confidence_level requires plot_band=True; got 0.9"),
    ("PR.from_predictions(y, s, unit_id=y)", "unit_id requires plot_band=True; got array("),
    ("PR.from_predictions(y, s, plot_band=True, confidence_level=95)", "confidence_level must be"),
    ("PR.from_predictions(y, s, area='linear', n_positives=9)", "n_positives requires one of the areas 'step', 'interpolated', 'eleven-point'; got area='linear'"),
    ("PR.from_predictions(y, s, area='davis-goadrich', n_positives=9)", "n_positives requires one of the areas 'step', 'interpolated', 'eleven-point'; got area='davis"),
    ("PR.from_predictions(y, s, area='linear', plot_band=True)", "plot_band=True requires area='step'; got area='linear'"),
    ("PR.from_predictions([1, 0], [2, 1], plot_band=True)", "plot_band=True requires at least two pos"),
    ("PR.from_predictions(y, s, confidence_level=np.array([0.9, 0.8]))", "confidence_level must be above 0 and below 1, such as 0.95; got array([0.9, 0.8])"),
    ("PR(*one, band=band).plot(plot_band='no')", "plot_band must be True or False; got 'no'"),
    ("PR(*one).plot(plot_chance_level='no')", "plot_chance_level must be True or False; got 'no'"),
    ("PR.from_predictions(y, s, drop_intermediate='yes')", "drop_intermediate must be True or False; got 'yes'"),
    ("PR.from_estimator(1, [[1]], [1], response_method='nope')", "response_method must be one of 'auto', 'predict_proba', 'decision_function'; got 'nope'"),
    ("PR.from_predictions(y, s, area='stairs')", "area must be one of 'step', "),
    ("PR.from_predictions(y, s, name=np.arange(2))", "name must be a str; got array([0, 1])"),
    ("HIT.from_predictions(y, s, name=[1])", "name must be a str; got [1]"),
    ("HIT.from_predictions(three, np.eye(3)[three])", "y_true must be binary for a hit curve, since the references of several classes would hide their curves; got 3 classes or labels. Draw"),
]  # fmt: skip
# These errors come later.
LATE = [
    *[(f"{call}={value})", f"{name} must be True or False; got {value}") for call, name, value in (("PR(*one).plot(despine", "despine", "'no'"), ("HIT.from_predictions(y, s, plot_perfect", "plot_perfect", 0), ("HIT.from_predictions(y, s, plot_chance_level", "plot_chance_level", "'no'"))],
    ("HIT.from_predictions(y, s).plot(name=[1])", "name must be a str; got [1]"),
    *[(f"{display}.from_predictions(y, s, plot_chance_level=True, {name}={value})", f"{name} must be None or a dictionary of properties of a line; got {value}") for display, name, value in (("PR", "chance_level_kw", [{}]), ("HIT", "chance_level_kw", "'red'"), ("HIT", "curve_kwargs", [1]))],
    *[(f"{display}.from_predictions(y, s, ax={value})", f"ax must be None or one Axes of matplotlib; got {value}") for display, value in (("PR", "'x'"), ("HIT", [1]), ("PR", [1, 2]))],
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), ERRORS + LATE)
def test_a_call_raises_its_error(call, words):
    assert_raises(NAMES, call, words)
    assert not plt.get_fignums() or (call, words) in LATE


# A call, and the note of Python's error about its keyword.
NOTES = [
    ("PR.from_predictions(y, s, ci=0.9)", "In place of ci, write plot_band=True."),
    ("PR.from_estimator(model, frame[['s']], y, interpolation='linear')", "In place of interpolation, write area."),
    ("PR(*one).plot(log=True)", "In place of log, write display.ax_.set_xscale('log')."),
    ("PR(*one).plot(ci=0.9)", "In place of ci, write plot_band=True."),
    ("PR.from_cv_results({}, [[1]], [1], title='a')", "In place of title, write display.ax_.set_title."),
    ("PR.from_predictions(y, s, c='red', colors=['red'])", "In place of colors, write curve_kwargs."),
    ("PR.from_predictions(y, s, plot_chance=True)", "It takes plot_chance_level, "),
    ("PR.from_predictions(y, s, curve_kwarg={})", "It takes curve_kwargs, "),
    ("PR.from_predictions(y, s, group=y)", "In place of group, write query_id ("),
    # A hit curve has neither a band nor another area.
    ("HIT.from_predictions(y, s, ci=0.9)", "It takes "),
    ("HIT.from_predictions(y, s, log=True)", "In place of log, write display.ax_.set_xscale('log')."),
    ("HIT.from_estimator(model, frame[['s']], y, title='a')", "In place of title, write"),
    ("HIT([0, 1], [0, 0.4]).plot(chance=True)", "It takes "),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:`..kwargs` is deprecated")
@pytest.mark.parametrize(("call", "words"), NOTES)
def test_an_unknown_keyword_leads_to_the_argument(call, words):
    with pytest.raises(TypeError, match="unexpected keyword argument") as caught:
        eval(call, NAMES)
    [note] = caught.value.__notes__
    assert note.startswith(words)
    assert not {"self,", "cls,"} & {*note.split()}


# Rows are paired by place, so an index in another order is warned of.
WARNED = [
    ("PR.from_predictions(frame['y'], frame['s'][::-1])", "y_true and y_score have the same values in their indexes"),
    ("HIT.from_predictions(frame['y'], s, sample_weight=frame['s'][::-1])", "y_true and sample_weight have"),
    ("PR.from_estimator(model, frame[['s']], frame['y'], sample_weight=frame['s'][::-1])", "y and sample_weight have"),
    ("HIT.from_estimator(model, frame[['s']], frame['y'], sample_weight=frame['s'][::-1])", "y and sample_weight have"),
    ("PR.from_estimator(model, frame[['s']], y, c='red')", "`**kwargs` is deprecated and will be removed, as in scikit-learn 1.11: write curve_kwargs={'c': 'red'}"),
    ("PR.from_predictions(y, s, c='red')", "`**kwargs` is deprecated"),
    ("PR(*one).plot(c='red', label='A')", "`**kwargs` is deprecated and will be removed, as in scikit-learn 1.11: write curve_kwargs={'c': 'red', 'label': 'A'}"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), WARNED)
def test_a_call_warns(call, words):
    with pytest.warns((UserWarning, FutureWarning)) as caught:
        display = eval(call, NAMES)
    [warning] = caught
    assert str(warning.message).startswith(words)
    # The warning shows the line of the call.
    assert warning.filename == "<string>"
    assert (display.line_.get_color() == "red") == ("'red'" in call)
    assert (display.line_.get_label() == "A") == ("'A'" in call)
