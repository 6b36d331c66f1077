"""Random programs over sizes that only a run knows, and sizes to run them with: fitting, odd, empty, 1 and huge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import Activation, CompareKind, Extremum, PadMode, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.reference import Array
from rlx_dialect.shapes import DYNAMIC, Shaped, of_type
from rlx_dialect.signature import DIMS, arguments_of, dims_of, find_function

HUGE = 2**40
LARGE = 70_000
LARGEST = 2**22
"""As many elements has an input at most."""

INTEGERS = (0, 1, 2, 3, -1, -2, 7, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63))
"""What indices, starts and lengths are."""

Shape = tuple[str | int, ...]
"""A dim by its name, or its size."""


class OddProgram:
    """A function in the making, of a few ops on tensors of up to three dims. A seed says it all."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng([seed, 7])
        self.graph = Graph()
        self.pool: list[Tensor] = []
        self.named: list[Shape | None] = []
        for _ in range(int(self.rng.integers(2, 4))):
            self.pool.append(self.argument("f32"))
        pieces = list(PIECES)
        made = 0
        while made < 5:
            made += self.attempt(pieces[self.rng.integers(len(pieces))])
        for i, tensor in enumerate(self.pool[-2:]):
            self.graph.output(f"out{i}", tensor)

    def attempt(self, piece: Callable[[OddProgram], Tensor]) -> bool:
        """Whether the piece fits to what there is."""
        try:
            new = piece(self)
        except (ValueError, IndexError):
            return False
        if new.dtype == "f32" and 1 <= len(new.shape) <= 3:
            self.pool.append(new)
        return True

    def argument(self, dtype: str, rank: int = 0) -> Tensor:
        rank = rank or int(self.rng.integers(1, 4))
        names = [("n", "m", "k", "n", 4, 16)[self.rng.integers(6)] for _ in range(rank)]
        tensor = self.graph.input(f"x{len(self.named)}", [None if isinstance(n, str) else n for n in names], dtype)
        named = bool(self.rng.random() < 0.4)
        self.named.append(tuple(names) if named and any(isinstance(n, str) for n in names) else None)
        return tensor

    def scalar(self, dtype: str) -> Tensor:
        self.named.append(None)
        return self.graph.input(f"x{len(self.named) - 1}", (), dtype)

    def any(self) -> Tensor:
        """A tensor of the program, more often a late one."""
        return self.pool[-1 - int(min(self.rng.exponential(1.5), len(self.pool) - 1))]

    def axis(self, x: Tensor) -> int:
        return int(self.rng.integers(len(x.shape)))

    def by_axis(self, x: Tensor, *choices: int) -> list[int]:
        return [choices[self.rng.integers(len(choices))] for _ in x.shape]

    def module(self) -> ModuleOp:
        module = self.graph.module()
        func = find_function(module)
        attributes = list(func.arg_attrs.data) if func.arg_attrs else [DictionaryAttr({}) for _ in func.args]
        for i, names in enumerate(self.named):
            if names is not None:
                dims = [StringAttr(n) if isinstance(n, str) else IntegerAttr(n, i64) for n in names]
                attributes[i] = DictionaryAttr({**attributes[i].data, DIMS: ArrayAttr(dims)})
        func.arg_attrs = ArrayAttr(attributes)
        return without_dead(module)


def _sizes(p: OddProgram, x: Tensor) -> list[int | SSAValue]:
    return [p.graph.dim(x, axis) if size == DYNAMIC else size for axis, size in enumerate(x.shape)]


def _two(p: OddProgram) -> Tensor:
    return p.any() + p.any()


def _product(p: OddProgram) -> Tensor:
    return p.graph.matmul(p.any(), p.any())


