"""The `llvm` dialect: xDSL's, with ops of MLIR's that it lacks, and with vectors where it has scalars alone."""

from typing import ClassVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import I1, AnyFloatConstr, IntegerAttr, SignlessIntegerConstraint, VectorType, i1, i64
from xdsl.dialects.llvm import FastMathAttr, FCmpPredicateFlag
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure

_FLAGS = I1 | VectorType[I1]


def flag_type(type_: Attribute) -> Attribute:
    """The type of a comparison of values of `type_`: i1, or as many of them as a vector has elements."""
    return VectorType(i1, type_.shape) if isinstance(type_, VectorType) else i1


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """`lhs` compared with `rhs`, floats or vectors of them."""

    name = "llvm.fcmp"

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(_FLAGS)
    predicate = prop_def(IntegerAttr.constr(i64))
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(self, lhs: SSAValue, rhs: SSAValue, predicate: str):
        number = IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64)
        super().__init__(operands=[lhs, rhs], result_types=[flag_type(lhs.type)], properties={"predicate": number})

    @classmethod
    def parse(cls, parser: Parser):
        predicate = parser.parse_str_literal()
        lhs = parser.parse_unresolved_operand()
        parser.parse_characters(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_characters(":")
        type_ = parser.parse_type()
        operands = parser.resolve_operands([lhs, rhs], [type_, type_], parser.pos)
        op = cls(operands[0], operands[1], predicate)
        flags = attributes.pop("fastmathFlags", None)
        op.attributes.update(attributes)
        if isinstance(flags, FastMathAttr):
            op.fastmathFlags = flags
        return op

    def print(self, printer: Printer):
        printer.print_string(f' "{FCmpPredicateFlag.from_int(self.predicate.value.data)}" ')
        printer.print_list(self.operands, printer.print_ssa_value)
        flags = {"fastmathFlags": self.fastmathFlags} if self.fastmathFlags.data else {}
        printer.print_op_attributes({**flags, **self.attributes})
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`lhs` where `cond` is true, else `rhs`; with a vector of flags element by element."""

    name = "llvm.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(_FLAGS)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"


@irdl_op_definition
class UIToFPOp(IRDLOperation):
    """The float nearest to an unsigned integer."""

    name = "llvm.uitofp"

    arg = operand_def(SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint))
    result = result_def(AnyFloatConstr | VectorType.constr(AnyFloatConstr))

    traits = traits_def(NoMemoryEffect())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($result)"


class _ToInteger(IRDLOperation):
    arg = operand_def(AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    result = result_def(SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint))

    traits = traits_def(NoMemoryEffect())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($result)"


@irdl_op_definition
class FPToSIOp(_ToInteger):
    """A float without its fraction as a signed integer; poison where it does not fit."""

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(_ToInteger):
    """A float without its fraction as an unsigned integer; poison where it does not fit."""

    name = "llvm.fptoui"


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """The operand, or any one value in place of poison."""

    name = "llvm.freeze"

    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)

    traits = traits_def(NoMemoryEffect())
    assembly_format = "$val attr-dict `:` type($val)"


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """The element of a vector at an index."""

    name = "llvm.extractelement"

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)

    traits = traits_def(NoMemoryEffect())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"


_OWN = {op.name: op for op in (FCmpOp, SelectOp, UIToFPOp, FPToSIOp, FPToUIOp, FreezeOp, ExtractElementOp)}

LLVM = Dialect(
    "llvm",
    [*(op for op in llvm.LLVM.operations if op.name not in _OWN), *_OWN.values()],
    list(llvm.LLVM.attributes),
)
"""The dialect object, in the place of xDSL's."""
