"""Golden values: the numbers of each peer for each input, stored with its version."""

import json
import math
import warnings
from pathlib import Path

from .inputs import INPUTS

PATH = Path(__file__).parent / "golden" / "peers.json"


def load():
    """Return the stored values: ``{name: {"package", "version", "tolerance", "values":
    {input: value}}}``.
    """
    return json.loads(PATH.read_text())


def run(peer):
    """Run a peer on every input that it accepts, and return its numbers, with NaN and
    errors as text. Return None if its package is not installed.
    """
    try:
        version = peer.find_version(peer.package)
    # The package, the program or the package of R is not installed.
    except (ImportError, OSError, RuntimeError):
        return None
    values: dict[str, float | str] = {}
    for name, case in INPUTS.items():
        if not peer.takes(case):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = peer.run(case)
        except Exception as error:  # any error of a package is its answer
            values[name] = f"{type(error).__name__}: {error}".partition("\n")[0]
        else:
            if value is not None:
                values[name] = "nan" if math.isnan(value) else value
    about = {"package": peer.package, "version": version, "tolerance": peer.tolerance}
    return {**about, "values": values}
