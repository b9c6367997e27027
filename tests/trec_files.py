"""Files of judgements and of runs, as TREC has them."""


def write_trec(folder, qrels, **runs):
    """Write judgements and runs; return their paths."""
    for name, rows in {"qrels": qrels, **runs}.items():
        line = "{} 0 {} {}\n" if name == "qrels" else "{}\tQ0 {} 1 {!r} a\n"
        (folder / name).write_text("".join(line.format(*row) for row in rows))
    return [folder / name for name in ("qrels", *runs)]


def columns_of(rows):
    """The columns of a run, as arguments of a score."""
    names = "y_true", "y_score", "query_id", "n_positives"
    return {name: getattr(rows, name) for name in names}
