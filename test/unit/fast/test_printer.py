"""Templates of the printer, where ops look alike and are not."""

from io import StringIO

import pytest
from exactness import TOOLS, context, read
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.printer import Printer

from rlx_dialect.fast import FastPrinter

ADDS = """
func.func @f(%a: i32, %b: i32) {
  %x = arith.addi %a, %b : i32
  %y = arith.addi %b, %a : i32
  %z = arith.addi %a, %a : i32
  %0 = arith.addi %z, %z : i32
  %1 = arith.addi %x, %y : i32
  %x_1 = "t.t"(%a) {s = "a\\"b\\0A%s", t = "100%"} : (i32) -> i32
  %x_2 = "t.t"(%x_1) {s = "a\\"b\\0A%s", t = "100%"} : (i32) -> i32
  %x_3 = "t.t"(%x_2) {s = "a\\"b\\0A%s", t = "100%"} : (i32) -> i32
  func.return
}
"""


def module() -> ModuleOp:
    found = read(TOOLS.fast, ADDS, "text", context(True)).module
    assert found is not None
    return found


def both(module: ModuleOp, *, times: int = 1) -> tuple[str, str]:
    """What the stock printer and the fast one write in forms that change on the way."""
    texts: list[str] = []
    for kind in (Printer, FastPrinter):
        stream = StringIO()
        printer = kind(stream)
        for _ in range(times):
            for form in (False, True, True, False):
                printer.print_generic_format = form
                printer.print_op(module)
                printer.print_string("\n\n")
        printer.print_properties_as_attributes = True
        printer.print_op(module)
        texts.append(stream.getvalue())
    return texts[0], texts[1]


def test_forms_do_not_mix():
    stock, fast = both(module(), times=3)
    assert fast == stock


@pytest.mark.parametrize("turned", [False, True])
def test_dictionaries_that_are_equal_in_another_order(turned: bool):
    program = module()
    entries = [("a", IntegerAttr(1, 8)), ("b", StringAttr("x"))]
    for at, op in enumerate(op for op in program.walk() if op.name == "arith.addi"):
        op.attributes["d"] = DictionaryAttr(dict(entries[:: -1 if turned and at % 2 else 1]))
    stock, fast = both(program)
    assert fast == stock


def test_what_was_printed_lives_as_long_as_the_printer():
    """Otherwise a new attribute may get the address of one that is gone."""
    stream = StringIO()
    printer = FastPrinter(stream)
    program = module()
    op = next(op for op in program.walk() if op.name == "arith.addi")
    for at in range(200):
        op.attributes["d"] = DictionaryAttr({"n": StringAttr(str(at))})
        printer.print_op(op)
        assert f'n = "{at}"' in stream.getvalue().rpartition("arith.addi")[2]
