"""Rows from judgements of search.

- `files`: files of TREC, which contain judgements or a run
- `runs`: judgements (qrels) and runs of search, in files or in Python, as columns that
  every score takes
"""
