"""Judgements (qrels) and runs of search: their files, and their columns for scores."""
