"""A report of scores in one file: `_answer` and what a page adds to it.

_curve   the curve, its band, and the thresholds to move over
_page    HTML and SVG around `page.html`, which contains the style and the script
_tables  what loses most, all definitions, and how to cite the score
_report  begins: `report`, and the `Report` that it returns
"""
