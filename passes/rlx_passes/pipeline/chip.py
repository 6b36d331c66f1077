"""CPUs by name: the numbers that schedules follow from. They lie in `chips.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import cast

from rlx_passes.core.errors import TargetError, did_you_mean
from rlx_passes.pipeline.table import Table

CHIPS = Path(__file__).parent / "chips.toml"

HOST = "host"
"""The name of the machine that compiles."""

_LEVELS = (
    ("x86-64-v4", ("avx512f", "avx512bw", "avx512vl")),
    ("x86-64-v3", ("avx2", "fma")),
    ("x86-64-v2", ("sse4.2",)),
)
"""The levels of x86-64 with the features, by their names in LLVM, that tell each from those after it."""


@dataclass(frozen=True)
class Chip:
    """A core of a CPU. Sizes of caches are bytes that one core may call its own."""

    name: str
    vector_bits: int
    registers: int
    fma: bool
    fma_per_cycle: int
    fma_latency: int
    loads_per_cycle: int
    l1: int
    l2: int
    l3: int

    def lanes(self, bits: int) -> int:
        """How many numbers of `bits` bits a vector holds."""
        return self.vector_bits // bits


def chip(name: str = HOST) -> Chip:
    """
    The chip of that name: one of LLVM's, a level (`x86-64-v3`, `aarch64`), or `host`.

    Without llvmlite, and where LLVM knows the host by a name that has no row, `host` is the highest level that fits.
    Raises TargetError for a name without a row.
    """
    if name == HOST:
        return _host()
    if name not in chips():
        raise TargetError(f"unknown chip '{name}'{did_you_mean(name, chips())}")
    return chips()[name]


def nearest(name: str) -> Chip:
    """The chip of that name, which may come after a triple and a colon; the lowest level of its kind without a row."""
    triple, _, cpu = name.rpartition(":")
    known = HOST if name == HOST else cpu
    if known in (HOST, *chips()):
        return chip(known)
    return chips()["aarch64" if (triple or cpu).startswith(("aarch64", "arm64")) else "x86-64-v2"]


@cache
def chips() -> Mapping[str, Chip]:
    """All chips by name, a name for each that a row covers."""
    top = Table.read(CHIPS)
    found: dict[str, Chip] = {}
    for name in top.entries:
        row = top.table(name)
        kib = {cache: row.scalar(cache, int) << 10 for cache in ("l1", "l2", "l3")}
        counts = ("vector-bits", "registers", "fma-per-cycle", "fma-latency", "loads-per-cycle")
        numbers = {count.replace("-", "_"): row.scalar(count, int) for count in counts}
        of_row = Chip(name, fma=row.scalar("fma", bool), **numbers, **kib)
        found |= dict.fromkeys((name, *row.words("also")), of_row)
    return MappingProxyType(found)


@cache
def _host() -> Chip:
    if find_spec("llvmlite") is None:
        return chips()["x86-64-v2"]
    import llvmlite.binding as llvm

    known = chips().get(llvm.get_host_cpu_name())
    if known is not None and known.name != "x86-64-v2":
        return known
    if llvm.get_process_triple().startswith(("aarch64", "arm64")):
        return chips()["aarch64"]
    features = cast(Mapping[str, bool], llvm.get_host_cpu_features())
    level = next((level for level, wanted in _LEVELS if all(features.get(each) for each in wanted)), "x86-64-v2")
    return chips()[level]
