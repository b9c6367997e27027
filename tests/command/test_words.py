"""Translation of advice from the words of Python into those of the command."""

import inspect
from dataclasses import fields

import pytest

from shell import error_of
from sklearn_ap import compare_scores, report
from sklearn_ap._command.options import Options
from sklearn_ap._command.words import _ARGUMENTS, in_shell


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("so pass unit_id, an id of patients", "so pass --unit-id, an id of patients"),
        ("pass prevalence=0.1 to both", "pass --prevalence 0.1 to both"),
        ("pass pos_label", "pass --pos-label"),
        ("k must be None or an int; got 0", "-k must be an int; got 0"),
        ("k must be None, 3 or 0.1; got 0", "-k must be 3 or 0.1; got 0"),
        (
            "path must be a new name, or the name of a page; got 'd.csv'",
            "--report must be a new name, or the name of a page; got 'd.csv'",
        ),
        ("report.answer has the other 3, too.", "--format json has the other 3, too."),
        (
            "if low scores are better, pass -y_score",
            "if low scores are better, pass --lower-is-better, or negate the scores",
        ),
        # The same words as the name of a column, and as ordinary words.
        ("column 'unit_id' has 3 values", "column 'unit_id' has 3 values"),
        ("unit_id has 3 values in 9 rows", "unit_id has 3 values in 9 rows"),
        ("pass kinds of rows", "pass kinds of rows"),
    ],
)
def test_arguments_become_options_and_columns_stay(python, shell):
    assert in_shell(python) == shell
    assert in_shell(shell) == shell


def test_each_translated_argument_is_one_in_python_and_an_option():
    in_python = {
        name
        for function in (report, compare_scores)
        for name in inspect.signature(function).parameters
    }
    assert in_python.issuperset(_ARGUMENTS)
    assert {each.name for each in fields(Options)}.issuperset(_ARGUMENTS)


def test_error_of_an_argument_names_the_option(path):
    assert error_of(path, "-k", 0).startswith("-k must be")
