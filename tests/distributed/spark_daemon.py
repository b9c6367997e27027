"""The process from which Spark forks its Python workers, with the package imported.

Otherwise, each new worker would import scikit-learn, which takes 2 s. Spark runs this
module, because `spark.python.daemon.module` names it.
"""

import gc

from pyspark.daemon import manager

import sklearn_ap.distributed  # noqa: F401  # for the workers

# A worker collects garbage after each task. This excludes the imported objects, which
# would take .15 s.
gc.freeze()

if __name__ == "__main__":
    manager()
