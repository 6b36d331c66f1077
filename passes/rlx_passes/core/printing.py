"""Programs as text."""

from io import StringIO
from typing import IO, Any

from xdsl.ir import Operation
from xdsl.printer import Printer

from rlx_dialect.fast import FastPrinter
from rlx_passes.switches.environment import flag


def printer(stream: IO[str], **options: Any) -> Printer:
    """A printer with the options of xDSL's, which it is itself under `RLX_STOCK_PARSER`."""
    return (Printer if flag("RLX_STOCK_PARSER") else FastPrinter)(stream, **options)


def text_of(op: Operation, *, generic: bool = False) -> str:
    """`op` as text; the generic form is for tools that do not know how xDSL prints."""
    stream = StringIO()
    printer(stream, print_generic_format=generic).print_op(op)
    return stream.getvalue()


def generic_text(op: Operation) -> str:
    """`op` in the generic form."""
    return text_of(op, generic=True)
