"""Rows from judgements of search.

- `lists`: lists of relevant and of retrieved ids, as arguments of every score
"""
