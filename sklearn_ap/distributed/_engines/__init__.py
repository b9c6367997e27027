"""What makes a `Source` of files, tables, Dask and Spark.

`_files` reads files and datasets: `_paths` finds them, and `_content` opens them and recognises their format.
Text goes through `_text`, which cuts it into cells, and `_cells`, which makes arrays of cells; Parquet, Arrow
and datasets go through `_fragments`. `_arrow` reads tables and streams, and makes arrays of columns of Arrow.
"""
