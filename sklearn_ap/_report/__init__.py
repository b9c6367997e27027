"""The answer about scores, which the command prints, and a page that shows it.

- `page`: begin here: `report` computes the answer and fills the page `page.html`
- `scored_rows`: the rows in memory, with their scores, thresholds and budgets
- `differences`: differences between models, and from earlier rows
- `answer`: the numbers of the answer, and of the answer about each class or query
- `looks`: notes about mistakes that the rows suggest, with advice
- `named_warnings`: warnings that name their model or class
- `gates`: the verdicts of gates such as `--fail-below`
- `sentences`: the sentences and tables of the answer
- `fields`: the fields of the answer, in the order of the JSON
- `pictures`: the pictures of the scores and amounts of classes or queries
- `curve`: the drawing of a curve with its band, and the numbers of thresholds
"""
