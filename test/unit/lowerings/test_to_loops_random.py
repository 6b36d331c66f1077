"""Random programs over tensors as native code, one round after the other and in many rounds, against NumPy."""

from collections.abc import Sequence

import numpy as np
import pytest
from native import COUNTING, Native
from tensor_programs import Array, Case, case
from tools import long, need_module
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from rlx_passes.codegen.native import lower
from rlx_passes.lowerings.to_loops import parallelize, rounds
from rlx_passes.registry.context import fresh_context


def compiled(cases: Sequence[Case]) -> tuple[ModuleOp, Native]:
    module = Parser(fresh_context(), "\n".join(each.text for each in cases)).parse_module()
    module.verify()
    lower(module, "host")
    module.verify()
    return module, Native(module, runtime=COUNTING)


def check(cases: Sequence[Case]) -> None:
    """Every function returns what NumPy says, leaves its arguments as they were, and frees what it made."""
    module, native = compiled(cases)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    wrong: list[str] = []
    for each in cases:
        arrays: list[Array] = [*(value.copy() for value in each.inputs), *(np.full_like(r, 77) for r in each.results)]
        for type in functions[each.name].function_type.inputs.data[len(arrays) :]:
            assert isinstance(type, MemRefType)
            arrays.append(np.full(type.get_shape(), 0x55, np.uint8))
        assert native(each.name, *arrays) == (0, [])
        wanted = [*each.inputs, *each.results]
        if not all(np.array_equal(a, b) for a, b in zip(arrays, wanted)):
            wrong.append(each.name)
        if native.live():
            wrong.append(f"{each.name}: {native.live()} left")
            break
    assert not wrong, wrong


def in_rounds(patch: pytest.MonkeyPatch) -> None:
    """Have all that can be cut into rounds, however small."""
    patch.setattr(parallelize, "WORTH", 1e-3)
    patch.setattr(rounds, "IN_CACHE", 32)


def test_random_programs(monkeypatch: pytest.MonkeyPatch):
    need_module("llvmlite")
    cases = [case(seed) for seed in range(40)]
    check(cases[:20])
    in_rounds(monkeypatch)
    check(cases)


@long
def test_many_random_programs(monkeypatch: pytest.MonkeyPatch):
    need_module("llvmlite")
    in_rounds(monkeypatch)
    for start in range(1000, 1500, 50):
        check([case(seed) for seed in range(start, start + 50)])
