"""A report of scores in one file: `_answer` and what a page adds to it.

_curve   the numbers of the curve: points to draw, thresholds to move over, and a band
_report  begins: `report`, and the page that it writes around `page.html`
"""
