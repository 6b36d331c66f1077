"""A pass keeps what a program computes: every function of the lit files of the fusion and raising passes."""

from collections.abc import Iterator
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from lit_cases import LitCase, lit_cases
from programs import random_array, text_of
from tolerances import FOLDED, agree
from tools import sampled
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters.scf import ScfFunctions
from xdsl.ir import Attribute

from rlx_dialect.reference import IMPLEMENTATIONS
from rlx_dialect.shapes import DYNAMIC, of_type
from rlx_dialect.signature import is_optional, is_private, results_of
from rlx_dialect.xdsl_repairs import verify_dominance

FOREIGN = ("acme.", "stablehlo.", "chlo.")
"""Ops that the reference has no meaning for, by the beginning of their name; functions that hold one are left out."""

CASES = list(lit_cases("fusion", "expansion", "simplify/dead_code_elimination.mlir", "raising"))


def functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp) and op.body.blocks}


def is_foreign(func: FuncOp) -> bool:
    return any(op.name.startswith(FOREIGN) or op.name == "builtin.unregistered" for op in func.walk())


def evaluate(module: ModuleOp, func: FuncOp, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    interpreter = Interpreter(module)
    for implementation in (*IMPLEMENTATIONS, ScfFunctions):
        interpreter.register_implementations(implementation())
    with np.errstate(all="ignore"):
        return interpreter.call_op(func, inputs)


def inputs_of(func: FuncOp, seed: int) -> Iterator[tuple[Any, ...]]:
    """
    Random arguments; one tuple for each way to bind the sizes that are open to small numbers, one size for all first.

    Open are the `?` of tensors and arguments of type index; any other scalar is a truth value.
    """
    types: list[Attribute] = [argument.type for argument in func.args]
    dims = [d for type in types if isinstance(type, TensorType) for d in type.get_shape()]
    candidates = list(dict.fromkeys((3, *(d for d in dims if d > 1))))
    open_sizes = dims.count(DYNAMIC) + sum(isinstance(type, IndexType) for type in types)
    for sizes in sorted(product(candidates, repeat=open_sizes), key=lambda sizes: len(set(sizes))):
        rng, unknown = np.random.default_rng(seed), iter(sizes)
        yield tuple(argument(type, rng, unknown, bool(seed % 2)) for type in types)


def argument(type: Attribute, rng: np.random.Generator, unknown: Iterator[int], truth: bool) -> Any:
    if isinstance(type, TensorType):
        return random_array(bound(cast(TensorType[Attribute], type), unknown), rng)
    return next(unknown) if isinstance(type, IndexType) else truth


def bound(type: TensorType[Attribute], unknown: Iterator[int]) -> TensorType[Attribute]:
    """The type with the next of `unknown` for each size that it leaves open."""
    value = of_type(type)
    return value.with_dims(next(unknown) if d == DYNAMIC else d for d in value.dims).type


def expected(module: ModuleOp, func: FuncOp, seed: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Inputs that fit together, and what the function gives for them."""
    fault: Exception | None = None
    for inputs in inputs_of(func, seed):
        try:
            return inputs, evaluate(module, func, inputs)
        except Exception as error:
            fault = error
    raise AssertionError(f"no sizes for the ? of @{func.sym_name.data}") from fault


def by_name(func: FuncOp, values: tuple[Any, ...]) -> dict[str, Any]:
    """What a function gives, by the names of its results."""
    return {binding.name: value for binding, value in zip(results_of(func), values, strict=True)}


def required(func: FuncOp) -> set[str]:
    """The results that every pass must keep: all but those of private functions and those marked optional."""
    return {
        binding.name for i, binding in enumerate(results_of(func)) if not is_private(func) and not is_optional(func, i)
    }


@sampled(4)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values_stay(case: LitCase):
    before, after = case.module(), case.module()
    case.run(after)
    after.verify()
    verify_dominance(after)
    changed = functions(after)
    for name, func in functions(before).items():
        if is_foreign(func):
            continue
        for seed in (0, 1):
            inputs, wanted = expected(before, func, seed)
            values = {argument.name_hint: value for argument, value in zip(func.args, inputs)}
            got = evaluate(after, changed[name], tuple(values[argument.name_hint] for argument in changed[name].args))
            results, old = by_name(changed[name], got), by_name(func, wanted)
            assert required(func) <= results.keys(), f"@{name}"
            for result in results.keys() & old.keys():
                agree(results[result], old[result], FOLDED, f"@{name} result {result}, seed {seed}")


@sampled(4)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_second_run_changes_nothing(case: LitCase):
    module = case.module()
    case.run(module)
    once = text_of(module)
    case.run(module)
    assert text_of(module) == once


def test_there_are_cases():
    assert len(CASES) >= 15
