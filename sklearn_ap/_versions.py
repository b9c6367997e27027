"""What a report of a problem needs to say about the machine: `show_versions`."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

__all__ = ["show_versions"]

# Under the name of the import where it is not the distribution's, as scikit-learn prints itself.
_REQUIRED = {"sklearn_ap": "sklearn-ap", "numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
_OPTIONAL = ["pip", "joblib", "threadpoolctl", "matplotlib", "pandas", "pyarrow", "polars", "dask"]
_OPTIONAL += ["distributed", "pyspark", "torch"]


def show_versions() -> None:
    """Print the versions that a report of a problem needs, as `sklearn.show_versions` prints them.

    No library is imported for its version. What is optional stands there if it is installed.

    .. versionadded:: 0.1

    Returns
    -------
    None
        The text is printed.

    See Also
    --------
    sklearn.show_versions : The same for scikit-learn alone, with its build.

    References
    ----------
    .. [1] `The packaging guide on versions at run time
           <https://packaging.python.org/en/latest/discussions/single-source-version/>`_

    Examples
    --------
    >>> from sklearn_ap import show_versions
    >>> show_versions()  # doctest: +ELLIPSIS
    <BLANKLINE>
    System:
        python: 3...
    """
    print("\nSystem:")
    python = sys.version.replace("\n", " ")
    system = {"python": python, "executable": sys.executable, "machine": platform.platform()}
    for name, value in system.items():
        print(f"{name:>10}: {value}")
    print("\nPython dependencies:")
    for name, distribution in {**_REQUIRED, **{one: one for one in _OPTIONAL}}.items():
        found = _version(distribution)
        if found is not None or name in _REQUIRED:
            print(f"{name:>13}: {found}")


def _version(distribution: str) -> str | None:
    """Return the installed version, or None: a copy on the path alone has none."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
