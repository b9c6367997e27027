"""Property tests draw the same cases in every run (HYPOTHESIS_PROFILE=explore draws new ones)."""

import os

from hypothesis import settings

# Each of pytest's workers has a core: threads of their linear algebra would wait for each other, ten times
# as long as they work. Set before numpy is loaded.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
