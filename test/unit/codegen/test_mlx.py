"""MLX programs against the reference: every op and kind, the generated source, and what a user sees when something is wrong."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlx_cases import all_functions, function, one
from numpy.typing import NDArray
from tools import need_module
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp, TensorType
from xdsl.dialects.func import Func, FuncOp
from xdsl.dialects.tensor import Tensor

from rlx_dialect import RLX
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.reference import run
from rlx_dialect.shapes import DYNAMIC
from rlx_dialect.signature import arguments_of
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.codegen.bundle import Bundle, read_bundle, write_bundle
from rlx_passes.codegen.errors import CodegenError, ToolMissing
from rlx_passes.codegen.mlx import emit
from rlx_passes.codegen.mlx_source import LIBRARY, read_library
from rlx_passes.lowering.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.lowering.to_mlx.dialect import MLX
from rlx_passes.runtime.errors import RunError
from rlx_passes.runtime.mlx import MlxProgram
from rlx_passes.runtime.program import load_bundle

Array = NDArray[Any]

TOLERANCE = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2, "float64": 1e-12}
CASES = {text.split("@")[1].split("(")[0]: text for text in all_functions()}


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Func, Arith, Tensor, RLX, MLX):
        context.load_dialect(dialect)
    module = parse_module(context, text)
    module.verify()
    return module


def compiled(text: str, folder: Path) -> Bundle:
    """The bundle of the program `text`, written to `folder` and read again."""
    module = parse(text)
    ConvertRlxToMlxPass().apply(Context(), module)
    module.verify()
    write_bundle(folder / "bundle", emit(module, "", ""))
    return read_bundle(folder / "bundle")


def values_for(name: str, function: FuncOp, sizes: int = 4) -> dict[str, Array]:
    """Arguments of its types, the same in every run; `?` becomes `sizes`."""
    rng = np.random.default_rng(len(name) + sum(map(ord, name)))
    values: dict[str, Array] = {}
    for binding in arguments_of(function):
        assert isinstance(binding.type, TensorType)
        shape = [sizes if size == DYNAMIC else size for size in binding.type.get_shape()]
        values[binding.name] = values_of(name, rng, shape, numpy_dtype(binding.type.element_type))
    return values


def values_of(name: str, rng: np.random.Generator, shape: list[int], dtype: np.dtype[Any]) -> Array:
    if name.startswith("gather") and dtype.kind in "iu":
        return rng.integers(0, 3, shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" or name.startswith("cast") else -7
        return special(name, rng.integers(low, 8, shape).astype(dtype))
    return special(name, rng.normal(0, 2, shape).astype(dtype))


def special(name: str, value: Array) -> Array:
    """Elementwise ops also see the ends of the range, zeros of both signs, halves, infinities and NaN."""
    if not name.startswith(("activation", "binary", "compare", "erfc", "log1p", "expm1", "is_finite")) or value.ndim == 0:
        return value
    if value.dtype.kind in "iu":
        limits = np.iinfo(value.dtype.name)
        ends = [0, 1, limits.max, limits.min, 31, 33]
    else:
        ends = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, np.inf, -np.inf, np.nan, 1e-3, -1e-3, 5.0, -5.0, 9.0, -9.0]
    value.reshape(-1)[: len(ends)] = np.asarray(ends).astype(value.dtype)
    return value


def agree(actual: Array, expected: Array) -> None:
    """Equal shapes and dtypes; values within what the dtype can say."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    tolerance = TOLERANCE.get(expected.dtype.name, 0)
    wide = np.float64 if tolerance else expected.dtype
    np.testing.assert_allclose(actual.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleOp, Bundle]:
    """All cases as one program: the module and its bundle."""
    need_module("mlx")
    text = "".join(CASES.values())
    return parse(text), compiled(text, tmp_path_factory.mktemp("mlx"))


@pytest.mark.parametrize("name", CASES)
def test_op(name: str, everything: tuple[ModuleOp, Bundle]):
    module, bundle = everything
    program = MlxProgram(bundle, bundle.manifest.entry(name))
    function = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
    values = values_for(name, function)
    expected = run(module, name, values)
    actual = program(values)
    assert list(actual) == list(expected)
    for key, value in expected.items():
        agree(actual[key], value)


