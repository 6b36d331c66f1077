"""Programs exported to StableHLO and run by XLA on the CPU, compared with the reference."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from tolerances import agree
from tools import need_module
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute

from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.reference import run
from rlx_dialect.shapes import of_type
from rlx_dialect.signature import arguments_of, find_function
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.reading.dialects import tool_context

Array = NDArray[Any]


def random_inputs(module: ModuleOp, *, positive: bool = False) -> list[Array]:
    """Reproducible arrays for the arguments of the one function; of integers small ones that are not negative."""
    random = np.random.default_rng(7)
    arrays: list[Array] = []
    for binding in arguments_of(find_function(module)):
        dims, element = of_type(cast("TensorType[Attribute]", binding.type))
        dtype = numpy_dtype(element)
        if dtype.kind == "b":
            arrays.append(random.random(dims) < 0.6)
        elif dtype.kind in "iu":
            arrays.append(random.integers(0, 2, dims).astype(dtype))
        else:
            values = random.standard_normal(dims)
            arrays.append((np.abs(values) + 0.1 if positive else values).astype(dtype))
    return arrays


def check(text: str, *, positive: bool = False, inputs: Sequence[Array] | None = None) -> ModuleOp:
    """The exported module, after comparing all results of its one function."""
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    module = parse_module(tool_context(), text)
    module.verify()
    names = [op.name for op in find_function(module).body.block.ops]
    arrays = random_inputs(module, positive=positive) if inputs is None else list(inputs)
    expected = run(module, None, arrays)
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    module.verify()
    actual = XlaFunction(generic_text(module), "test")(arrays)
    compare(actual, {f"{name} ({op})": value for (name, value), op in zip(expected.items(), names, strict=False)})
    return module


def compare(actual: Sequence[Array], expected: Mapping[str, Array]) -> None:
    """Dtypes are equal, values within the tolerance of the dtype."""
    for got, (where, wanted) in zip(actual, expected.items(), strict=True):
        agree(got, wanted, where=where)


def function(arguments: Sequence[str], lines: Sequence[tuple[str, str]]) -> str:
    """A function with arguments of the types given, named %0, %1, ..., that returns the value of every line."""
    heads = ", ".join(f"%{i}: {type}" for i, type in enumerate(arguments))
    body = "\n".join(f"  %r{i} = {line}" for i, (line, _) in enumerate(lines))
    results = ", ".join(f"%r{i}" for i in range(len(lines)))
    types = ", ".join(type for _, type in lines)
    return f"func.func @main({heads}) -> ({types}) {{\n{body}\n  func.return {results} : {types}\n}}"
