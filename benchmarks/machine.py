"""The machine and the versions behind the numbers."""

import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

import sklearn_ap

_NEW_NAMES = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4)
_AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
# The vector instructions to switch off, so that numpy sorts by what is left.
OTHER_SORTS = {
    "AVX2": "X86_V4 AVX512_ICL" if _NEW_NAMES else _AVX512,
    "neither AVX-512 nor AVX2": "X86_V3 X86_V4 AVX512_ICL" if _NEW_NAMES else f"AVX2 FMA3 {_AVX512}",
}


def lines() -> list[str]:
    """Return processor, vector instructions in use and versions."""
    cpu = Path("/proc/cpuinfo")
    names = [line for line in cpu.read_text().splitlines() if "model name" in line] if cpu.exists() else []
    processor = names[0].partition(":")[2].strip() if names else platform.processor() or platform.machine()
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    versions = [f"{name} {version(name)}" for name in ("numpy", "scikit-learn", "scipy")]
    return [
        f"* {processor}, {platform.system()}, Python {platform.python_version()}",
        f"* numpy's vector instructions: {' '.join([*simd.get('baseline', []), *simd.get('found', [])])}",
        f"* sklearn_ap {sklearn_ap.__version__}, {', '.join(versions)}",
    ]
