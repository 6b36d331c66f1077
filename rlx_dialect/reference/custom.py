"""Ops that only their reader knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import Attribute

from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import CustomOp
from rlx_dialect.reference.numeric import Array
from rlx_dialect.shapes import compatible, shaped

CustomFunction = Callable[[Mapping[str, Attribute], Sequence[Any]], Sequence[Array]]
"""The results of a custom op, given its attributes and its operands."""


@register_impls
@dataclass
class CustomFunctions(InterpreterFunctions):
    """`functions` says by kind what a custom op computes."""

    functions: Mapping[str, CustomFunction] = field(default_factory=dict[str, CustomFunction])

    @impl(CustomOp)
    def custom(self, interpreter: Interpreter, op: CustomOp, args: tuple[Any, ...]):
        kind = op.kind.data
        if kind not in self.functions:
            known = ", ".join(sorted(self.functions)) or "none"
            raise LookupError(f'rlx.custom "{kind}": nothing says what it computes; kinds with a function: {known}')
        results = tuple(self.functions[kind](op.attributes, args))
        if len(results) != len(op.results):
            raise ValueError(f'rlx.custom "{kind}": {len(op.results)} results were declared, {len(results)} given')
        for i, (given, result) in enumerate(zip(results, op.results)):
            type: Attribute = result.type
            if isinstance(type, TensorType):
                _check(np.asarray(given), i, op)
        return results


def _check(given: Array, at: int, op: CustomOp) -> None:
    """Raises `ValueError` where a result is not of the type that was declared."""
    declared = shaped(op.results[at])
    fits = given.ndim == declared.rank and all(map(compatible, given.shape, declared.dims))
    if not fits or given.dtype != numpy_dtype(declared.element):
        raise ValueError(
            f'rlx.custom "{op.kind.data}": result #{at} must be {declared}, got {list(given.shape)} of {given.dtype}'
        )
