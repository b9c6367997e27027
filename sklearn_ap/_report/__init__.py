"""The first answer about scores, which the command prints, and a page that shows it.

- `page`: begin here: `report`, and the page that it writes around `page.html`
- `answer`: the answer in numbers: the rows in memory, and their scores
- `sentences`: the answer in words
- `fields`: the names of its numbers, in the order of JSON
- `curve`: the drawing of a curve with its band, and the numbers of thresholds
"""
