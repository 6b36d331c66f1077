"""Tensor constants as globals, each text once."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, StringAttr, UnitAttr
from xdsl.ir import SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_loops.memrefs import Emit, memref_of


class Constants:
    """The globals of a module."""

    def __init__(self) -> None:
        self.globals: list[memref.GlobalOp] = []
        self._names: dict[DenseIntOrFPElementsAttr, str] = {}

    def get(self, op: ConstantOp, emit: Emit) -> SSAValue:
        """The memory that holds the elements of a tensor constant; nobody writes there."""
        if not isinstance(op.value, DenseIntOrFPElementsAttr):
            raise Refusal(f"a constant of kind '{op.value.name}' cannot be compiled; write it as dense<...>", op=op)
        type = memref_of(op.result.type)
        if op.value not in self._names:
            name = f"constant_{len(self.globals)}"
            self._names[op.value] = name
            self.globals.append(
                memref.GlobalOp.get(
                    StringAttr(name), type, op.value, sym_visibility=StringAttr("private"), constant=UnitAttr()
                )
            )
        found = memref.GetGlobalOp(self._names[op.value], type)
        emit(found)
        return found.memref
