"""Lines that look like ones that were read before, and are not."""

import pytest
from exactness import TOOLS, XDSL, Contenders, context, read, same
from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Operation

from rlx_dialect.fast import FastParser

LEARNT = """
func.func @f(%a: i32, %b: i32, %c: f32) {
  %k0 = "t.add"(%a, %b) : (i32, i32) -> i32
  %k1 = "t.add"(%a, %a) : (i32, i32) -> i32
  %k2 = "t.say"(%a) {s = "x"} : (i32) -> i32
  %k3 = arith.addi %a, %b : i32
  %k4 = arith.constant 1 : i32
  "t.end"(%a) : (i32) -> ()
  %m = "test.op"() : () -> memref<4x4xf32>
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %k5 = affine.load %m[%i, %j] : memref<4x4xf32>
  %k6:2 = "t.two"(%a) : (i32) -> (i32, i32)
  %k7 = "t.use"(%k6#0) : (i32) -> i32
  %k8 = "t.loc"(%a) : (i32) -> i32 loc("f.py":1:2)
TRAP
  func.return
}
"""
"""One line of each kind, and the same once more in most traps."""

TRAPS = {
    "as learnt": '  %x = "t.add"(%k0, %k1) : (i32, i32) -> i32',
    "other values": "  %x = arith.addi %k3, %k4 : i32\n  %y = arith.addi %x, %x : i32",
    "undefined value": '  %x = "t.add"(%a, %nowhere) : (i32, i32) -> i32',
    "defined twice": '  %k0 = "t.add"(%a, %b) : (i32, i32) -> i32',
    "forward reference": '  %x = "t.add"(%a, %y) : (i32, i32) -> i32\n  %y = "t.add"(%a, %b) : (i32, i32) -> i32',
    "awaited with another type": '  "t.any"(%y) : (f32) -> ()\n  %y = "t.add"(%a, %b) : (i32, i32) -> i32',
    "itself": '  %x = "t.add"(%x, %x) : (i32, i32) -> i32',
    "wrong type": '  %x = "t.add"(%a, %c) : (i32, i32) -> i32',
    "wrong type in a format": "  %x = arith.addi %a, %c : i32",
    "repeated names": '  %x = "t.add"(%b, %b) : (i32, i32) -> i32',
    "repeated names that are counted once": (
        "  %x = affine.load %m[%i, %i] : memref<4x4xf32>\n  %y = affine.load %m[%j, %j] : memref<4x4xf32>"
    ),
    "part of a tuple": '  %x = "t.use"(%k6#1) : (i32) -> i32',
    "part of a tuple that is too far": '  %x = "t.use"(%k6#2) : (i32) -> i32',
    "space in front of a part": '  %x = "t.use"(%k6 #1) : (i32) -> i32',
    "two ops on a line": '  "t.end"(%a) : (i32) -> () "t.end"(%b) : (i32) -> ()',
    "comment behind": '  "t.end"(%a) : (i32) -> () // "t.end"',
    "comment on the next line": '  "t.end"(%a) : (i32) -> ()\n  // %x\n  "t.end"(%a) : (i32) -> ()',
    "comment in a line": '  "t.end"(%a) // : (i32) -> ()\n  : (i32) -> ()',
    "split line": '  "t.end"(%a)\n  : (i32) -> ()',
    "attributes on the next line": "  %x = arith.addi %a, %b : i32\n  {a}",
    "location on the next line": '  "t.end"(%a) : (i32) -> ()\n  loc("g.py":3:4)',
    "other location": '  %x = "t.loc"(%b) : (i32) -> i32 loc("g.py":30:40)\n  %y = "t.loc"(%b) : (i32) -> i32',
    "location of another kind": (
        '  %x = "t.loc"(%b) : (i32) -> i32 loc(unknown)\n  %y = "t.loc"(%b) : (i32) -> i32 loc("name")'
    ),
    "location with a large number": '  %x = "t.loc"(%b) : (i32) -> i32 loc("g.py":30:99999999999999999999)',
    "location among the attributes": '  %x = "t.say"(%a) {s = loc("f.py":1:2)} : (i32) -> i32\n' * 2,
    "sign in a string": '  %x = "t.say"(%a) {s = "%a"} : (i32) -> i32\n  %y = "t.say"(%b) {s = "%b"} : (i32) -> i32',
    "quote in a string": (
        '  %x = "t.say"(%a) {s = "\\"%a"} : (i32) -> i32\n  %y = "t.say"(%b) {s = "\\"%b"} : (i32) -> i32'
    ),
    "slashes in a string": (
        '  %x = "t.say"(%a) {s = "a//b"} : (i32) -> i32\n  %y = "t.say"(%b) {s = "a//b"} : (i32) -> i32'
    ),
    "names in what nobody knows": (
        '  %x = "t.say"(%a) {s = #t.a<%a>} : (i32) -> i32\n  %y = "t.say"(%b) {s = #t.a<%b>} : (i32) -> i32'
    ),
    "attribute twice": '  "t.end"(%a) {x = 1 : i8, x = 1 : i8} : (i32) -> ()',
    "property twice": '  "t.end"(%a) <{x = 1 : i8, x = 1 : i8}> : (i32) -> ()',
    "property twice, not closed": '  "t.end"(%a) <{x = 1 : i8, x = 1 : i8} : (i32) -> ()',
    "tabs": '\t%x\t=\t"t.add"(%a,\t%b) : (i32, i32) -> i32',
    "spaces at the end": '  %x = "t.add"(%a, %b) : (i32, i32) -> i32   ',
    "carriage returns": '  %x = "t.add"(%a, %b) : (i32, i32) -> i32\r\n  %y = "t.add"(%a, %b) : (i32, i32) -> i32\r',
    "no result where one was": '  "t.add"(%a, %b) : (i32, i32) -> i32',
    "a result where none was": '  %x = "t.end"(%a) : (i32) -> ()',
    "two names for one result": '  %x, %y = "t.add"(%a, %b) : (i32, i32) -> i32',
    "name with digits in front": '  %0a = "t.add"(%a, %b) : (i32, i32) -> i32',
    "names with an end that hints lose": (
        '  %x_1 = "t.add"(%a, %b) : (i32, i32) -> i32\n  %x_2 = "t.add"(%a, %x_1) : (i32, i32) -> i32'
    ),
    "a string on the next line": '  "t.end"(%a) : (i32) -> ()\n  "t.end"',
    "other types of one name": '  "t.any"(%a) : (i32) -> ()\n  "t.any"(%c) : (f32) -> ()\n  "t.any"(%a) : (i32) -> ()',
    "not ASCII": '  %x = "t.say"(%a) {s = "é"} : (i32) -> i32\n  %y = "t.say"(%b) {s = "é"} : (i32) -> i32\n  é',
    "unknown alias": '  %x = "t.say"(%a) {s = #later} : (i32) -> i32',
    "resource": '  %x = "t.say"(%a) {s = dense_resource<r> : tensor<1xi8>} : (i32) -> i32\n' * 1
    + '  %y = "t.say"(%b) {s = dense_resource<r> : tensor<1xi8>} : (i32) -> i32',
    "regions": (
        '  "t.if"(%a) ({\n'
        '    %x = "t.add"(%a, %b) : (i32, i32) -> i32\n'
        "  }) : (i32) -> ()\n"
        '  %x = "t.add"(%a, %b) : (i32, i32) -> i32'
    ),
    "a name of a region outside": (
        '  "t.if"(%a) ({\n    %x = "t.add"(%a, %b) : (i32, i32) -> i32\n  }) : (i32) -> ()\n  "t.end"(%x) : (i32) -> ()'
    ),
    "blocks": '  "t.br"() [^bb1] : () -> ()\n^bb1:\n  %x = "t.add"(%a, %b) : (i32, i32) -> i32',
    "the name of a dialect left out": "  return",
    "end of the text": (
        '  %x = "t.add"(%a, %b) : (i32, i32) -> i32\n  "t.end"(%x) : (i32) -> ()\n}\nfunc.func @g() {\n  "t.end"'
    ),
}


