"""Random statements over tensors, of linalg and slices, each with what NumPy makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, ...]
Env = dict[str, Array]
Step = Callable[[Env], None]

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8}
OPS = {"add": np.add, "sub": np.subtract, "max": np.maximum, "min": np.minimum}
"""Exact on small numbers, whatever the order of sums; integers wrap."""


def op_name(kind: str, element: str) -> str:
    if element.startswith("f"):
        return {"add": "addf", "sub": "subf", "max": "maximumf", "min": "minimumf"}[kind]
    return {"add": "addi", "sub": "subi", "max": "maxsi", "min": "minsi"}[kind]


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def quoted(text: str) -> str:
    return f'"{text}"'


@dataclass
class Statements:
    """Statements of a function in the making: text, what they do to arrays, the values that they may read."""

    rng: np.random.Generator
    element: str
    lines: list[str] = field(default_factory=list[str])
    steps: list[Step] = field(default_factory=list[Step])
    pool: list[tuple[str, Shape]] = field(default_factory=list[tuple[str, Shape]])
    count: list[int] = field(default_factory=lambda: [0])

    def inside(self, *more: tuple[str, Shape]) -> Self:
        return type(self)(self.rng, self.element, pool=[*self.pool, *more], count=self.count)

    def name(self) -> str:
        self.count[0] += 1
        return f"%v{self.count[0]}"

    def pick(self, *options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def type(self, shape: Sequence[int]) -> str:
        return tensor(shape, self.element)

    def any(self) -> tuple[str, Shape]:
        """A value, one of the last more often."""
        return self.pool[-1 - min(int(self.rng.exponential(4)), len(self.pool) - 1)]

    def like(self, shape: Shape) -> list[str]:
        return [name for name, other in self.pool if other == shape]

    def add(self, text: str, shape: Shape, step: Callable[[Env], Array], name: str | None = None) -> str:
        name = name or self.name()
        self.lines.append(f"{name} = {text}")
        self.steps.append(lambda env: env.update({name: np.array(step(env), DTYPES[self.element])}))
        self.pool.append((name, shape))
        return name

    def run(self, env: Env) -> None:
        for step in self.steps:
            step(env)

    def empty(self, shape: Shape) -> str:
        name = self.name()
        self.lines.append(f"{name} = tensor.empty() : {self.type(shape)}")
        return name

    def indices(self, shape: Shape, loops: Shape) -> list[int | None] | None:
        """For each axis of `shape` a loop of its size, or None for the first element of one."""
        found: list[int | None] = []
        for size in shape:
            fitting = [loop for loop, rounds in enumerate(loops) if rounds == size]
            if size == 1 and self.chance(0.3):
                fitting = []
            if not fitting and size != 1:
                return None
            found.append(self.pick(*fitting) if fitting else None)
        return found

    def elementwise(self) -> None:
        x, loops = self.any()
        if not loops and self.chance(0.7):
            return
        inputs: list[tuple[str, Shape, list[int | None]]] = [(x, loops, list(range(len(loops))))]
        for _ in range(self.pick(0, 1, 1, 2)):
            y, shape = self.any()
            places = self.indices(shape, loops)
            if places is not None:
                inputs.append((y, shape, places))
        order = [int(each) for each in self.rng.permutation(len(loops))] if self.chance(0.3) else [*range(len(loops))]
        shape = tuple(loops[loop] for loop in order)
        self.generic(inputs, loops, order, shape, ["parallel"] * len(loops), None)

    def reduction(self) -> None:
        x, shape = self.any()
        order = [int(each) for each in self.rng.permutation(len(shape))]
        loops = tuple(shape[axis] for axis in order)
        kept = [loop for loop in range(len(loops)) if self.chance(0.5)]
        if self.chance(0.3):
            kept.reverse()
        kinds = ["parallel" if loop in kept else "reduction" for loop in range(len(loops))]
        result = tuple(loops[loop] for loop in kept)
        places: list[int | None] = [order.index(axis) for axis in range(len(shape))]
        self.generic([(x, shape, places)], loops, kept, result, kinds, self.pick("add", "max"))

    def generic(
        self,
        inputs: list[tuple[str, Shape, list[int | None]]],
        loops: Shape,
        out: list[int],
        shape: Shape,
        kinds: list[str],
        sums: str | None,
    ) -> None:
        element, dtype = self.element, DTYPES[self.element]
        start = self.like(shape)
        keeps = sums is not None
        old = self.pick(*start) if start and self.chance(0.5 if sums else 0.3) else None
        target = old or self.empty(shape)
        if sums is not None and old is None:
            number, fill = self.name(), self.name()
            self.lines.append(f"{number} = arith.constant {'0.0' if element[0] == 'f' else '0'} : {element}")
            self.lines.append(
                f"{fill} = linalg.fill ins({number} : {element}) outs({target} : {self.type(shape)})"
                f" -> {self.type(shape)}"
            )
            target = fill
        elif sums is None and old is not None and self.chance(0.3):
            keeps = True
        dims = ", ".join(f"d{loop}" for loop in range(len(loops)))
        given = [*(places for _, _, places in inputs), out]
        maps = ", ".join(
            f"affine_map<({dims}) -> ({', '.join('0' if at is None else f'd{at}' for at in places)})>"
            for places in given
        )
        names = [f"%a{i}" for i in range(len(inputs))]
        body: list[str] = []
        value = names[0]
        steps: list[tuple[Any, int | str]] = []
        for i in range(1, len(names)):
            kind = self.pick(*OPS)
            body.append(f"%t{i} = arith.{op_name(kind, element)} {value}, {names[i]} : {element}")
            steps.append((OPS[kind], i))
            value = f"%t{i}"
        counted = None
        if element == "i32" and loops and self.chance(0.2):
            counted = int(self.rng.integers(len(loops)))
            body.append(f"%n = linalg.index {counted} : index")
            body.append(f"%m = arith.index_cast %n : index to {element}")
            body.append(f"%u = arith.addi {value}, %m : {element}")
            value = "%u"
        last = OPS[sums or "add"]
        if keeps:
            body.append(f"%s = arith.{op_name(sums or 'add', element)} %o, {value} : {element}")
            value = "%s"
        types = ", ".join(self.type(shape) for _, shape, _ in inputs)
        arguments = ", ".join(f"{name}: {element}" for name in (*names, "%o"))
        text = (
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{', '.join(map(quoted, kinds))}]}}"
            f" ins({', '.join(name for name, _, _ in inputs)} : {types}) outs({target} : {self.type(shape)}) {{\n"
            f"^bb0({arguments}):\n" + "\n".join([*body, f"linalg.yield {value} : {element}"]) + "\n"
            f"}} -> {self.type(shape)}"
        )

        def step(env: Env) -> Array:
            grid = np.indices(loops)
            read = [
                env[name][tuple(grid[at] if at is not None else np.zeros(loops, int) for at in places)]
                for name, _, places in inputs
            ]
            value = read[0].astype(dtype) if loops else np.array(read[0])
            for function, i in steps:
                value = function(value, read[int(i)]).astype(dtype)
            if counted is not None:
                value = (value + grid[counted]).astype(dtype)
            if not keeps:
                return np.transpose(value, out)
            begin = env[old] if old is not None else np.zeros(shape, dtype)
            whole = np.transpose(value, [*out, *(loop for loop in range(len(loops)) if loop not in out)])
            whole = whole.reshape(*shape, -1) if whole.size else np.zeros((*shape, 0), dtype)
            result = begin.copy()
            for number in range(whole.shape[-1]):
                result = last(result, whole[..., number]).astype(dtype)
            return result

        self.add(text, shape, step)

    def slice(self) -> None:
        x, shape = self.any()
        if not shape:
            return
        starts, sizes, steps = list[int](), list[int](), list[int]()
        for size in shape:
            taken = int(self.rng.integers(0 if self.chance(0.05) else min(1, size), size + 1))
            step = self.pick(1, 1, 2) if taken > 1 and (taken - 1) * 2 < size else 1
            starts.append(int(self.rng.integers(size - max(taken - 1, 0) * step - min(taken, 1) + 1)))
            sizes.append(taken)
            steps.append(step)
        result = tuple(size for size in sizes if size != 1 or self.chance(0.5))
        cut = tuple(slice(a, a + n * s, s) for a, n, s in zip(starts, sizes, steps))
        self.add(
            f"tensor.extract_slice {x}{starts} {sizes} {steps} : {self.type(shape)} to {self.type(result)}",
            result,
            lambda env: env[x][cut].reshape(result),
        )

    def insert(self) -> None:
        x, small = self.any()
        dest, shape = self.any()
        sizes = list(small)
        while len(sizes) < len(shape):
            sizes.insert(int(self.rng.integers(len(sizes) + 1)), 1)
        if len(sizes) != len(shape) or any(a > b for a, b in zip(sizes, shape)) or not shape:
            return
        starts, steps = list[int](), list[int]()
        for n, size in zip(sizes, shape):
            step = self.pick(1, 2) if n > 1 and (n - 1) * 2 < size else 1
            starts.append(int(self.rng.integers(size - max(n - 1, 0) * step - min(n, 1) + 1)))
            steps.append(step)
        cut = tuple(slice(a, a + n * s, s) for a, n, s in zip(starts, sizes, steps))

        def step_(env: Env) -> Array:
            result = env[dest].copy()
            result[cut] = env[x].reshape(sizes)
            return result

        self.add(
            f"tensor.insert_slice {x} into {dest}{starts} {sizes} {steps} : {self.type(small)} into {self.type(shape)}",
            shape,
            step_,
        )

    def concat(self) -> None:
        x, shape = self.any()
        if not shape:
            return
        axis = int(self.rng.integers(len(shape)))
        whole = tuple(2 * size if i == axis else size for i, size in enumerate(shape))
        y = self.pick(*self.like(shape))
        target = self.empty(whole)
        for number, each in enumerate((x, y)):
            at = [number * shape[axis] if i == axis else 0 for i in range(len(shape))]
            ones = [1] * len(shape)
            types = f"{self.type(shape)} into {self.type(whole)}"
            text = f"tensor.insert_slice {each} into {target}{at} {list(shape)} {ones} : {types}"
            if number:
                self.add(text, whole, lambda env: np.concatenate([env[x], env[y]], axis))
            else:
                target = self.name()
                self.lines.append(f"{target} = {text}")

    def reshape(self) -> None:
        x, shape = self.any()
        if len(shape) > 1 and self.chance(0.6):
            at = int(self.rng.integers(len(shape) - 1))
            result = (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])
            groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, len(shape))]
            op, tail = "collapse_shape", ""
        elif shape:
            at = int(self.rng.integers(len(shape)))
            first = self.pick(*(n for n in range(1, max(shape[at], 1) + 1) if shape[at] % n == 0))
            result = (*shape[:at], first, shape[at] // first, *shape[at + 1 :])
            groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i + 1] for i in range(at + 1, len(shape))]
            op, tail = "expand_shape", f" output_shape {list(result)}"
        else:
            return
        self.add(
            f"tensor.{op} {x} {groups}{tail} : {self.type(shape)} into {self.type(result)}",
            result,
            lambda env: env[x].reshape(result),
        )

    def transpose(self) -> None:
        x, shape = self.any()
        if len(shape) < 2:
            return
        order = [int(each) for each in self.rng.permutation(len(shape))]
        result = tuple(shape[axis] for axis in order)
        target = self.empty(result)
        self.lines.append(
            f"{(name := self.name())} = linalg.transpose ins({x}:{self.type(shape)})"
            f" outs({target}:{self.type(result)}) permutation = {order}"
        )
        self.steps.append(lambda env: env.update({name: np.transpose(env[x], order).copy()}))
        self.pool.append((name, result))
