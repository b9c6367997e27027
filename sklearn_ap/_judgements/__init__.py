"""Rows from judgements of search.

- `files`: files of judgements and of runs: lines of TREC, tables with a header, JSON
  and JSON lines
- `runs`: judgements (qrels) and runs of search, in files or in Python, as columns that
  every score takes
"""
