"""Columns of scores per class: each class is scored by its own column, or the command
raises an error.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell import CLASSES, ROWS, error_of, json_of, run
from sklearn_ap import average_precision_score
from sklearn_ap._command.labels import columns_of_classes, columns_without_class
from sklearn_ap._shown.sources import SourceError


def test_several_columns_of_scores_are_those_of_classes(path):
    """The score of a model is the mean of its classes."""
    models = "cat,dog,owl", "score,old,<b>"
    line = path, "--y-true", "class", "--y-score", models[0]
    answer = json_of(*line, "--compare", f"new={models[1]}")
    [other] = answer["comparisons"]
    expected = [
        average_precision_score(ROWS["class"], ROWS[model.split(",")].to_numpy())
        for model in models
    ]
    values = answer["score"]["value"], other["score"]
    assert values == pytest.approx(expected, rel=1e-12)
    assert (answer["model"], other["name"]) == ("cat to owl", "new")
    assert answer["classes"][0]["name"] == "cat (cat, score)"


def test_tables_fit_into_a_line(path, monkeypatch):
    """Columns beyond the line follow below, with the names of the classes repeated."""
    monkeypatch.chdir(path.parent)
    line = path.name, "--y-true", "class", "--y-score", "cat,dog,owl"
    others = "--compare", "yesterday=score,old,<b>", "--compare", "old=none,old,score"
    lines = run(*line, *others).out.splitlines()
    assert max(map(len, lines)) <= 79
    of_classes = lines[[text[:5] for text in lines].index("class") :]
    assert [text.split()[0] for text in of_classes[:8]] == ["class", *CLASSES] * 2


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (
            "cat,dog",
            "",
            "3 classes (cat, dog, owl), so --y-score and --compare must each name 3 "
            "different columns; got cat, dog.",
        ),
        (
            "cat,dog,owl",
            "--compare owl,owl,cat",
            "name 3 different columns; got cat, dog, owl and owl, owl, cat.",
        ),
        (
            "cat,dog,owl",
            "--per day",
            "--per is not valid with --y-score of several columns",
        ),
    ],
)
def test_columns_of_classes_that_do_not_fit_are_errors(path, columns, options, message):
    line = path, "--y-true", "class", "--y-score", columns
    assert message in f"{error_of(*line, *options.split())}."


def test_an_error_names_the_columns_that_have_no_class(saved):
    """Few names are shown, however many classes there are."""
    names = [f"class_{number:03d}" for number in range(200)]
    found = [name for number, name in enumerate(names) if number % 15]
    rows = [",".join([name, *["0"] * 200]) for name in found]
    path = saved("\n".join([",".join(["label", *names]), *rows]))
    message = error_of(path, "--y-score", ",".join(names))
    assert message.endswith(
        "'label': has 186 classes, and --y-score names 200 columns; no row has the class "
        "of class_000, class_015, class_030, class_045, class_060, class_075, class_090, "
        "class_105, class_120, class_135 and 4 others: leave them out of --y-score"
    )
    line = "--y-score", ",".join(found), "--compare", ",".join(names)
    assert error_of(path, *line).endswith("leave them out of --compare")
    # Classes without a column are listed, too.
    message = error_of(path, "--y-score", ",".join(found[5:]))
    assert len(message) < 500
    assert "must each name 186 different columns; got class_006, " in message


@pytest.mark.parametrize(
    ("columns", "without"),
    [
        ("p_cat p_dog p_cow", ["p_cow"]),
        ("cat_score dog_score total", ["total"]),
        # A class is part of another one.
        ("dog category cat", ["category"]),
        ("a b c", []),
    ],
)
def test_columns_without_a_class_are_found_by_the_names_of_the_others(columns, without):
    assert columns_without_class(columns.split(), ["cat", "dog"]) == without


def write_perfect(path, labels, columns):
    """Write rows in which the column of each label, in this order, ranks its class
    first; return the names of the classes.
    """
    frame = pd.DataFrame(np.eye(len(labels)), columns=list(columns))
    frame = frame.assign(label=labels)
    if path.suffix == ".csv":
        frame.to_csv(path)
    else:
        frame.to_parquet(path)
    return [f"{label} ({x})" for label, x in zip(labels, columns, strict=True)]


def titles_of(path, *arguments):
    answer = json_of(path, *arguments)
    # The score would be lower if two columns were exchanged.
    assert answer["score"]["value"] == 1
    return [numbers["name"] for numbers in answer["classes"]]


ELEVEN = [f"{number}.0" for number in range(9, 20)]


@pytest.mark.parametrize(
    ("suffix", "labels"),
    [
        ("csv", ["-1", "0.5", "3", "1e2", "9007199254740992", "9007199254740993"]),
        ("csv", ELEVEN),
        # The labels are text.
        ("csv", ["10", "2", "two"]),
        # Parquet gives these labels the type of text.
        ("parquet", ["10", "2"]),
        ("parquet", ["2", "2.0"]),
        ("parquet", ["", "x"]),
        ("parquet", [2, 10]),
        ("parquet", [False, True]),
    ],
)
def test_columns_are_matched_by_position_in_the_order_of_classes(
    tmp_path, suffix, labels
):
    """Labels in text files are sorted as numbers; labels in Parquet keep their type."""
    path, columns = tmp_path / f"a.{suffix}", "abcdefghijk"[: len(labels)]
    titles = write_perfect(path, labels, columns)
    assert titles_of(path, "--y-score", ",".join(columns)) == titles


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (["cat", "category"], "p_{}"),
        (["-1", "1"], "p_{}"),
        # These names have whole numbers, and the classes are the same floats.
        (ELEVEN, "p_{:.2}"),
        (["9", "10"], "p{}.0"),
    ],
)
def test_columns_are_matched_by_name_in_any_order(tmp_path, labels, named):
    columns = [named.format(label).removesuffix(".") for label in labels]
    titles = write_perfect(tmp_path / "a.csv", labels, columns)
    line = tmp_path / "a.csv", "--y-score", ",".join([*columns[1:], columns[0]])
    assert titles_of(*line) == titles


@given(
    names=st.lists(st.text(), unique=True, min_size=1),
    before=st.text(),
    after=st.text(),
    seed=st.randoms(use_true_random=False),
)
def test_any_text_around_a_class_names_its_column(names, before, after, seed):
    columns = [f"{before}{name}{after}" for name in names]
    shuffled = seed.sample(columns, len(columns))
    assert columns_of_classes(shuffled, names) == columns


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        ("ant cat dog", "dog_p,p_ant,cat"),
        ("cat dog", "probDog,probCat"),
        ("0 1 2", "p1,p2,p3"),
        ("1.0 2.0", "m2,model1"),
    ],
)
def test_columns_with_two_readings_are_errors(labels, columns):
    with pytest.raises(SourceError, match=f"^name all columns .*; got {columns}$"):
        columns_of_classes(columns.split(","), labels.split())


def test_columns_that_end_like_classes_are_matched_by_position():
    """The column score1 is not named after the class 10."""
    columns = ["score2", "score1"]
    assert columns_of_classes(columns, ["10", "20"]) == columns


def test_a_number_of_a_text_file_is_a_class_as_it_is_written(saved):
    # The blank before 10 is not part of the label.
    path = saved("label,a,b\n2,0,0\n10,1,-1\n 10,2,-2\n")
    answer = json_of(path, "--y-score", "a,b")["classes"]
    assert [part["name"] for part in answer] == ["2 (a)", "10 (b)"]
    assert [part["counts"]["positives"] for part in answer] == [1, 2]
    path = saved("label,a,b\n7,0,0\n007,1,-1\n7.0,2,-2\n")
    assert "has 3 classes (007, 7, 7.0), so " in error_of(path, "--y-score", "a,b")


def test_labels_of_other_files(saved):
    path = saved("label,a,b\n1,1,2\n2,2,1\n")
    message = "'label': must contain numbers or text, not both"
    for label in (1, "1"):
        rows = pd.DataFrame({"label": [label], "a": [1.0], "b": 1.0})
        rows.to_parquet(path.with_name("b"))
        assert message in error_of(path.parent, "--y-score", "a,b")
    for text, message in (
        ("label,a,b\n,1,2\n", "contains missing values in 1 of"),
        ("label,a,b\n", "contains no rows"),
    ):
        assert message in error_of(saved(text), "--y-score", "a,b")
