"""The op for every kind without an op of its own."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import EffectInstance, MemoryEffect
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.declared import DeclaredOp


class PureWhereSaid(MemoryEffect):
    """No effects where the op carries `pure`; else nothing is known."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance] | None:
        return set() if "pure" in op.properties else None


@irdl_op_definition
class CustomOp(DeclaredOp):
    """
    What only its reader knows: `kind` names it, its attributes say the rest; any operands, any results.

    Passes leave it where it is and as it is. With `pure` it has no effects, so that it goes where nobody reads it, and
    equal ones become one. `kind` consists of letters, digits, `_`, `.` and `-`. The reference runs what it is given.
    """

    name = "rlx.custom"

    kind = prop_def(StringAttr)
    pure = opt_prop_def(UnitAttr)
    inputs = var_operand_def()
    outputs = var_result_def()

    traits = traits_def(PureWhereSaid())
    assembly_format = "$kind `(` $inputs `)` (`pure` $pure^)? attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        kind: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        attributes: Mapping[str, Attribute] | None = None,
        *,
        pure: bool = False,
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"kind": StringAttr(kind), "pure": UnitAttr() if pure else None},
            attributes=dict(attributes or {}),
        )

    def verify_(self) -> None:
        kind = self.kind.data
        if not kind or not all(c.isascii() and (c.isalnum() or c in "_.-") for c in kind):
            raise VerifyException(f"{self.name}: kind must be a word of letters, digits, _, . and -, got '{kind}'")
