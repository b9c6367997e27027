"""The first answer about scores, which the command prints and a report shows.

_fields     names each number of the answer, in the order of JSON
_numbers    begins: the rows, in memory or beyond it, and the numbers of the answer
_sentences  the answer in words
"""
