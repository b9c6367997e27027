"""Speed, memory and digits of the scores: `python -m benchmarks` prints the tables."""
