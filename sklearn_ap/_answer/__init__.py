"""The first answer about scores, which the command prints and a report shows.

_numbers    begins: the rows, in memory or beyond it, and the answer as numbers, which
JSON can say _sentences  the answer in words
"""
