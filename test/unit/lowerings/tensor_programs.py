"""Random programs of linalg, slices, branches and loops over tensors, each with what NumPy makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

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


@dataclass
class Program:
    """A function in the making: text, what it does to arrays, the values that it may read."""

    rng: np.random.Generator
    element: str
    lines: list[str] = field(default_factory=list[str])
    steps: list[Step] = field(default_factory=list[Step])
    pool: list[tuple[str, Shape]] = field(default_factory=list[tuple[str, Shape]])
    count: list[int] = field(default_factory=lambda: [0])

    def inside(self, *more: tuple[str, Shape]) -> Program:
        return Program(self.rng, self.element, pool=[*self.pool, *more], count=self.count)

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

    # Statements

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

    # Control flow

    def body(self, depth: int) -> None:
        for _ in range(self.pick(1, 2, 3, 4)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        simple = (
            *(self.elementwise, self.elementwise, self.reduction, self.slice, self.slice, self.insert, self.insert),
            *(self.concat, self.reshape, self.transpose),
        )
        if depth and self.chance(0.35):
            self.pick(self.loop, self.loop, self.branch)(depth - 1)
        else:
            before = len(self.pool)
            for _ in range(5):
                self.pick(*simple)()
                if len(self.pool) > before:
                    return

    def branch(self, depth: int) -> None:
        holder = [(name, shape) for name, shape in self.pool if 0 not in shape]
        if not holder:
            return
        x, shape = self.pick(*holder)
        at = [int(self.rng.integers(size)) for size in shape]
        places = [self.name() for _ in at]
        self.lines += [f"{place} = arith.constant {each} : index" for place, each in zip(places, at)]
        number, zero, condition = (self.name() for _ in range(3))
        real = self.element[0] == "f"
        self.lines.append(f"{number} = tensor.extract {x}[{', '.join(places)}] : {self.type(shape)}")
        self.lines.append(f"{zero} = arith.constant {'0.0' if real else '0'} : {self.element}")
        compare = "arith.cmpf ogt" if real else "arith.cmpi sgt"
        self.lines.append(f"{condition} = {compare}, {number}, {zero} : {self.element}")
        arms = [self.inside(), self.inside()]
        for arm in arms:
            arm.body(depth)
        shapes = [shape for _, shape in (self.any() for _ in range(self.pick(1, 2, 3)))]
        flags = [self.chance(0.3) for _ in shapes]
        given = [[arm.pick(*arm.like(shape)) for shape in shapes] for arm in arms]
        names = [self.name() for _ in shapes]
        types = self.types(shapes, flags)
        ends: list[str] = []
        for arm, values in zip(arms, given):
            handed = [arm.opened(v, s) if flag else v for v, s, flag in zip(values, shapes, flags)]
            ends.append("\n".join([*arm.lines, f"scf.yield {', '.join(handed)} : {', '.join(types)}"]))
        self.lines.append(
            f"{', '.join(names)} = scf.if {condition} -> ({', '.join(types)}) {{\n{ends[0]}\n}} else {{\n{ends[1]}\n}}"
        )

        def step(env: Env) -> None:
            arm = 0 if env[x][tuple(at)] > 0 else 1
            inner = dict(env)
            arms[arm].run(inner)
            env.update({name: inner[value] for name, value in zip(names, given[arm])})

        self.steps.append(step)
        self.bind(names, shapes, flags)

    def types(self, shapes: Sequence[Shape], flags: Sequence[bool]) -> list[str]:
        return [self.type(shape) if not flag else self.open_type(shape) for shape, flag in zip(shapes, flags)]

    def open_type(self, shape: Shape) -> str:
        return f"tensor<{'?x' * len(shape)}{self.element}>"

    def opened(self, name: str, shape: Shape) -> str:
        """A value as one of sizes that only a run knows."""
        if not shape:
            return name
        self.lines.append(f"{(new := self.name())} = tensor.cast {name} : {self.type(shape)} to {self.open_type(shape)}")
        return new

    def bind(self, names: Sequence[str], shapes: Sequence[Shape], flags: Sequence[bool]) -> None:
        """Have values to read, with their sizes."""
        for name, shape, flag in zip(names, shapes, flags):
            if flag and shape:
                new = self.name()
                self.lines.append(f"{new} = tensor.cast {name} : {self.open_type(shape)} to {self.type(shape)}")
                self.steps.append(lambda env, new=new, name=name: env.update({new: env[name]}))
                self.pool.append((new, shape))
            else:
                self.pool.append((name, shape))

    def loop(self, depth: int) -> None:
        rounds = self.pick(0, 1, 2, 3)
        start = [self.any() for _ in range(self.pick(1, 2, 3))]
        if self.chance(0.5):
            first, shape = start[0]
            start.append((self.pick(*self.like(shape)), shape))
        shapes = [shape for _, shape in start]
        flags = [self.chance(0.35) for _ in shapes]
        types = self.types(shapes, flags)
        args = [self.name() for _ in start]
        zero, one, end, counter = (self.name() for _ in range(4))
        self.lines += [
            f"{name} = arith.constant {n} : index" for name, n in zip((zero, one, end), (0, 1, rounds))
        ]
        begin = [self.opened(name, shape) if flag else name for (name, shape), flag in zip(start, flags)]
        inner = self.inside()
        inner.bind(args, shapes, flags)
        inner.body(depth)
        given: list[str] = []
        handed: list[str] = []
        for shape, flag, type in zip(shapes, flags, types):
            direct = [arg for arg, other, kind in zip(args, shapes, types) if other == shape and kind == type]
            if self.chance(0.4):
                given.append(self.pick(*direct))
                handed.append(given[-1])
            else:
                given.append(inner.pick(*inner.like(shape)))
                handed.append(inner.opened(given[-1], shape) if flag else given[-1])
        names = [self.name() for _ in start]
        while_ = self.chance(0.3)
        if while_:
            text = self.while_text(args, begin, types, (counter, zero, one, end), inner, handed)
            outs = ", ".join([self.name(), *names])
        else:
            carried = ", ".join(f"{arg} = {value}" for arg, value in zip(args, begin))
            text = (
                f"scf.for {counter} = {zero} to {end} step {one} iter_args({carried}) -> ({', '.join(types)}) {{\n"
                + "\n".join([*inner.lines, f"scf.yield {', '.join(handed)} : {', '.join(types)}", "}"])
            )
            outs = ", ".join(names)
        self.lines.append(f"{outs} = {text}")

        def step(env: Env) -> None:
            values = [env[name] for name, _ in start]
            for _ in range(rounds):
                scope = {**env, **dict(zip(args, values))}
                inner.run(scope)
                values = [scope[name] for name in given]
            env.update(dict(zip(names, values)))

        self.steps.append(step)
        self.bind(names, shapes, flags)

    def while_text(
        self,
        args: Sequence[str],
        begin: Sequence[str],
        types: Sequence[str],
        numbers: tuple[str, str, str, str],
        inner: Program,
        handed: Sequence[str],
    ) -> str:
        counter, zero, one, end = numbers
        more, next_, before = self.name(), self.name(), self.name()
        tests = [self.name() for _ in args]
        all_types = ", ".join(["index", *types])
        carried = ", ".join(f"{arg} = {value}" for arg, value in zip((before, *tests), (zero, *begin)))
        block = ", ".join(f"{arg}: {type}" for arg, type in zip((counter, *args), ("index", *types)))
        return "\n".join([
            f"scf.while ({carried}) : ({all_types}) -> ({all_types}) {{",
            f"{more} = arith.cmpi slt, {before}, {end} : index",
            f"scf.condition({more}) {', '.join([before, *tests])} : {all_types}",
            "} do {",
            f"^bb0({block}):",
            *inner.lines,
            f"{next_} = arith.addi {counter}, {one} : index",
            f"scf.yield {', '.join([next_, *handed])} : {all_types}",
            "}",
        ])


def quoted(text: str) -> str:
    return f'"{text}"'


@dataclass(frozen=True)
class Case:
    """A function as text, its arguments and what it returns for them."""

    name: str
    text: str
    inputs: list[Array]
    results: list[Array]


def case(seed: int) -> Case:
    """A random program."""
    rng = np.random.default_rng(seed)
    program = Program(rng, str(rng.choice(list(DTYPES), p=[0.4, 0.1, 0.4, 0.1])))
    sizes = [1, 2, 3, 4, 5, 0]
    chosen = [int(each) for each in rng.choice(sizes, 3, p=[0.15, 0.2, 0.25, 0.2, 0.15, 0.05])]
    inputs: list[Array] = []
    for number in range(program.pick(1, 2, 3)):
        shape = tuple(program.pick(*chosen) for _ in range(program.pick(0, 1, 2, 2, 2, 3)))
        program.pool.append((f"%x{number}", shape))
        inputs.append(rng.integers(-4, 5, shape).astype(DTYPES[program.element]))
    arguments = list(program.pool)
    for _ in range(program.pick(3, 5, 8)):
        program.statement(2)
    env = {name: value for (name, _), value in zip(arguments, inputs)}
    program.run(env)
    results = [program.any() for _ in range(program.pick(1, 2, 3))]
    if program.chance(0.2):
        results.append(program.pick(*arguments, results[0]))
    types = ", ".join(program.type(shape) for _, shape in results)
    name = f"p{seed}"
    text = "\n".join([
        f"func.func @{name}({', '.join(f'{x}: {program.type(shape)}' for x, shape in arguments)}) -> ({types}) {{",
        *program.lines,
        f"func.return {', '.join(value for value, _ in results)} : {types}",
        "}",
    ])
    return Case(name, text, inputs, [env[value] for value, _ in results])
