"""Notes about other columns of a file: rows of the training, and scores that are the
confidence of a predicted label. The advice uses the words of the command.
"""

import numpy as np
import pandas as pd
import pytest

from shell import CLASSES, ROWS, json_of, run, said

N = 200
RNG = np.random.default_rng(0)
LABELS = (np.arange(N) < 60).astype(int)
PROBABILITY = (0.1 + 0.8 * (RNG.random(N) + LABELS) / 2).round(3)
PREDICTED = (PROBABILITY > 0.5).astype(int)
FRAME = pd.DataFrame({"truth": LABELS, "score": PROBABILITY})
SURE = FRAME.assign(
    prediction=PREDICTED, score=np.maximum(PROBABILITY, 1 - PROBABILITY)
)
TRUTH = "--y-true", "truth"
OF_TRAINING = "How a model ranks the rows that it was fitted on"
CONFIDENCE = "scores may be the confidence of a predicted label"


@pytest.mark.parametrize("write", ["to_csv", "to_parquet"])
def test_rows_of_the_training(write, tmp_path):
    path = tmp_path / "rows"
    getattr(FRAME.assign(Split=["train", "test"] * (N // 2)), write)(path, index=False)
    words = f"{N // 2} rows of the file have Split train. {OF_TRAINING} does not show"
    assert words in said(path, *TRUTH)
    for option in "--per", "--query-id":
        assert words in run(path, *TRUTH, option, "Split").words


def test_rows_of_the_training_in_a_folder(tmp_path):
    for part in ("train", "test"):
        folder = tmp_path / f"split={part}"
        folder.mkdir()
        FRAME.to_csv(folder / "rows.csv", index=False)
    assert f"{N} rows of the file have split train" in said(tmp_path, *TRUTH)


def test_rows_of_the_training_of_classes(saved):
    path = saved(ROWS.assign(phase=["fit", "check"] * (len(ROWS) // 2)))
    line = path, "--y-true", "class", "--y-score", ",".join(CLASSES)
    assert said(*line).count(OF_TRAINING) == 1


@pytest.mark.parametrize(
    "others",
    [
        {"split": ["val", "test"] * (N // 2)},
        {"fold": range(N)},
        {"split": [np.nan, 2.0] * (N // 2)},
        {"trained_by": ["train"] * N},
        {"set": ["trainers"] * N},
    ],
)
def test_other_parts(others, saved):
    assert OF_TRAINING not in said(saved(FRAME.assign(**others)), *TRUTH)


def test_confidences_of_predicted_labels(saved):
    seen = said(saved(SURE), *TRUTH)
    least = f"{SURE.score.min():.2g}"
    assert (
        f"The column prediction has the labels of truth, and no score is below {least}: "
        f"{CONFIDENCE}, not of the positive one."
    ) in seen


@pytest.mark.parametrize(
    "frame",
    [
        # The scores are the probability of the positive label.
        SURE.assign(score=PROBABILITY),
        # The column has other labels, or a single one.
        SURE.assign(prediction=PREDICTED + 7),
        SURE.assign(prediction=1),
        # The scores are other numbers, such as logits.
        SURE.assign(score=SURE.score * 9),
        SURE.rename(columns={"prediction": "other"}),
    ],
)
def test_other_scores_and_columns(frame, saved):
    assert CONFIDENCE not in said(saved(frame), *TRUTH)


def test_ids_that_occur_several_times(saved):
    """The rows of five runs, in any order."""
    frame = FRAME.assign(id=np.arange(N) + 7)
    copies = pd.concat([frame] * 5).sample(frac=1, random_state=0)
    path = saved(copies)
    note = "Each id is in 5 rows. If they are copies of a row, such as those of several"
    assert note in said(path, *TRUTH)
    assert "not new rows: pass --unit-id id." in said(path, *TRUTH)
    for line in ([path, "--unit-id", "id"], [saved(copies[1:])], [saved(frame)]):
        assert note not in said(*line, *TRUTH)


def test_columns_that_are_not_labels(tmp_path):
    """Dates and lists in a column with a known name do not hide another column."""
    dates = pd.date_range("2026-01-01", periods=N)
    frame = FRAME.assign(fold=dates, sample=[[1]] * N, split="train")
    frame.to_parquet(tmp_path / "rows.parquet")
    assert OF_TRAINING in said(tmp_path / "rows.parquet", *TRUTH)


def test_advice_is_in_the_words_of_the_command(saved, tmp_path):
    frame = pd.concat([ROWS] * 3).assign(label=1 - np.tile(ROWS.label, 3))
    path, page = saved(frame), tmp_path / "page.html"
    finished = run(path, "--report", page)
    answer = json_of(path)
    [warning] = answer["warnings"]
    assert warning.endswith("pass --unit-id, an id that the copies of a row share.")
    assert f"{warning}\n" in finished.err
    [note] = [each["text"] for each in answer["statements"] if each["place"] == "note"]
    assert note.startswith("Positives have lower scores than the other rows")
    assert "if low scores are better, pass --lower-is-better, or negate" in note
    assert note in finished.words
    shown = page.read_text()
    for option in ("--unit-id", "--lower-is-better"):
        assert option in shown
    assert "pass -y_score" not in shown
    assert "pass unit_id" not in shown
    assert "copies" not in run(path, "--unit-id", "item").err
