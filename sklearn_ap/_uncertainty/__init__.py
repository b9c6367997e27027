"""How sure a number is. Read `_influence` (what a row does to a number), `_estimates` and `_results`."""
