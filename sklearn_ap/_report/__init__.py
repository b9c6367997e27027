"""A report of scores in one file: `_answer` and what a page adds to it.

_curve   the drawing of a curve with its band, and the numbers of thresholds
_report  begins: `report`, and the page that it writes around `page.html`
"""
