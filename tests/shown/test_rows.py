"""Rows of texts, one call per line: the digits of numbers, names, tables and JSON."""

import re
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from refusals import assert_raises, each_row
from sklearn_ap._shown import numbers, tables, texts

NAMES = {**vars(numbers), **vars(tables), **vars(texts), "nan": np.nan, "inf": np.inf}
NAMES |= {"Path": Path, "result": SimpleNamespace(to_dict=lambda: {"a": (1, np.nan)})}
NAMES["width"] = lambda *row: numbers.WithInterval(*row).decimals
NAMES["Difference"] = partial(numbers.WithInterval, is_difference=True)


def texts_of(*row, is_difference=False):
    """Return the texts of one number and its interval."""
    shown = numbers.WithInterval(*row, is_difference=is_difference)
    return shown.texts(shown.decimals)


NAMES |= {"texts_of": texts_of, "diff": partial(texts_of, is_difference=True)}
VALUES = [
    # The width is at least five units of the last decimal. Shares have two decimals.
    ("width(0.5, 0.4, 0.6)", 2),
    ("width(0.5, 0.4999, 0.5001)", 5),
    ("width(0.5, 0.499999, 0.500001)", 6),
    ("width(0.0, -5e-7, 5e-7)", 6),
    # Without a width, a value has at most four significant digits.
    ("width(0.0, -4e-7, 5e-7)", 0),
    ("width(0.5, 0.5, 0.5)", 1),
    ("width(7 / 12, nan, nan)", 4),
    ("width(1.234e-9, nan, nan)", 6),
    ("width(1e-17, nan, nan)", 0),
    ("width(nan, nan, nan)", 0),
    # A share below 0.1 has two significant digits.
    ("width(0.00512, 0.001, 0.2)", 4),
    ("width(0.0, 0.0, 0.2)", 2),
    ("width(2e-9, 0.0, 0.2)", 6),
    ("Difference(0.05, -0.4, 0.6).decimals", 2),
    # An endpoint of a difference shows its sign.
    ("diff(0.09, -0.0031, 0.183)", ["0.09", "-0.003", "0.18"]),
    ("diff(0.09, 0.0004, 0.183)", ["0.09", "0.0004", "0.18"]),
    ("diff(-0.09, -0.183, -0.0031)", ["-0.09", "-0.18", "-0.003"]),
    ("diff(-0.09, -0.183, -0.0004)", ["-0.09", "-0.18", "-0.0004"]),
    # So does each number that would be rounded to 0.
    ("diff(0.004, -0.5, 0.5)", ["0.004", "-0.50", "0.50"]),
    ("diff(0.006, -0.5, 0.5)", ["0.01", "-0.50", "0.50"]),
    ("diff(0.0004, -0.5, 0.5)", ["0.0004", "-0.50", "0.50"]),
    ("diff(-0.004, -0.5, 0.5)", ["-0.004", "-0.50", "0.50"]),
    ("diff(1e-17, -0.5, 0.5)", ["0.00", "-0.50", "0.50"]),
    ("texts_of(0.12, 0.0031, 0.183)", ["0.12", "0.00", "0.18"]),
    # A test has moved an endpoint next to 0, by 1e-9 of the difference.
    ("diff(-0.2, -0.4, -0.2e-9)", ["-0.20", "-0.40", "0 (excluded)"]),
    ("diff(1.0, 2e-9, 2.0)", ["1.00", "0 (excluded)", "2.00"]),
    ("diff(1.0, 2.1e-9, 2.0)", ["1.00", "2e-09", "2.00"]),
    ("diff(1.0, 0.0, 2.0)", ["1.00", "0.00", "2.00"]),
    # A column has one number of decimals.
    ("cells_of([WithInterval(0.5, 0.4, 0.6), WithInterval(0.5, nan, nan)])", [["0.50", "0.40 to 0.60"], ["0.50", "-"]]),
    ("cells_of([WithInterval(0.5, 0.4, 0.6), WithInterval(0.75, 0.74, 0.76)])", [["0.500", "0.400 to 0.600"], ["0.750", "0.740 to 0.760"]]),
    ("cells_of([Difference(0.01, 0.001, 0.6), Difference(0.2, 0.1, 0.3)])", [["0.01", "0.001 to 0.60"], ["0.20", "0.10 to 0.30"]]),
    ("cells_of([WithInterval(nan, nan, nan)])", [["-", "-"]]),
    ("str(WithInterval(0.12, 0.0031, 0.183))", "0.12, 95 % interval 0.00 to 0.18"),
    ("str(WithInterval(0.12, nan, nan))", "0.12"),
    ("texts_apart([0.5, 0.1 + 0.2], 0.3, decimals=2)", ["0.5", "0.30000000000000004"]),
    ("texts_apart([0.296, 0.304, 0.3, nan], 0.3, decimals=1)", ["0.296", "0.304", "0.300", "nan"]),
    # Scores have one decimal more than their difference.
    ("compared_texts(0.5, 0.25, decimals=2)", ["0.500", "0.250"]),
    ("compared_texts(1, 1, decimals=0)", ["1.00", "1.00"]),
    ("compared_texts(0.00123, 0.5, decimals=2)", ["0.0012", "0.5000"]),
    ("with_decimals(2, -0.001, np.float64(2.675))", ["0.00", "2.67"]),
    ("with_decimals(0, 1234567.0, 0.5)", ["1234567", "0"]),
    ("part_of(12, 999.96)", "12 of 1000"),
    ("part_of(1234.5, 12345.6)", "1,234 of 12,346"),
    ("part_of(1 / 3, 1000)", "0.3333 of 1,000"),
    ("count_text(-1234.0)", "-1,234"),
    ("count_of(0, 'query', 'queries')", "0 queries"),
    ("count_of(1, 'query', 'queries')", "1 query"),
    ("count_of(2000, 'query', 'queries')", "2,000 queries"),
    # A share has two digits of its distance from 0 or 1.
    ("short_share(0.0456)", "0.046"),
    ("short_share(0.0042)", "0.0042"),
    ("short_share(0.9958)", "0.9958"),
    ("short_share(0.5)", "0.50"),
    ("short_share(0)", "0.00"),
    ("short_share(1)", "1.00"),
    ("short_share(1 - 1e-16)", "1.00"),
    ("short_share(1e-6)", "0.000001"),
    ("short_share(9.4e-7)", "9.4e-07"),
    ("short_share(0.1)", "0.10"),
    ("format_pvalue(0.0312345)", "= 0.031"),
    ("format_pvalue(0.0001)", "= 0.00010"),
    ("format_pvalue(0.000099)", "< 0.0001"),
    ("format_pvalue(0.04996)", "= 0.04996"),
    # A share in a legend has the decimals that it has in a sentence, and so has its deviation.
    ("list(map(share_text, [0, 1e-5, 0.05, 0.0994, 0.1, 0.997, 1]))", ["0.00", "0.000010", "0.050", "0.099", "0.10", "1.00", "1.00"]),
    ("[share_text(0.024, 0.012), share_text(0.1, 0.0124)]", ["0.024 +/- 0.012", "0.10 +/- 0.01"]),
    ("format_pvalue(0.05)", "= 0.050"),
    ("format_pvalue(1)", "= 1.00"),
    ("format_pvalue(nan)", "= nan"),
    # A threshold retrieves the same rows.
    ("short_threshold(0.123456, 0.1)", "0.1234"),
    ("short_threshold(0.123456, 0.1234)", "0.12345"),
    ("short_threshold(-0.123456, -0.2)", "-0.1235"),
    ("short_threshold(-0.0, -1.0)", "0"),
    ("short_threshold(123456, 6)", "123456"),
    ("short_threshold(44.0, 43.0)", "44"),
    ("short_threshold(123456.0, -inf)", "123400"),
    # Joiners of emoji and spaces are kept. What controls a terminal is not.
    ("printable('a\\u200db\\xa0c\\x1b\\u202e\\n')", "a\u200db\xa0c\\x1b\\u202e\\n"),
    ("html_text('<b>\\x1b\"')", "&lt;b&gt;\\x1b&quot;"),
    ("html_text('old - חדש: -0.16')", "old - <bdi>חדש</bdi>: -0.16"),
    ("html_text('חדש - חדש 2')", "<bdi>חדש</bdi> - <bdi>חדש</bdi> 2"),
    ("html_text('نموذج قديم')", "<bdi>نموذج قديم</bdi>"),
    ("html_text('חדש-ישן')", "<bdi>חדש-ישן</bdi>"),
    ("html_text('\\U0001e900')", "<bdi>\U0001e900</bdi>"),
    ("format_value('x' * 98)", "'" + "x" * 98 + "'"),
    ("format_value('x' * 60 + '-' * 90)", "'" + "x" * 47 + "..." + "-" * 47 + "'"),
    ("shortened('abcdefgh', 8)", "abcdefgh"),
    ("shortened('abcdefgh', 7)", "ab...gh"),
    ("check_page_name('path', Path('a.HTM'))", None),
    # Names are on the left, and numbers on the right.
    ("[*aligned([['model', 'a', 'bb'], ['x', '1.5', '']])]", ["model    a  bb", "x      1.5"]),
    # A name has a line of its own if the table would be wider than this.
    ("[*aligned([['model', 'a', 'b'], ['seven x', '1.5', '2']], 15)]", ["model      a  b", "seven x  1.5  2"]),
    ("[*aligned([['model', 'a', 'b'], ['seven x', '1.5', '2']], 14)]", ["model     a  b", "seven x\n        1.5  2"]),
    ("[*aligned([['', 'a'], ['x', '1.5']], 3)]", ["    a", "x\n  1.5"]),
    ("[*aligned([['ab', 'a'], ['x', '1.5']], 3)]", ["ab\n    a", "x\n  1.5"]),
    ("[*aligned([], 3)]", []),
    ("data_frame([[1, 2]], ['a', 'b']).to_dict('list')", {"a": [1], "b": [2]}),
    # JSON has neither NaN nor infinity, and no types of numpy.
    ("json_value([np.float64(0.5), nan, -inf, np.float32(inf)])", [0.5, None, None, None]),
    ("json_value((np.array([1.5, 2]), None, 'a'))", [[1.5, 2.0], None, "a"]),
    ("json_value({'a': {'b': (1, nan)}})", {"a": {"b": [1, None]}}),
    ("list(map(type, json_value([np.int64(3), np.True_, True])))", [int, bool, bool]),
    ("[type(json_value(np.longdouble(0.5))), json_value(np.longdouble(inf))]", [float, None]),
    ("json_value([result])", [{"a": [1, None]}]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "value"), VALUES)
def test_a_call_returns_its_value(call, value):
    assert eval(call, NAMES) == value


def test_the_examples_of_digits():
    _, _, examples = numbers.WithInterval.__doc__.partition("For example::")
    lines = examples.strip().splitlines()
    for line in lines:
        kind, *row, text = re.split("  +", line.strip())
        is_difference = kind == "difference"
        shown = numbers.WithInterval(*map(float, row), is_difference=is_difference)
        assert str(shown).replace(" 95 % interval", "") == text
    assert len(lines) == 5


ERRORS = [
    ("check_page_name('--report', 'a.json')", "--report must end in .html or .htm; got 'a.json'. For JSON"),
    ("check_page_name('path', 'html')", "path must end in .html or .htm; got 'html'"),
    ("data_frame([])", "ImportError: to_frame needs pandas: pip install pandas"),
]  # fmt: skip


@each_row(ERRORS)
def test_a_call_raises_its_error(monkeypatch, row):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert_raises(NAMES, *row)
