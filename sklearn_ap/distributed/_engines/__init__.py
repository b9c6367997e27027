"""What makes a `Source` of what the caller passed: `_arrow`, `_dask` and `_spark`, each with its library.

`_files` is the only reader of files, for the command too: `_paths` says which files are meant, `_content`
opens them, `_text` and `_cells` read CSV with or without pyarrow, and `_fragments` reads Parquet and Arrow.
`_arrow` reads tables and streams (`_batches`). All read in two threads (`fold`), and `_convert` makes
arrays of numpy of columns of Arrow, for Spark too. No library is imported before it is needed.
"""
