"""Random programs over tensors as native code, one round after the other and in many rounds, against NumPy."""

from collections.abc import Sequence

import numpy as np
import pytest
from native import COUNTING, Native
from tensor_programs import Case, case
from tensor_statements import Array
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
        arrays: list[Array] = [
            *(value.copy() for value in each.inputs),
            *(np.full(r.shape, 77, r.dtype) for r in each.results),
        ]
        for type in functions[each.name].function_type.inputs.data[len(arrays) :]:
            assert isinstance(type, MemRefType)
            arrays.append(np.full(type.get_shape(), 0x55, np.uint8))
        assert native(each.name, *arrays) == (0, []), each.name
        wanted = [*each.inputs, *each.results]
        if not all(np.array_equal(a, b) for a, b in zip(arrays, wanted)):
            wrong.append(each.name)
        if native.live():
            wrong.append(f"{each.name}: {native.live()} left")
            break
    assert not wrong, wrong


X, Y, P = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32), np.array([7, 8], np.float32)
HAZARDS = [
    Case(
        "known_and_open_sizes",
        """
        func.func @known_and_open_sizes(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %open = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
          %0, %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %open) -> (tensor<3xf32>, tensor<?xf32>) {
            %2 = tensor.cast %b : tensor<?xf32> to tensor<3xf32>
            %e = tensor.empty() : tensor<3xf32>
            %3 = linalg.generic {iterator_types = ["parallel"],
                indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]}
              ins(%2, %a : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) {
            ^bb0(%l: f32, %r: f32, %o: f32):
              %4 = arith.addf %l, %r : f32
              linalg.yield %4 : f32
            } -> tensor<3xf32>
            %5 = tensor.cast %a : tensor<3xf32> to tensor<?xf32>
            scf.yield %3, %5 : tensor<3xf32>, tensor<?xf32>
          }
          %6 = tensor.cast %1 : tensor<?xf32> to tensor<3xf32>
          func.return %0, %6 : tensor<3xf32>, tensor<3xf32>
        }""",
        [X, Y],
        [3 * X + 2 * Y, 2 * X + Y],
    ),
    Case(
        "calls",
        """
        func.func private @one_after_the_other(%x: tensor<3xf32>, %y: tensor<3xf32>)
            -> (tensor<6xf32>, tensor<3xf32>, tensor<?xf32>) {
          %e = tensor.empty() : tensor<6xf32>
          %0 = tensor.insert_slice %x into %e[0] [3] [1] : tensor<3xf32> into tensor<6xf32>
          %1 = tensor.insert_slice %y into %0[3] [3] [1] : tensor<3xf32> into tensor<6xf32>
          %2 = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
          func.return %1, %y, %2 : tensor<6xf32>, tensor<3xf32>, tensor<?xf32>
        }
        func.func @calls(%x: tensor<3xf32>, %p: tensor<2xf32>) -> (tensor<3xf32>, tensor<6xf32>, tensor<3xf32>) {
          %0, %1, %2 = func.call @one_after_the_other(%x, %x) : (tensor<3xf32>, tensor<3xf32>)
              -> (tensor<6xf32>, tensor<3xf32>, tensor<?xf32>)
          %3 = tensor.insert_slice %p into %1[1] [2] [1] : tensor<2xf32> into tensor<3xf32>
          %4 = tensor.extract_slice %0[1] [3] [2] : tensor<6xf32> to tensor<3xf32>
          %5, %6, %7 = func.call @one_after_the_other(%4, %3) : (tensor<3xf32>, tensor<3xf32>)
              -> (tensor<6xf32>, tensor<3xf32>, tensor<?xf32>)
          %8 = tensor.cast %2 : tensor<?xf32> to tensor<3xf32>
          func.return %3, %5, %8 : tensor<3xf32>, tensor<6xf32>, tensor<3xf32>
        }""",
        [X, P],
        [np.array([1, 7, 8], np.float32), np.array([2, 1, 3, 1, 7, 8], np.float32), X],
    ),
    Case(
        "copied_to_be_reshaped",
        """
        func.func @copied_to_be_reshaped(%x: tensor<3xf32>, %p: tensor<2xf32>) -> tensor<3xf32> {
          %e = tensor.empty() : tensor<1x3xf32>
          %0 = tensor.insert_slice %x into %e[0, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<1x3xf32>
          %1 = tensor.extract_slice %0[0, 0] [1, 3] [2, 1] : tensor<1x3xf32> to tensor<1x3xf32>
          %2 = tensor.cast %1 : tensor<1x3xf32> to tensor<?x?xf32>
          %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
          %4 = tensor.cast %3 : tensor<?xf32> to tensor<3xf32>
          %5 = tensor.insert_slice %p into %4[1] [2] [1] : tensor<2xf32> into tensor<3xf32>
          func.return %5 : tensor<3xf32>
        }""",
        [X, P],
        [np.array([1, 7, 8], np.float32)],
    ),
]
"""What random programs seldom have."""


def in_rounds(patch: pytest.MonkeyPatch) -> None:
    """Have all that can be cut into rounds, however small."""
    patch.setattr(parallelize, "WORTH", 1e-3)
    patch.setattr(rounds, "IN_CACHE", 32)
    patch.setattr(rounds, "ROWS_OF_PRODUCT", 2)


def test_random_programs(monkeypatch: pytest.MonkeyPatch):
    need_module("llvmlite")
    cases = [*HAZARDS, *map(case, range(10))]
    check(cases[:6])
    in_rounds(monkeypatch)
    check(cases)


@long
def test_many_random_programs(monkeypatch: pytest.MonkeyPatch):
    need_module("llvmlite")
    in_rounds(monkeypatch)
    for start in range(1000, 1500, 50):
        check([case(seed) for seed in range(start, start + 50)])
