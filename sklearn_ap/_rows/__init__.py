"""Readers: rows of files, tables and streams as checked batches of narrow columns.

To read the code, start here:

- `local`: files, tables and streams, which are read into memory if they fit
- `batches`: batches of checked rows, and the reader that makes them from columns
- `roles`: the columns to read, by their roles in a score
- `columns`: a column as it was read
- `numbers`: the numbers of a column, in a type that represents them exactly
- `labels`: which rows are positive
- `ids`: the ids of queries
- `missing_values`: which fields are missing, and the error about them
- `exact_scores`: types that represent all scores of several batches exactly
- `bytes`: bytes of files, decompressed, within limits of memory
- `text`: text files whose columns are separated by commas, semicolons or tabs
- `decimals`: decimal commas in these files
- `json`: files of JSON and JSON lines
- `arrow`: lists, columns of frames, and Parquet files
- `missing_columns`: advice in the error about a missing column
- `errors`: errors of the libraries that read rows, as errors of one line
"""
