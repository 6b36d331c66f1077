"""What many tests need: a context with every dialect of the tests, parsing from text, random inputs for a function."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from typing import cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import Func, FuncOp
from xdsl.dialects.scf import Scf
from xdsl.dialects.tensor import Tensor
from xdsl.dialects.test import Test
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from rlx_dialect import RLX
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.reference import Array
from rlx_dialect.shapes import DYNAMIC, of_type
from rlx_dialect.signature import arguments_of
from rlx_dialect.xdsl_repairs import RlxParser, verify_dominance


def context() -> Context:
    """RLX and the dialects that programs in tests mix it with; unregistered ops are allowed."""
    result = Context(allow_unregistered=True)
    for dialect in (Builtin, Func, Arith, Scf, Tensor, Test, RLX):
        result.load_dialect(dialect)
    return result


def parse(text: str, name: str = "test") -> ModuleOp:
    """A verified module, dominance included."""
    module = RlxParser(context(), text, name).parse_module()
    module.verify()
    verify_dominance(module)
    return module


def text_of(module: ModuleOp, *, locations: bool = False) -> str:
    """`module` as it prints."""
    out = StringIO()
    Printer(stream=out, print_debuginfo=locations).print_op(module)
    return out.getvalue()


def joined(modules: Mapping[str, ModuleOp]) -> ModuleOp:
    """One module with the function of each of `modules`, which have one, under its name there."""
    functions: list[FuncOp] = []
    for name, module in modules.items():
        (function,) = module.ops
        assert isinstance(function, FuncOp)
        functions.append(function.clone())
        functions[-1].sym_name = StringAttr(name)
    return ModuleOp(list[Operation](functions))


def check_uses(module: ModuleOp) -> None:
    """No value of `module` is read by an op outside it: a pattern that gave up must not leave its new ops behind."""
    for op in module.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            for use in value.uses:
                assert use.operation.parent is not None, (
                    f"a result of {op.name} is read by a detached {use.operation.name}"
                )


def random_array(type: Attribute, rng: np.random.Generator, unknown: int = 3) -> Array:
    """
    Random values for a tensor type: floats and parts of complex numbers from a normal distribution, integers from -4 to
    4 (0 to 4 unsigned).

    A size that the type leaves open becomes `unknown`.
    """
    dims, element = of_type(cast(TensorType[Attribute], type))
    shape = [unknown if d == DYNAMIC else d for d in dims]
    dtype = numpy_dtype(element)
    if dtype.kind == "b":
        return rng.random(shape) < 0.7
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -4, 5, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def random_inputs(func: FuncOp, seed: int = 0, unknown: int = 3) -> dict[str, Array]:
    """A random array for each tensor argument of `func`, by name."""
    rng = np.random.default_rng(seed)
    inputs: dict[str, Array] = {}
    for binding in arguments_of(func):
        type: Attribute = binding.type
        if isinstance(type, TensorType):
            inputs[binding.name] = random_array(binding.type, rng, unknown)
    return inputs