@pytest.mark.parametrize("contenders", [XDSL, TOOLS], ids=["xdsl", "tools"])
@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str, contenders: Contenders):
    text = LEARNT.replace("TRAP", TRAPS[name])
    same(text, name, context(True), contenders)
    same(text.strip(), name, context(True), contenders, generic=True)


def ops(text: str) -> tuple[list[Operation], FastParser]:
    """The ops of a body, and the parser that read it."""
    found = read(FastParser, text, "text", context(True))
    assert found.module is not None
    assert isinstance(found.parser, FastParser)
    return [op for op in found.module.walk() if not op.regions], found.parser


def test_lines_alike_share_their_attributes():
    trap = '  %x = "t.say"(%k2) {s = "x"} : (i32) -> i32\n  %y = arith.addi %a, %x : i32'
    first, second = [op for op in ops(LEARNT.replace("TRAP", trap))[0] if "s" in op.attributes]
    assert all(first.attributes[name] is second.attributes[name] for name in ("s", "op_name__"))
    second.attributes["s"] = UnitAttr()
    assert first.attributes["s"] == StringAttr("x")


def test_text_without_repetition_is_not_learnt():
    lines = "\n".join(f'  "t.new"(%a) {{n = {i} : i32}} : (i32) -> ()' for i in range(500))
    _, parser = ops(LEARNT.replace("TRAP", lines))
    templates = [key for table in parser._templates.values() for key in table]  # pyright: ignore[reportPrivateUsage]
    assert 20 < sum("t.new" in key for key in templates) < 100
    same(LEARNT.replace("TRAP", lines + '\n  "t.new"(%b) {n = 499 : i32} : (i32) -> ()'), "lines", context(True))
