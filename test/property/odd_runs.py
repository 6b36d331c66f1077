"""
Runs programs with odd sizes on a backend and says what came of each, so that a parent knows at which one it died.

    python odd_runs.py BACKEND SOURCE SEED COUNT [start|end]

SOURCE is `random`, an ONNX model, or a folder of programs of which those at SEED, SEED + COUNT, .. are run. With
`start` or `end` each input lies at that end of memory around which nothing can be read or written. A line `- WHAT`
comes before each run, and `! WHAT: FAULT` after one that went wrong.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from odd_programs import LARGE, OddProgram, draws, without_dead
from programs import joined, parse
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from rlx_dialect.description.facts import accepted
from rlx_dialect.reference import Array, run
from rlx_dialect.requirements import LONGEST
from rlx_passes import compile, from_onnx
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import RlxError
from rlx_passes.core.numerics import Tolerance, difference, tolerance_of
from rlx_passes.pipeline.target import load_target
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.runtime.program import Program, load_bundle
from rlx_passes.runtime.xla import BRANCHES, BY_ELEMENTS

COARSE = {2: Tolerance(5e-2, 5e-2), 4: Tolerance(1e-3, 1e-3), 8: Tolerance(1e-6, 1e-6)}
"""By the bytes of a float: for long sums."""

MEMORY = 6 * 2**30
"""What a process may ask for: more is an error of the allocation, not the end of the process."""


def programs(source: str, seed: int, count: int) -> Iterator[tuple[str, ModuleOp]]:
    """Modules of one function, by name."""
    if source == "random":
        for number in range(seed, seed + count):
            yield f"seed_{number}", OddProgram(number).module()
        return
    if source.endswith(".onnx"):
        yield Path(source).stem, from_onnx(source).module
        return
    functions = [
        (f"{path.stem}-{func.sym_name.data}", func)
        for path in sorted(Path(source).glob("*.mlir"))
        for text in accepted(path)
        for func in parse(text, path.name).ops
        if isinstance(func, FuncOp) and func.function_type.outputs and _is_odd(func)
    ]
    for name, func in functions[seed::count]:
        alone = func.clone()
        alone.sym_name = StringAttr("main")
        yield name, without_dead(ModuleOp([alone]))


def _is_odd(func: FuncOp) -> bool:
    """Whether something of a function may be odd: open sizes, or integers, which may be indices."""
    inputs = " ".join(map(str, func.function_type.inputs))
    return "?" in inputs or re.search("[x<]u?i[0-9][0-9]?>", inputs) is not None


def guarded(array: Array, at: str) -> Array:
    """A copy beside memory that ends the process when touched; an end is as near as the alignment of inputs allows."""
    if not at or not array.size:
        return array
    page, room = mmap.PAGESIZE, -(-array.nbytes // 64) * 64
    whole = -(-room // page) * page
    memory = mmap.mmap(-1, whole + 2 * page)
    held = np.frombuffer(memory, np.uint8)
    base = held.ctypes.data
    for edge in (base, base + page + whole):
        if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    first = page if at == "start" else page + whole - room
    copy = held[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def lowered(module: ModuleOp, backend: str) -> ModuleOp:
    """What the target's lowering makes of a module."""
    lowering = load_target(backend).lowering
    assert lowering is not None
    work = module.clone()
    (pass_,) = create_passes([lowering])
    pass_.apply(tool_context(), work)
    return work


def compiled(modules: Mapping[str, ModuleOp], backend: str, source: str, folder: Path) -> Iterator[tuple[str, Program]]:
    """
    The modules that the backend takes, compiled, by name; all but models as they are, so that what fails in them does.

    They are compiled at once where that goes, which takes less time.
    """
    if source.endswith(".onnx"):
        for name, module in modules.items():
            yield name, compile(module, backend, origin="rlx")
        return
    taken = {name: module for name, module in modules.items() if _is_taken(module, backend)}
    try:
        write_bundle(folder / "all", generator(backend)(lowered(joined(taken), backend)))
    except RlxError:
        for number, (name, module) in enumerate(taken.items()):
            try:
                write_bundle(folder / str(number), generator(backend)(lowered(module, backend)))
            except RlxError:
                continue
            yield name, load_bundle(folder / str(number))
    else:
        for name in taken:
            yield name, load_bundle(folder / "all", name)


