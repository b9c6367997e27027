"""What `sklearn-ap` does: it asks `distributed` for rows and the package for numbers, and prints.

_run        begins: runs what a command line asks for, and says errors in one line
_options    the options, and which do not go together
_rows       the rows of files: in memory or, beyond the limit, in the files
_sentences  the first answer, and numbers as words
_tables     tables of scores, as text, CSV or JSON
_trec       files of TREC
_messages   warnings and errors, each in one line
"""
