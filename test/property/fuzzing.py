"""
Running passes over random programs and comparing what the programs compute before and after.

A failure is a program, the passes that change what it computes, and inputs; `shrink` makes the program smaller.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from typing import Any, cast

import numpy as np
from pieces import PIECES
from programs import random_array
from random_programs import Piece, make_module, make_program
from tolerances import NORM
from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters.scf import ScfFunctions
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from rlx_dialect.ops import ConvOp
from rlx_dialect.reference import IMPLEMENTATIONS, Array
from rlx_dialect.xdsl_repairs import verify_dominance
from rlx_passes.core.spec import PassSpec
from rlx_passes.pipeline.entries import fusion_passes_for_supported
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.row_options import Tuning
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.policy.policy import PACK_ATTENTION, POLICY
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.switches import environment

AGAIN = "a second run changes the program"

OPEN_SIZE = 3
"""What a `?` is when a program runs."""


@cache
def variants() -> Mapping[str, tuple[ModulePass, ...]]:
    """What runs over a program: each pass alone, the pipeline of each target, and one that makes every claim."""
    rows = [row.name for row in POLICY]
    alone = {name: create_passes([PassSpec(name)]) for name in (*rows, PACK_ATTENTION.name, "rlx-unfuse")}
    whole: dict[str, tuple[ModulePass, ...]] = {}
    raising = tuple(flatten(create_passes([PassSpec("rlx-raise")])))
    for name in builtin_targets():
        target = load_target(name)
        whole[f"target={name}"] = (
            *raising,
            *fusion_passes_for_supported(target.claims, FusionOptions.for_target(target), target).passes(),
        )
    with environment.overriding(RLX_ENABLE_FUSE_TRANSFORMER_LAYER="1"):
        everything = fusion_passes_for_supported(frozenset(), FusionOptions(), load_target("cuda"))
        whole["every claim"] = everything.passes(Tuning(pack_attention=True))
    unfuse = create_passes([PassSpec("rlx-unfuse")])
    return {**alone, **whole, "every claim, unfused": (*whole["every claim"], *unfuse)}


class Evaluator:
    """Runs functions of one module by the reference."""

    def __init__(self, module: ModuleOp):
        self.interpreter = Interpreter(module)
        for implementation in (*IMPLEMENTATIONS, ScfFunctions):
            self.interpreter.register_implementations(implementation())

    def __call__(self, func: FuncOp, inputs: Sequence[Any]) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            return self.interpreter.call_op(func, tuple(inputs))


def inputs_of(func: FuncOp, seed: int) -> tuple[Any, ...]:
    """
    Random arguments; in one program of twenty some elements are NaN or infinite.

    Not where there is a convolution: a scale after one is folded into its weight, which differs for infinities.
    """
    rng = np.random.default_rng((seed, 1))
    odd = rng.random() < 0.05 and not any(isinstance(op, ConvOp) for op in func.walk())
    return tuple(_argument(argument.type, rng, odd) for argument in func.args)


def _argument(type: Attribute, rng: np.random.Generator, odd: bool) -> Any:
    if not isinstance(type, TensorType):
        return bool(rng.random() < 0.5)
    array = random_array(cast(Attribute, type), rng, OPEN_SIZE)
    if odd and array.dtype == np.float32 and array.size and rng.random() < 0.3:
        array = array.copy()
        array.flat[int(rng.integers(array.size))] = rng.choice((np.nan, np.inf, -np.inf))
    return array


def functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}


def difference(got: Sequence[Array], wanted: Sequence[Array]) -> str:
    """How two tuples of results differ, or nothing."""
    if len(got) != len(wanted):
        return f"{len(wanted)} results became {len(got)}"
    for i, (a, b) in enumerate(zip(got, wanted)):
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            return f"result {i}: {b.dtype}{list(b.shape)} became {a.dtype}{list(a.shape)}"
        if (far := distance(a, b)) > 1:
            return f"result {i}: {far:.3g} times the tolerance apart"
    return ""


def distance(got: Array, wanted: Array) -> float:
    """The largest difference in units of the tolerance; infinite if NaN, infinities, integers or booleans differ."""
    name = wanted.dtype.name
    if name not in NORM:
        return 0.0 if np.array_equal(got, wanted) else np.inf
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return np.inf
    if not b.size:
        return 0.0
    a, b = np.where(finite, a, 0.0), np.where(finite, b, 0.0)
    norm = np.sqrt((b * b).sum(axis=-1, keepdims=True)) if b.ndim else np.abs(b)
    relative, absolute = NORM[name]
    return float((np.abs(a - b) / (relative * norm + absolute)).max())


@dataclass
class Failure:
    """A program that computes something else, or does not verify, after passes."""

    seed: int
    variant: str
    problem: str
    text: str = ""

    def __str__(self) -> str:
        return f"// seed {self.seed}, {self.variant}: {self.problem}\n{self.text}"


@dataclass
class Case:
    """One program: the function and its module, its inputs, and what it computes."""

    seed: int
    func: FuncOp
    module: ModuleOp
    inputs: tuple[Any, ...] = ()
    wanted: tuple[Any, ...] | None = None
    evaluate: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        self.evaluate = Evaluator(self.module)
        self.inputs = self.inputs or inputs_of(self.func, self.seed)

    def expected(self) -> tuple[Any, ...]:
        if self.wanted is None:
            self.wanted = self.evaluate(self.func, self.inputs)
        return self.wanted

    def problem(self, func: FuncOp, evaluate: Evaluator) -> str:
        """What is wrong with `func`, which passes have made of the program; nothing where it computes the same."""
        try:
            func.verify()
            verify_dominance(func)
            got = evaluate(func, self.inputs)
        except Exception as fault:
            return f"{type(fault).__name__}: {' '.join(str(fault).split())[:200]}"
        found = difference(got, self.expected())
        return found if found and not self.is_rounding(got) else ""

    def is_rounding(self, got: Sequence[Array]) -> bool:
        """Whether roundings explain the difference: inputs that differ in their last digit differ in it as much."""
        wanted = self.expected()
        if len(got) != len(wanted) or any((a.dtype, a.shape) != (b.dtype, b.shape) for a, b in zip(got, wanted)):
            return False
        worst = [0.0] * len(wanted)
        for seed in range(3):
            rng = np.random.default_rng((self.seed, 2, seed))
            moved = self.evaluate(self.func, [_moved(value, rng) for value in self.inputs])
            worst = [max(w, distance(a, b)) for w, a, b in zip(worst, moved, wanted)]
        return all(distance(a, b) <= 1 + 8 * w for w, a, b in zip(worst, got, wanted))


def _moved(value: Any, rng: np.random.Generator) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    array = cast(Array, value)
    if array.dtype.name not in NORM:
        return array
    step = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}[array.dtype.name]
    return (array.astype(np.float64) * (1 + step * rng.choice((-1, 1), array.shape))).astype(array.dtype)


def run(module: ModuleOp, passes: Sequence[ModulePass]) -> None:
    for pass_ in passes:
        pass_.apply(Context(), module)


def check(seeds: Sequence[int], pieces: Sequence[Piece], names: Sequence[str]) -> Iterator[Failure]:
    """Run the named variants over the programs of `seeds`; the failures, unshrunk."""
    cases: list[Case] = []
    for seed in seeds:
        func = make_program(seed, pieces, f"f{seed}")
        cases.append(Case(seed, func, make_module([func])))
    for case in cases:
        case.func.detach()
    module = make_module([case.func for case in cases])
    for case in cases:
        case.module = module
    module.verify()
    for name in names:
        yield from _check_variant(module, cases, name)


BATCH = 32
"""Programs that share a module, so that what a pass costs once is paid once."""

ALONE, WHOLE = 5, 3
"""How many single passes and whole pipelines run over a batch; batches take them in turn."""


def batches(start: int, count: int) -> Iterator[tuple[range, tuple[str, ...]]]:
    """The seeds from `start` on in batches, each with the variants that run over it."""
    alone = [name for name in variants() if name.startswith("rlx-")]
    whole = [name for name in variants() if name not in alone]
    for first in range(start, start + count, BATCH):
        turn = first // BATCH
        names = [alone[(turn * ALONE + i) % len(alone)] for i in range(ALONE)]
        names += [whole[(turn * WHOLE + i) % len(whole)] for i in range(WHOLE)]
        yield range(first, min(first + BATCH, start + count)), tuple(names)


def hunt(seeds: range, names: tuple[str, ...]) -> list[Failure]:
    """The failures of a batch, each shrunk."""
    return [
        shrink(failure, make_program(failure.seed, PIECES, f"f{failure.seed}"))
        for failure in check(seeds, PIECES, names)
    ]


def hunt_all(start: int, count: int, jobs: int) -> Iterator[tuple[int, list[Failure]]]:
    """`hunt` over all batches on `jobs` processes: how many programs each had, and its failures."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        pending = [(seeds, pool.submit(hunt, seeds, names)) for seeds, names in batches(start, count)]
        for seeds, result in pending:
            yield len(seeds), result.result()


