"""The process that Spark forks its Python workers from, with the package loaded.

A worker that was killed is then replaced at once: without it, each new one imports
scikit-learn, for 2 s of a processor. Spark runs it by ``spark.python.daemon.module``.
"""

import gc

from pyspark.daemon import manager

import sklearn_ap.distributed  # noqa: F401  # what is loaded

# a worker collects garbage after each task: .15 s, if it looks at all that is loaded
gc.freeze()

if __name__ == "__main__":
    manager()
