"""Translation of Python's words into those of the command.

Sentences, warnings and errors of the subpackages below are written once, in the words
of Python: "pass unit_id", "k must be None or ...". `in_shell` writes the options of the
command in their place. A sentence that the rules below do not reach gets a line in
`_ADVICE`; a new argument that is also an option, a word in `_ARGUMENTS`.
"""

import re

from .options import option_name

# Advice for which the shell has words of its own.
_ADVICE = {
    "pass -y_score": "pass --lower-is-better, or negate the scores",
    "pass the scores as they are": "leave out --lower-is-better",
    "query_id=day": "--per day",
    "path must be a new name": "--report must be a new name",
    # An option that is not given is not None.
    "must be None, ": "must be ",
    "must be None or ": "must be ",
    "report.answer has": "--format json has",
    "score_by_query has": "--format json with --per has",
}
# The arguments that are options of the command, too.
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
# An argument is translated where it is certainly one, and not a column of the same
# name: after "pass", and as the subject of an error, at the beginning of its text.
_IS_SUBJECT = r"^(?=\w+ (?:contains|is|must|requires|takes)\b)"
_ARGUMENT = re.compile(rf"(?:(?<=\bpass )|{_IS_SUBJECT})({'|'.join(_ARGUMENTS)})\b(=?)")


def in_shell(text: str) -> str:
    """Return a text in which the options of the command replace Python's arguments."""
    for python, shell in _ADVICE.items():
        text = text.replace(python, shell)
    # The value of an option follows after a space.
    return _ARGUMENT.sub(
        lambda found: option_name(found[1]) + found[2].replace("=", " "), text
    )