def _check_variant(module: ModuleOp, cases: Sequence[Case], name: str) -> Iterator[Failure]:
    after = module.clone()
    try:
        run(after, variants()[name])
    except Exception:
        yield from _check_alone(cases, name)
        return
    evaluate, changed = Evaluator(after), functions(after)
    for case in cases:
        func = changed[case.func.sym_name.data]
        if case.func.is_structurally_equivalent(func, dict(zip(blocks_of(case.func), blocks_of(func)))):
            continue
        if problem := case.problem(func, evaluate):
            yield Failure(case.seed, name, problem)
    yield from _check_again(cases, name, after)


def _check_again(cases: Sequence[Case], name: str, once: ModuleOp) -> Iterator[Failure]:
    """A second run of whole pipelines, which must change nothing."""
    if name.startswith("rlx-") or "unfused" in name:
        return
    twice = once.clone()
    run(twice, variants()[name])
    first, second = functions(once), functions(twice)
    for case in cases:
        a, b = (found[case.func.sym_name.data] for found in (first, second))
        if not a.is_structurally_equivalent(b, dict(zip(blocks_of(a), blocks_of(b)))):
            yield Failure(case.seed, name, AGAIN)


def blocks_of(func: FuncOp) -> Sequence[Any]:
    """The block that a function is in."""
    return [func.parent]


