"""Programs as text that other tools read."""

from io import StringIO

from xdsl.ir import Operation
from xdsl.printer import Printer


def generic_text(op: Operation) -> str:
    """`op` in the generic form, which tools read that do not know how xDSL prints."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(op)
    return stream.getvalue()
