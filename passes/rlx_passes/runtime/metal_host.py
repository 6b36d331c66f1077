"""
Runs metal bundles on the host: the Metal source compiled as C++ against a small stand-in for Metal's library.

For checking kernels where there is no Apple GPU. One thread runs after another, so it is slow and needs `g++` or `c++`.
"""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlx_passes.core.errors import RunError
from rlx_passes.runtime.gpu import GpuProgram, Launch

Bytes = NDArray[np.uint8]

_LOCAL, _GROUP = "thread_position_in_threadgroup", "threadgroup_position_in_grid"
_ARGUMENT = re.compile(r"\[\[(\w+)(?:\((\d+)\))?\]\]")


@dataclass(frozen=True)
class MetalKernel:
    """A kernel of Metal source: its name and its arguments in order, a buffer's number or a position attribute."""

    name: str
    source: str
    arguments: tuple[str, ...]

    @staticmethod
    def parse(name: str, source: str) -> "MetalKernel":
        """Read the arguments off the signature of `name`."""
        signature = re.search(rf"kernel void {re.escape(name)}\((.*?)\)\s*\{{", source, re.S)
        if signature is None:
            raise RunError(f"{name}.metal holds no kernel '{name}'")
        found = tuple(number or attribute for attribute, number in _ARGUMENT.findall(signature[1]))
        if unknown := [each for each in found if not each.isdigit() and each not in (_LOCAL, _GROUP)]:
            raise RunError(f"kernel '{name}' takes [[{unknown[0]}]], which does not exist on the host")
        return MetalKernel(name, source, found)

    def launcher(self) -> str:
        """C++ that runs the kernel for every thread of a grid."""
        given = ", ".join(
            f"buffers[{each}]" if each.isdigit() else "&local" if each == _LOCAL else "&group"
            for each in self.arguments
        )
        return _LAUNCHER.format(name=self.name, given=given)


_LAUNCHER = """
extern "C" void launch_{name}(const unsigned *grid, const unsigned *block, void **buffers) {{
  metal::uint3 local, group;
  void *given[] = {{{given}}};
  for (group.z = 0; group.z < grid[2]; group.z++)
    for (group.y = 0; group.y < grid[1]; group.y++)
      for (group.x = 0; group.x < grid[0]; group.x++)
        for (local.z = 0; local.z < block[2]; local.z++)
          for (local.y = 0; local.y < block[1]; local.y++)
            for (local.x = 0; local.x < block[0]; local.x++)
              host::call(of_{name}::{name}, given);
}}
"""


class HostDevice:
    """Host memory, and the kernels of a bundle in a shared library that lives as long as this object."""

    def __init__(self, kernels: Sequence[MetalKernel]) -> None:
        self._library: Any = _compile(kernels) if kernels else None

    def allocate(self, size: int) -> Bytes:
        """Zeroed memory."""
        try:
            return np.zeros(size, np.uint8)
        except (MemoryError, ValueError) as error:
            raise RunError(f"there is no memory for a buffer of {size} bytes") from error

    def part(self, buffer: Bytes, offset: int, size: int) -> Bytes:
        """A range of a buffer."""
        return buffer[offset : offset + size]

    def write(self, buffer: Bytes, data: bytes) -> None:
        """Fill the start of `buffer`."""
        buffer[: len(data)] = np.frombuffer(data, np.uint8)

    def read(self, buffer: Bytes, size: int) -> bytes:
        """The start of `buffer`."""
        return buffer[:size].tobytes()

    def launch(self, steps: Sequence[Launch[Bytes]]) -> None:
        """Run kernels in order."""
        for step in steps:
            sizes = np.array(step.sizes, np.int32)
            given = [*step.buffers, *([sizes] if step.sizes else [])]
            pointers = (ctypes.c_void_p * len(given))(*(each.ctypes.data for each in given))
            three = ctypes.c_uint * 3
            getattr(self._library, f"launch_{step.kernel}")(three(*step.grid), three(*step.block), pointers)


def _compile(kernels: Sequence[MetalKernel]) -> ctypes.CDLL:
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise RunError("metal bundles run on the host through a C++ compiler: install g++ (Debian package 'g++')")
    # A namespace for each kernel, as each source names its own structs; guards make the inner includes empty.
    parts = ["#include <metal_stdlib>\n#include <simd/simd.h>\n"]
    for each in kernels:
        parts.append(f"namespace of_{each.name} {{\n{each.source}\n}}\n{each.launcher()}")
    with as_file(files("rlx_passes.runtime") / "msl_host") as headers, tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "kernels.cpp", Path(folder) / "kernels.so"
        source.write_text("".join(parts))
        # A literal without a suffix is a float in Metal; this option is GCC's.
        options = ("-std=c++17", "-O1", "-w", "-fsingle-precision-constant", "-ffp-contract=off", "-shared", "-fPIC")
        command = [compiler, *options, "-I", str(headers), str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RunError(
                "the Metal source does not compile on the host:\n" + "\n".join(done.stderr.splitlines()[:12])
            )
        return ctypes.CDLL(str(library))


class MetalHostProgram(GpuProgram[Bytes]):
    """A bundle compiled for metal, on the host."""

    def _open(self, files: Mapping[str, bytes]) -> HostDevice:
        return HostDevice([MetalKernel.parse(Path(name).stem, code.decode()) for name, code in files.items()])