def _is_taken(module: ModuleOp, backend: str) -> bool:
    try:
        lowered(module, backend)
    except RlxError:
        return False
    return True


def fault(program: Program, module: ModuleOp, inputs: Mapping[str, Array], at: str) -> str:
    """What is wrong with a run; empty where it gives what the reference gives, or an error of one line."""
    huge = _is_huge(inputs)
    try:
        expected = run(module, None, inputs)
        huge = huge or _is_huge(expected)
    except (ValueError, IndexError, ArithmeticError, MemoryError) as error:
        expected = error
    try:
        given = {name: guarded(array, at) for name, array in inputs.items()}
        got = program.load(given)({spec.name: given[spec.name] for spec in program.entry.inputs})
    except RlxError as error:
        if "\n" in str(error):
            return f"error of several lines: {error}"
        known = (BY_ELEMENTS, BRANCHES, f"must be at most {LONGEST}", "MLX currently uses 32-bit integers")
        limits = huge or any(limit in str(error) for limit in known)
        return "" if limits or isinstance(expected, Exception) else f"refused: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(expected, IndexError | MemoryError):
        return ""  # what an index outside of a table gives is open
    if isinstance(expected, Exception):
        return f"no error: {expected}"
    wrong = (difference(got[name], value, _near(value, inputs)) for name, value in expected.items())
    return next((each for each in wrong if each), "")


def _is_huge(arrays: Mapping[str, Array]) -> bool:
    return any(size >= LARGE for array in arrays.values() for size in array.shape)


def _near(value: Array, inputs: Mapping[str, Array]) -> Tolerance | None:
    """How near a result has to be; less so where much is summed, and where one element of it is far larger."""
    if value.dtype.kind in "iub":
        return None
    if max(array.size for array in inputs.values()) >= LARGE:
        return COARSE[value.dtype.itemsize]
    relative, absolute = tolerance_of(value.dtype)
    if value.dtype.name == "float32" and value.size:
        # A sum of terms as large as the largest element is off by some of its units, however small it comes out.
        sizes = np.abs(value[np.isfinite(value)])
        absolute = max(absolute, float(np.finfo(np.float32).eps * sizes.max(initial=0.0)))
    return Tolerance(relative, absolute)


def main(backend: str, source: str, seed: str, count: str, at: str = "") -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    modules, runs, ran = dict(programs(source, int(seed), int(count))), 0, 0
    print("- compiling", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, program in compiled(modules, backend, source, Path(folder)):
            ran += 1
            for what, inputs in draws(modules[name], int(seed)):
                if backend == "wgpu" and what == f"huge {LARGE}":
                    continue  # Mesa's stand-in for a GPU ends a kernel's loop after 65536 rounds
                shapes = ", ".join(f"{key} {list(array.shape)}" for key, array in inputs.items())
                print(f"- {name} ({what}: {shapes})", flush=True)
                runs += 1
                if wrong := fault(program, modules[name], inputs, at):
                    print(f"! {name} ({what}: {shapes}): {wrong}", flush=True)
    print(f"= {runs} runs, {len(modules) - ran} programs refused", flush=True)


def hunt(backend: str, source: str, seed: int, count: int, at: str = "") -> list[str]:
    """What went wrong in a process of its own; the run that ended it comes last."""
    return faults_of(__file__, backend, source, str(seed), str(count), *([at] if at else []))


def faults_of(script: str, *words: str) -> list[str]:
    """The faults that a script like this one tells, run in a process of its own."""
    command = [sys.executable, script, *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    lines = done.stdout.splitlines()
    faults = [line[2:] for line in lines if line.startswith("! ")]
    if done.returncode:
        last = next((line[2:] for line in reversed(lines) if line.startswith("- ")), "the start")
        faults.append(f"ended with {done.returncode} at {last}: {done.stderr[-2000:]}")
    return faults


if __name__ == "__main__":
    main(*sys.argv[1:])