def _joined(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.concat([x, p.any()], p.axis(x))


def _merged(p: OddProgram) -> Tensor:
    x = p.any()
    first, second, *rest = _sizes(p, x)
    return p.graph.reshape(x, [p.graph.size("*", first, second), *rest])


def _split(p: OddProgram) -> Tensor:
    """Into as many as another tensor has."""
    x = p.any()
    first, *rest = _sizes(p, x)
    by = _sizes(p, p.any())[0]
    return p.graph.reshape(x, [p.graph.size("//", first, by), by, *rest])


def _as_other(p: OddProgram) -> Tensor:
    return p.graph.reshape(p.any(), _sizes(p, p.any()))


def _part(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.narrow(x, p.axis(x), int(p.rng.integers(3)), int(p.rng.integers(4)))


def _sliced(p: OddProgram) -> Tensor:
    x, other = p.any(), p.any()
    sizes = _sizes(p, x)
    sizes[0] = p.graph.size("//", _sizes(p, other)[0], int(p.rng.integers(1, 4)))
    return p.graph.slice(x, p.by_axis(x, 0, 0, 1), sizes, p.by_axis(x, 1, 1, 2))


def _backwards(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.slice(x, [3] * len(x.shape), [2] * len(x.shape), [-1] * len(x.shape))


def _padded(p: OddProgram) -> Tensor:
    x = p.any()
    mode = list(PadMode)[p.rng.integers(len(PadMode))]
    low, high = (p.by_axis(x, 0, 1, -1 if mode is PadMode.CONSTANT else 2) for _ in range(2))
    return p.graph.pad(x, low, high, mode)


def _reduced(p: OddProgram) -> Tensor:
    x = p.any()
    kind = (ReduceKind.SUM, ReduceKind.MAX, ReduceKind.MEAN)[p.rng.integers(3)]
    return p.graph.reduce(kind, x, [p.axis(x)], bool(p.rng.integers(2)))


def _softmax(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.softmax(x, p.axis(x))


def _turned(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.transpose(x, [int(axis) for axis in p.rng.permutation(len(x.shape))])


def _tiled(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.tile(x, p.by_axis(x, 1, 2, 0, 1))


def _stepped(p: OddProgram) -> Tensor:
    """A tensor of numbers that rounding does not put in another order."""
    return p.graph.activation(Activation.FLOOR, p.any() * 3.0 + 0.137)


def _largest(p: OddProgram) -> Tensor:
    x = _stepped(p)
    values, places = p.graph.top_k(x, int(p.rng.integers(4)), p.axis(x))
    return values + p.graph.cast(places, "f32")


def _place(p: OddProgram) -> Tensor:
    x = _stepped(p)
    values, places = p.graph.arg_reduce(Extremum.MAX, x, p.axis(x), keep_dims=True)
    return values + p.graph.cast(places, "f32")


def _taken(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.gather(x, p.argument(("i64", "i32")[p.rng.integers(2)], 1), p.axis(x))


def _taken_by_element(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.gather_elements(x, p.argument("i64", len(x.shape)), p.axis(x))


def _put(p: OddProgram) -> Tensor:
    x = p.any()
    axis, indices = p.axis(x), p.argument("i64", len(x.shape))
    return p.graph.scatter_elements(x, indices, p.graph.cast(indices, "f32"), axis)


def _started(p: OddProgram) -> Tensor:
    x = p.any()
    starts = [p.scalar("i64") for _ in x.shape]
    return p.graph.dynamic_slice(x, starts, p.by_axis(x, 0, 1, 2))


def _updated(p: OddProgram) -> Tensor:
    x = p.any()
    starts = [p.scalar("i64") for _ in x.shape]
    return p.graph.dynamic_update_slice(x, p.any(), starts)


def _stretched(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.expand(x, [_sizes(p, p.any())[0], *_sizes(p, x)])


def _told(p: OddProgram) -> Tensor:
    """As many rows as an input says."""
    x = p.any()
    rows = p.graph.size_at(p.scalar("i64"))
    return p.graph.expand(p.graph.reduce(ReduceKind.SUM, x, [0], True), [rows, *_sizes(p, x)[1:]])


def _counted(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.cast(p.graph.iota(_sizes(p, x), p.axis(x)), "f32")


def _running(p: OddProgram) -> Tensor:
    x = p.any()
    return p.graph.cumsum(x, p.axis(x))


def _chosen(p: OddProgram) -> Tensor:
    x, y = p.any(), p.any()
    return p.graph.where(p.graph.compare(CompareKind.LT, x, y), x, 0.5)


def _convolved(p: OddProgram) -> Tensor:
    return p.graph.conv(p.any(), p.any(), stride=int(p.rng.integers(1, 3)), padding=int(p.rng.integers(2)))


def _branched(p: OddProgram) -> Tensor:
    x, y = p.any(), p.any()
    (found,) = p.graph.cond(p.scalar("i1"), [x, y], lambda a, b: [a + b], lambda a, b: [a.graph.tanh(a)])
    return found


PIECES: Sequence[Callable[[OddProgram], Tensor]] = (
    *(_two, _two, _two, _product, _joined, _merged, _split, _as_other, _part, _sliced, _backwards, _padded, _reduced),
    *(_softmax, _turned, _tiled, _largest, _place, _taken, _taken_by_element, _put, _started, _updated, _stretched),
    *(_told, _counted, _running, _chosen, _convolved, _branched),
)


def without_dead(module: ModuleOp) -> ModuleOp:
    """The same without the ops that nothing reads but what was given up: nothing relies on what they rely on."""
    for op in reversed(list(module.walk())):
        uses = [use for result in op.results for use in result.uses if use.operation.parent is not None]
        if op.results and not uses:
            op.detach()
            op.erase(safe_erase=False)
    return module


Inputs = Mapping[str, Array]
"""Inputs and params, by name."""

Axis = tuple[int, int, object]
"""The place of an argument, one of its axes that is open, and what axes of one size share."""


def draws(module: ModuleOp, seed: int) -> Iterator[tuple[str, Inputs]]:
    """Inputs, each with what its sizes are like."""
    func = find_function(module)
    rng = np.random.default_rng([seed, 11])
    named = dims_of(func)
    axes: list[Axis] = []
    for i, type in enumerate(func.function_type.inputs):
        names = named[i]
        for axis, size in enumerate(_shaped(type).dims):
            if size == DYNAMIC:
                axes.append((i, axis, (i, axis) if names is None else names[axis]))
    for what, sizes in _sizes_of(axes, rng):
        inputs = _inputs(module, {(i, axis): size for (i, axis, _), size in zip(axes, sizes)}, rng)
        if inputs is not None:
            yield what, inputs


def _sizes_of(axes: Sequence[Axis], rng: np.random.Generator) -> Iterator[tuple[str, Sequence[int]]]:
    """What the sizes are like, and one for each axis."""
    for size in (3, 4, 1, 0) if axes else (3, 4):
        yield f"all {size}", [size] * len(axes)
    for _ in range(3 if axes else 0):
        drawn = {name: int(rng.choice((0, 1, 2, 3, 4, 16))) for *_, name in axes}
        yield "by name", [drawn[name] for *_, name in axes]
        yield "odd", rng.choice((0, 1, 2, 3, 4, 5), len(axes)).tolist()
    for large, small in ((HUGE, 0), (LARGE, 1)) if axes else ():
        drawn = {name: large if rng.random() < 0.3 else small for *_, name in axes}
        drawn[axes[int(rng.integers(len(axes)))][2]] = large
        yield f"huge {large}", [drawn[name] for *_, name in axes]


def _shaped(type: Attribute) -> Shaped:
    assert isinstance(type, TensorType)
    return of_type(cast("TensorType[Attribute]", type))


def _inputs(module: ModuleOp, sizes: Mapping[tuple[int, int], int], rng: np.random.Generator) -> Inputs | None:
    """Arrays of these sizes; None where they would be too large."""
    found: dict[str, Array] = {}
    for i, binding in enumerate(arguments_of(find_function(module))):
        dims, element = _shaped(binding.type)
        shape = [sizes[i, axis] if size == DYNAMIC else size for axis, size in enumerate(dims)]
        if prod(shape) > LARGEST or prod(filter(None, shape)) > 2**60:
            return None
        found[binding.name] = _values(shape, numpy_dtype(element), rng)
    return found


def _values(shape: Sequence[int], dtype: np.dtype[Any], rng: np.random.Generator) -> Array:
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        wild = [number for number in INTEGERS if limits.min <= number <= limits.max]
        return rng.choice(np.array(wild if rng.random() < 0.4 else [0, 1, 2], dtype), shape)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)
