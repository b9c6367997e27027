"""Values of JSON, and data frames."""

import pytest

from sklearn_ap._shown.tables import ShownAsText


@pytest.mark.parametrize(("text", "end"), [("a  b\n1  -", "\n>"), ("0.5", ">")])
def test_results_show_their_class_and_their_text(text, end):
    """A difference of "-", followed by ">", would look like an arrow."""

    class Table(ShownAsText):
        def __str__(self):
            return text

    assert repr(Table()) == f"<Table: {text}{end}"