def _check_alone(cases: Sequence[Case], name: str) -> Iterator[Failure]:
    """After a pass failed on many functions: which of them it fails on."""
    for case in cases:
        if problem := problem_of(case.func, case.seed, case.inputs, name):
            yield Failure(case.seed, name, problem)


def problem_of(func: FuncOp, seed: int, inputs: tuple[Any, ...], name: str) -> str:
    """What is wrong after a variant has run over a function by itself."""
    before, after = make_module([func.clone()]), make_module([func.clone()])
    case = Case(seed, next(iter(functions(before).values())), before, inputs)
    try:
        run(after, variants()[name])
    except Exception as fault:
        return f"{type(fault).__name__}: {' '.join(str(fault).split())[:200]}"
    problem = case.problem(next(iter(functions(after).values())), Evaluator(after))
    if problem or name.startswith("rlx-"):
        return problem
    return next((failure.problem for failure in _check_again([case], name, after)), "")


# Shrinking


def shrink(failure: Failure, func: FuncOp) -> Failure:
    """The failure with as small a program as dropping results and cutting values off finds."""
    inputs = inputs_of(func, failure.seed)
    best, best_inputs = tidy(func.clone(), inputs)
    if not problem_of(best, failure.seed, best_inputs, failure.variant):
        best, best_inputs = func.clone(), inputs
    progress = True
    while progress:
        progress = False
        for candidate, values in smaller(best, best_inputs, failure.seed):
            if problem := problem_of(candidate, failure.seed, values, failure.variant):
                best, best_inputs, failure.problem, progress = candidate, values, problem, True
                break
    return Failure(failure.seed, failure.variant, failure.problem, str(best))


def smaller(func: FuncOp, inputs: tuple[Any, ...], seed: int) -> Iterator[tuple[FuncOp, tuple[Any, ...]]]:
    """The function reduced to an inner value, by one result, or by an argument for a value; tidied up."""
    places = [
        i
        for i, op in enumerate(func.body.block.ops)
        if len(op.results) == 1 and isinstance(op.results[0].type, TensorType)
    ]
    returned = func.body.block.last_op
    count = len(returned.operands) if returned is not None else 0
    for place in places[: -1 if count == 1 else None]:
        copy, ops = copied(func)
        ops[-1].operands = [ops[place].results[0]]
        yield tidy(copy, inputs)
    for drop in range(count if count > 1 else 0):
        copy, ops = copied(func)
        ops[-1].operands = [value for i, value in enumerate(ops[-1].operands) if i != drop]
        yield tidy(copy, inputs)
    for place in reversed(places):
        copy, ops = copied(func)
        result = ops[place].results[0]
        argument = copy.body.block.insert_arg(result.type, len(copy.args))
        result.replace_all_uses_with(argument)
        value = random_array(result.type, np.random.default_rng((seed, 3, place)), OPEN_SIZE)
        yield tidy(copy, (*inputs, value))


def copied(func: FuncOp) -> tuple[FuncOp, list[Operation]]:
    """A copy of the function, and the ops of its block."""
    copy = func.clone()
    return copy, list(copy.body.block.ops)


def tidy(func: FuncOp, inputs: tuple[Any, ...]) -> tuple[FuncOp, tuple[Any, ...]]:
    """Without dead ops and unread arguments; with the type that the function then has."""
    block = func.body.block
    for op in reversed(list(block.ops)):
        if op.results and is_trivially_dead(op):
            op.detach()
            op.erase()
    kept: list[Any] = []
    for argument, value in zip(tuple(block.args), inputs):
        if argument.first_use is None:
            block.erase_arg(argument)
        else:
            kept.append(value)
    results: Sequence[SSAValue] = block.last_op.operands if block.last_op is not None else ()
    func.function_type = FunctionType.from_lists([arg.type for arg in block.args], [value.type for value in results])
    return func, tuple(kept)
