"""
Runs ops on the edge values of their element types on a backend, and says where it is not what the reference is.

    python edges.py BACKEND all|steady PART PARTS [WORD]

Of the cases, those at PART, PART + PARTS, .. that start with WORD; `steady` are those whose value nothing leaves open.
A line `- CASE` comes before each run, so that a parent knows at which one the process died, and `! CASE: FAULT` after
one that went wrong.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
from graph_op import Build, program_of
from odd_runs import compiled, faults_of
from target_coverage import UNKNOWN, UNKNOWN_F64, examples
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import of_type
from rlx_dialect.signature import arguments_of, find_function
from rlx_passes.core.errors import RlxError
from rlx_passes.core.numerics import difference
from rlx_passes.runtime.program import Program

Inputs = Mapping[str, Array]
Case = tuple[str, ModuleOp, Mapping[str, Inputs]]
"""A name, a program of one function, and what it is run on, by a word that says what the numbers are."""

STEADY = (
    *("activation_", "binary_", "compare_", "cast_", "reduce_max_", "reduce_min_", "reduce_any_", "reduce_all_"),
    *("sort_", "argsort_", "top_", "cummax_", "softmax_", "arg_max_", "arg_min_", "fma_", "fake_quantize_"),
)
"""How cases start that order, choose and round once; sums of edges overflow or not by their order."""

UNSIGNED = (
    *("activation_sign_", "binary_max_", "binary_min_", "reduce_", "cummax_", "cumsum_", "softmax_", "fake_quantize_"),
)
"""Where nothing says which zero it is."""

OPEN: Mapping[str, Sequence[str]] = {
    "attention": ("inf",),
    "axial_rope2d": ("inf",),
    "batched_dense_solve": ("ties", "nan", "inf"),
    "conv_backward_input": ("nan", "inf"),
    "conv_transpose": ("nan", "inf"),
    "dense_solve": ("ties", "nan", "inf"),
    "det": ("nan", "inf"),
    "fft": ("nan", "inf"),
    "log_det": ("nan", "inf"),
    "log_mel": ("nan", "inf"),
    "max_pool_backward": ("nan", "inf"),
    "partitioned_conv": ("nan", "inf"),
    "qr": ("ties",),
    "rfft": ("nan", "inf"),
    "triangular_solve": ("ties", "nan", "inf"),
}
"""How cases start whose op says that it leaves open what such numbers give, and which."""

OPEN_ON: Mapping[str, Mapping[str, Sequence[str]]] = {
    "mlx": {"attention": ("nan", "inf")},
    "tpu": {"conv_f64": ("nan", "inf"), "fused_conv_bias_act_f64": ("nan", "inf")},
    "wgpu": {"gru": ("nan", "inf"), "lstm": ("nan", "inf"), "resize": ("nan", "inf"), "rnn": ("nan", "inf")},
}
"""The same on a backend, where the op says so."""

SIGNED = ("cpu", "mlx")
"""Backends that keep the sign of zero; other compilers do without."""

FLUSHING = ("tpu",)
"""Backends that take numbers below the smallest normal one for 0."""

REAL = [name for name, each in DTYPES.items() if numpy_dtype(each.type).kind != "c" and not name.startswith("f8")]
DRAWS = ("ties", "nan", "inf", "wild")
"""What the numbers of a run are: small ones often equal, the same with NaN or infinities, and edges of their type."""


def edges(dtype: np.dtype[Any]) -> Array:
    """The numbers of an element type at which something may be special."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info, bits = np.iinfo(dtype), 8 * dtype.itemsize
        wanted = [
            info.min,
            info.min + 1,
            -2,
            -1,
            0,
            1,
            2,
            3,
            bits - 1,
            bits,
            bits + 1,
            2 * bits,
            info.max - 1,
            info.max,
        ]
        return np.array(sorted({number for number in wanted if info.min <= number <= info.max}), dtype)
    info = _limits(dtype)
    positive = [
        0.0,
        float(info.smallest_subnormal),
        float(info.tiny),
        0.5,
        1.0,
        1.5,
        2.5,
        3.0,
        127.5,
        1e4,
        float(info.max),
    ]
    big = [2.0**15, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
    positive += [number for number in big if number < float(info.max)] + [np.inf]
    return np.array([sign * number for number in positive for sign in (1, -1)] + [np.nan]).astype(dtype)


def _limits(dtype: np.dtype[Any]) -> Any:
    finfo: Any = ml_dtypes.finfo
    return finfo(dtype)


def elementwise() -> Iterator[Case]:
    """Functions of one number on all edges, of two on all pairs of them, and all casts."""
    for dtype in REAL:
        some = edges(numpy_dtype(DTYPES[dtype].type))
        pair = [each.ravel() for each in np.meshgrid(some, some)]
        for kind in Activation:
            yield from _case(f"activation_{kind}_{dtype}", partial(_activated, kind), some)
        for kind in BinaryKind:
            yield from _case(f"binary_{kind}_{dtype}", partial(_combined, kind), *pair)
        for kind in CompareKind:
            yield from _case(f"compare_{kind}_{dtype}", partial(_compared, kind), *pair)
        for to in REAL:
            yield from _case(f"cast_{to}_{dtype}", partial(_converted, to), some)


def _activated(kind: Activation, g: Graph, x: Tensor) -> Tensor:
    return g.activation(kind, x)


def _combined(kind: BinaryKind, g: Graph, x: Tensor, y: Tensor) -> Tensor:
    return g.binary(kind, x, y)


def _compared(kind: CompareKind, g: Graph, x: Tensor, y: Tensor) -> Tensor:
    return g.compare(kind, x, y)


def _converted(to: str, g: Graph, x: Tensor) -> Tensor:
    return g.cast(x, to)


def _reduced(kind: ReduceKind, g: Graph, x: Tensor) -> Tensor:
    return g.reduce(kind, x, [0], False)


def _case(name: str, build: Build, *arrays: Array) -> Iterator[Case]:
    """The program on these arrays, if the verifier takes it."""
    try:
        yield name, program_of(build, *arrays), {"edges": {f"x{i}": array for i, array in enumerate(arrays)}}
    except (ValueError, VerifyException):
        return


ORDERED: Mapping[str, Build] = {
    "sort": lambda g, x: g.sort(x, 0),
    "argsort": lambda g, x: g.argsort(x, 0),
    "top_k": lambda g, x: g.top_k(x, x.shape[0] // 2, 0),
    "top_all": lambda g, x: g.top_k(x, x.shape[0], 0),
    "cumsum": lambda g, x: g.cumsum(x, 0),
    "cumprod": lambda g, x: g.cumprod(x, 0),
    "cummax": lambda g, x: g.cummax(x, 0),
    "softmax": lambda g, x: g.softmax(x, 0),
    "arg_max": lambda g, x: g.arg_max(x, 0),
    "arg_min": lambda g, x: g.arg_min(x, 0),
}
"""What goes along a row."""


def rows() -> Iterator[Case]:
    """Whole rows, of no element, of one, and of many."""
    reductions: Mapping[str, Build] = {f"reduce_{kind}": partial(_reduced, kind) for kind in ReduceKind}
    for dtype, (word, build), size in product(REAL, {**ORDERED, **reductions}.items(), (0, 1, 5, 70)):
        empty = np.zeros(size, numpy_dtype(DTYPES[dtype].type))
        for name, module, _ in _case(f"{word}_{dtype}_{size}", build, empty):
            yield name, module, dict(_draws(module, size))


def ops() -> Iterator[Case]:
    """The examples of all ops with all element types."""
    for op, mine in examples().items():
        for number, each in enumerate(mine):
            if each.label not in (UNKNOWN, UNKNOWN_F64):
                yield f"{op.removeprefix('rlx.')}_{each.label}_{number}", each.module, dict(_draws(each.module, number))


def _draws(module: ModuleOp, seed: int) -> Iterator[tuple[str, Inputs]]:
    rng = np.random.default_rng([seed, 23])
    for what in DRAWS:
        found: dict[str, Array] = {}
        for binding in arguments_of(find_function(module)):
            dims, element = of_type(cast("TensorType[Attribute]", binding.type))
            found[binding.name] = drawn(what, dims, numpy_dtype(element), rng)
        yield what, found


def drawn(what: str, shape: Sequence[int], dtype: np.dtype[Any], rng: np.random.Generator) -> Array:
    """An array of one of `DRAWS`."""
    if dtype.kind == "c":
        real, imag = (drawn(what, shape, np.dtype(np.float32), rng) for _ in range(2))
        return (real + 1j * imag).astype(dtype)
    if dtype.kind in "iub":
        return rng.choice(edges(dtype) if what == "wild" else np.array([0, 1, 1, 2], dtype), shape)
    numbers = np.array([0.0, -0.0, 1, 1, -1, 2, 0.5]).astype(dtype)
    array = rng.choice(numbers, shape)
    odd = {"ties": None, "nan": [np.nan], "inf": [rng.choice([np.inf, -np.inf])], "wild": edges(dtype)}[what]
    if odd is None:
        return array
    return np.where(
        rng.random(shape) < (0.5 if what == "wild" else 0.1), rng.choice(np.array(odd).astype(dtype), shape), array
    )


def cases(steady: bool, word: str = "") -> Iterator[Case]:
    """Those that start with `word`; floats of 8 bits are no type of a kernel."""
    for case in chain(elementwise(), rows(), ops()):
        name, module, inputs = case
        if not name.startswith(word) or "_f8e" in name:
            continue
        if steady and not name.startswith(STEADY):
            continue
        # Sums of edges of all kinds overflow, or do not, by their order.
        closed = {what: each for what, each in inputs.items() if what != "wild" and what not in left_open(name)}
        if closed:
            yield name, module, closed


def left_open(name: str) -> set[str]:
    """The draws that give a case what its op leaves open."""
    complexes = ("inf",) if "_c64" in name else ()
    return {what for start, draws in OPEN.items() if name.startswith(start) for what in draws} | set(complexes)


def flushed(array: Array) -> Array:
    """An array with 0 for its numbers below the smallest normal one."""
    if array.dtype.kind in "iub":
        return array
    numbers = array.view(np.float32) if array.dtype.kind == "c" else array
    small = np.abs(numbers) < float(_limits(numbers.dtype).tiny)
    return np.where(small, np.copysign(np.zeros_like(numbers), numbers), numbers).view(array.dtype)


def fault(program: Program, module: ModuleOp, inputs: Inputs, *, signs: bool, flushing: bool) -> str:
    """What is wrong with a run; empty where it gives what the reference gives, which may be the sign of a zero too."""
    each = flushed if flushing else np.asarray
    inputs = {name: each(array) for name, array in inputs.items()}
    with np.errstate(all="ignore"):
        try:
            expected = run(module, None, inputs)
        except (IndexError, np.linalg.LinAlgError):
            expected = {}  # what an index outside of a table gives is open, and a singular matrix
        except (ValueError, ArithmeticError) as error:
            return f"the reference: {type(error).__name__}: {error}"
    try:
        got = program(inputs)
    except RlxError as error:
        return f"refused: {error}" if expected else ""
    for name, value in expected.items():
        if wrong := difference(each(got[name]), each(value)):
            return wrong
        if not signs or value.dtype.kind != "f":
            continue
        unequal = (np.signbit(got[name]) != np.signbit(value)) & (value == 0)
        if unequal.any():
            return f"sign of zero at {np.argwhere(unequal)[0].tolist()}"
    return ""


def main(backend: str, which: str, part: str, parts: str, word: str = "") -> None:
    found = list(cases(which == "steady", word))[int(part) :: int(parts)]
    chosen = {name: (module, draws) for name, module, draws in found}
    print(f"- compiling {len(chosen)}", flush=True)
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        modules = {name: module for name, (module, _) in chosen.items()}
        for name, program in compiled(modules, backend, "", Path(folder)):
            module, draws = chosen[name]
            signs = backend in SIGNED and name.startswith(STEADY) and not name.startswith(UNSIGNED)
            for what, inputs in draws.items():
                if any(name.startswith(start) and what in left for start, left in OPEN_ON.get(backend, {}).items()):
                    continue
                print(f"- {name} {what}", flush=True)
                runs += 1
                if wrong := fault(program, module, inputs, signs=signs, flushing=backend in FLUSHING):
                    print(f"! {name} {what}: {wrong}", flush=True)
    print(f"= {runs} runs", flush=True)


def hunt(backend: str, which: str, part: int, parts: int, word: str = "") -> list[str]:
    """What went wrong in a process of its own; the run that ended it comes last."""
    return faults_of(__file__, backend, which, str(part), str(parts), word)


if __name__ == "__main__":
    main(*sys.argv[1:])
