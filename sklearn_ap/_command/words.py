"""Translation of sentences from the words of Python into those of the command.

The other subpackages write sentences, warnings and errors in the words of Python: "pass
unit_id", "k must be None or ...". `in_shell` replaces the arguments by the options of
the command. If you add an argument that is also an option, add it to `_ARGUMENTS`. If
the rules do not translate a sentence, add a line to `_ADVICE_IN_SHELL`.
"""

import re

from .options import option_name

# Advice that needs other words in the shell.
_ADVICE_IN_SHELL = {
    "pass -y_score": "pass --lower-is-better, or negate the scores",
    "pass the scores as they are": "omit --lower-is-better",
    "query_id=day": "--per day",
    "path must be a new name": "--report must be a new name",
    # A user of the command cannot pass None, so its errors omit this choice.
    "must be None, ": "must be ",
    "must be None or ": "must be ",
    "report.answer has": "--format json has",
    "score_by_query has": "--format json with --per has",
}
# Calls of Python, which a user of the command does not make.
_CALL = re.compile(r", such as cross_val_predict\(.*?\)\[:, \d\]")
# The arguments that are also options of the command.
_ARGUMENTS = (
    "amount",
    "compare",
    "k",
    "n_positives",
    "pos_label",
    "prevalence",
    "query_id",
    "sample_weight",
    "unit_id",
    "y_score",
    "y_true",
)
# A word may also be the name of a column, so it is translated only where it is certainly
# an argument: after "pass", and as the subject at the beginning of an error.
_IS_SUBJECT = r"^(?=\w+ (?:contains|is|must|requires|takes)\b)"
_ARGUMENT = re.compile(rf"(?:(?<=\bpass )|{_IS_SUBJECT})({'|'.join(_ARGUMENTS)})\b(=?)")


# A value that an error shows is in quotes, and is not translated. An apostrophe, as in
# scikit-learn's, is not a quote.
_QUOTED = re.compile(r"((?<!\w)'(?:[^'\\]|\\.)*'(?!\w))")


def in_shell(text: str) -> str:
    """Return a sentence in which the options of the command replace Python's arguments.

    Names that a user has chosen must be in quotes, or added afterwards.
    """
    parts = _QUOTED.split(_CALL.sub("", text))
    parts[::2] = map(_translated, parts[::2])
    return "".join(parts)


def _translated(text: str) -> str:
    """Return a part of a sentence in the words of the command."""
    for python, shell in _ADVICE_IN_SHELL.items():
        text = text.replace(python, shell)
    # In the shell, a space separates an option from its value.
    return _ARGUMENT.sub(
        lambda found: option_name(found[1]) + found[2].replace("=", " "), text
    )
