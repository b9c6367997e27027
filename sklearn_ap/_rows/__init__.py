"""Readers: rows of files, tables and streams as checked batches of narrow columns.

To read the code, start here:

- `batches`: a batch of scores, labels, weights and ids, whose columns `BatchReader` checks
- `local`: files, tables and streams, which are read into memory if they fit
- `text`: text files whose columns are separated by commas, semicolons or tabs
- `decimals`: decimal commas in these files
- `missing_columns`: advice in the error about a missing column
- `json`: files of JSON and JSON lines
- `arrow`: lists, columns of frames, and Parquet files
- `errors`: errors of the libraries that read rows, as errors of one line
"""
