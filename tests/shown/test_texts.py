"""Values in errors, and names in pages."""

import pytest

from sklearn_ap._shown.texts import format_value, html_text


def test_values_are_shortened_at_100_characters():
    assert format_value("x" * 98) == repr("x" * 98)
    short = format_value("x" * 60 + "-" * 90 + "y" * 30)
    assert short == "'" + "x" * 47 + "..." + "-" * 17 + "y" * 30 + "'"


def test_html_is_escaped():
    assert html_text("<b>\x1b") == r"&lt;b&gt;\x1b"


@pytest.mark.parametrize(
    "name", ["חדש", "نموذج قديم", "חדש-ישן", "\N{ADLAM SMALL LETTER ALIF}"]
)
def test_words_from_right_to_left_do_not_turn_the_numbers_after_them(name):
    isolated = f"<bdi>{name}</bdi>"
    text = f"old - {name}: -0.16, 95 % interval"
    assert html_text(text) == text.replace(name, isolated)
    assert html_text(f"{name} - {name} 2") == f"{isolated} - {isolated} 2"
