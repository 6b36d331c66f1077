"""Random programs of linalg, slices, branches and loops over tensors, each with what NumPy makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tensor_statements import DTYPES, Array, Env, Shape, Statements


class Program(Statements):
    """A function in the making, with branches and loops."""

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
        new = self.name()
        self.lines.append(f"{new} = tensor.cast {name} : {self.type(shape)} to {self.open_type(shape)}")
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
            _, shape = start[0]
            start.append((self.pick(*self.like(shape)), shape))
        shapes = [shape for _, shape in start]
        flags = [self.chance(0.35) for _ in shapes]
        types = self.types(shapes, flags)
        args = [self.name() for _ in start]
        zero, one, end, counter = (self.name() for _ in range(4))
        self.lines += [f"{name} = arith.constant {n} : index" for name, n in zip((zero, one, end), (0, 1, rounds))]
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
        return "\n".join(
            [
                f"scf.while ({carried}) : ({all_types}) -> ({all_types}) {{",
                f"{more} = arith.cmpi slt, {before}, {end} : index",
                f"scf.condition({more}) {', '.join([before, *tests])} : {all_types}",
                "} do {",
                f"^bb0({block}):",
                *inner.lines,
                f"{next_} = arith.addi {counter}, {one} : index",
                f"scf.yield {', '.join([next_, *handed])} : {all_types}",
                "}",
            ]
        )


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
    text = "\n".join(
        [
            f"func.func @{name}({', '.join(f'{x}: {program.type(shape)}' for x, shape in arguments)}) -> ({types}) {{",
            *program.lines,
            f"func.return {', '.join(value for value, _ in results)} : {types}",
            "}",
        ]
    )
    return Case(name, text, inputs, [env[value] for value, _ in results])
