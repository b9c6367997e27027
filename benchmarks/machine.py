"""The machine and the versions behind the numbers."""

import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

import sklearn_ap


def lines() -> list[str]:
    """Return processor, vector instructions in use and versions."""
    cpu = Path("/proc/cpuinfo")
    names = (
        [line for line in cpu.read_text().splitlines() if "model name" in line]
        if cpu.exists()
        else []
    )
    processor = (
        names[0].partition(":")[2].strip()
        if names
        else platform.processor() or platform.machine()
    )
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    versions = [
        f"{name} {version(name)}" for name in ("numpy", "scikit-learn", "scipy")
    ]
    return [
        f"* {processor}, {platform.system()}, Python {platform.python_version()}",
        f"* numpy's vector instructions: {' '.join([*simd.get('baseline', []), *simd.get('found', [])])}",
        f"* sklearn_ap {sklearn_ap.__version__}, {', '.join(versions)}",
    ]
