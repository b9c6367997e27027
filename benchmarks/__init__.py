"""Speed and memory (`python -m benchmarks`), and how well intervals and tests keep
their promises.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    # one thread per package; set before numpy is loaded
    os.environ.setdefault(variable, "1")
