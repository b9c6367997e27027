"""The first answer about scores, which the command prints and a report shows.

_rows       the rows that an answer is about, in memory or beyond it
_numbers    begins: the answer as numbers, which JSON can say
_sentences  the answer in words
"""
