"""Golden values: what each peer printed for each input, stored with the version that
printed it.
"""

import json
import math
import warnings
from pathlib import Path
from typing import Any

from ._peer import Peer
from .inputs import INPUTS

PATH = Path(__file__).parent / "golden" / "peers.json"


def load() -> dict[str, Any]:
    """Return what is stored: ``{name: {"package", "version", "tolerance", "values":
    {input: value}}}``.
    """
    return json.loads(PATH.read_text()) if PATH.exists() else {}


def store(golden: dict[str, Any]) -> None:
    """Write golden values, sorted by name, one input a line."""
    PATH.write_text(json.dumps(dict(sorted(golden.items())), indent=1) + "\n")


def version(peer: Peer) -> str | None:
    """Return the version of a peer's package; None where it is not installed."""
    try:
        return peer.find_version(peer.package)
    except (
        ImportError,
        KeyError,
        OSError,
    ):  # not installed; no variable names it; no such program
        return None


def run(peer: Peer, version: str) -> dict[str, Any]:
    """Run a peer on every input that it can be handed; NaN and errors are stored as
    text.
    """
    values: dict[str, float | str] = {}
    takes = {name: case for name, case in INPUTS.items() if peer.takes(case)}
    for name, case in takes.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = peer.run(case)
        except Exception as error:  # whatever a package raises is its answer
            values[name] = (
                f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
            )
        else:
            if value is not None:
                values[name] = "nan" if math.isnan(value) else value
    return {
        "package": peer.package,
        "version": version,
        "tolerance": peer.tolerance,
        "values": values,
    }
