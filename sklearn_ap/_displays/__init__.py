"""Displays with the API of scikit-learn's displays. matplotlib is imported when a
display is drawn.

- `precision_recall`: the precision-recall curve: what is read and computed
- `curve_plot`: its drawing
- `hit_curve`: the hit curve
- `paths`: the line above each area
- `rows`: the rows of curves, whose scores are passed or computed by an estimator
- `figure`: axes, legends and labels of all displays
- `styles`: styles of lines, and names in a legend
- `keywords`: keywords that have another name here
"""
