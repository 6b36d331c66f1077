"""Ops with a declared text form, which is compiled when it is first needed, and with fields that are read at speed."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, cast

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.operations import BeforeVariadicSingleAccessor

if TYPE_CHECKING:
    from xdsl.irdl.declarative_assembly_format import FormatProgram
    from xdsl.parser import Parser
    from xdsl.printer import Printer


class DeclaredOp(IRDLOperation):
    """
    An op whose `assembly_format` is compiled when the first op of its class is read or printed.

    xDSL compiles it when the class is made, which for the whole dialect takes longer than reading most programs.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if (text := vars(cls).get("assembly_format")) is not None:
            del cls.assembly_format  # from xDSL's decorator, which comes next
            cls.__syntax__ = text
            for name, method in (("parse", classmethod(_parse)), ("print", _print)):
                setattr(cls, name, method)


class _OperandAt(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Operation, objtype: object = None) -> SSAValue:
        return _item(obj._operands, self.idx)  # pyright: ignore[reportPrivateUsage]


class _ResultAt(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Operation, objtype: object = None) -> SSAValue:
        return _item(obj.results, self.idx)


_item = cast("Callable[[Sequence[SSAValue], int], SSAValue]", vars(tuple)["__getitem__"])
"""xDSL's tuples of values look at the index first."""


@cache
def read_at_speed(op: type[IRDLOperation]) -> None:
    """
    Let the fields of a class that are one value at a fixed place be read in one step; xDSL's accessor takes six.

    For the first op of a class: xDSL's decorator makes the accessors after the class.
    """
    fields = op.get_irdl_definition()
    for kind, values in ((_OperandAt, fields.operands), (_ResultAt, fields.results)):
        for index, (name, _) in enumerate(values):
            given = vars(op).get(name)
            if type(given) is BeforeVariadicSingleAccessor:
                setattr(op, name, kind(given.construct, index))


def syntax(op: type[IRDLOperation]) -> str | None:
    """The assembly format that an op declares; None where it has none."""
    return getattr(op, "__syntax__", op.assembly_format)


@cache
def compiled(op: type[IRDLOperation]) -> "FormatProgram":
    """What reads and prints ops of a class with a `syntax`. Raises `ParseError` where that is malformed."""
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    return FormatProgram.from_str(syntax(op) or "", op.get_irdl_definition())


def _parse(cls: type[IRDLOperation], parser: "Parser") -> IRDLOperation:
    return compiled(cls).parse(parser, cls)


def _print(self: IRDLOperation, printer: "Printer") -> None:
    compiled(type(self)).print(printer, self)
