"""Each repair works, and is still needed: a test here that fails says that the workaround can go."""

import re
from typing import Any, cast

import numpy as np
import pytest
from programs import context, parse
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from rlx_dialect.constants import array_of
from rlx_dialect.xdsl_repairs import RlxParser, verify_dominance
from rlx_passes.reading.diagnostics import DiagnosticError
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse as read
from rlx_passes.reading.source import Source

HEX = {
    "splat": ("dense<0xFF800000> : tensor<f32>", [-np.inf]),
    "stretched splat": ("dense<0x7F800000> : tensor<2xf32>", [np.inf, np.inf]),
    "list": ("dense<[1.0, 0xFF800000]> : tensor<2xf32>", [1.0, -np.inf]),
    "nested list": ("dense<[[0x7FC00000], [2.0]]> : tensor<2x1xf32>", [np.nan, 2.0]),
    "f16": ("dense<0xFC00> : tensor<f16>", [-np.inf]),
    "bf16": ("dense<0xFF80> : tensor<bf16>", [-np.inf]),
    "f64": ("dense<0xFFF0000000000000> : tensor<f64>", [-np.inf]),
    "hex string": ('dense<"0x000080FF"> : tensor<1xf32>', [-np.inf]),
    "integers": ("dense<0x10> : tensor<i32>", [16]),
}


@pytest.mark.parametrize("name", HEX)
def test_hex_constants_are_bits(name: str):
    text, expected = HEX[name]
    module = parse(f"%0 = arith.constant {text}")
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    np.testing.assert_array_equal(array_of(op.value).ravel(), np.array(expected))
    assert str(parse(str(module))) == str(module)


def test_hex_constants_too_long_are_refused():
    with pytest.raises(ParseError, match="hexadecimal float constant out of range for f16"):
        parse("%0 = arith.constant dense<0x1FC00> : tensor<f16>")


def test_stock_parser_still_reads_them_as_integers():
    module = Parser(context(), "%0 = arith.constant dense<0xFF800000> : tensor<f32>").parse_module()
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    assert array_of(op.value) == np.float32(0xFF800000)


BEYOND = {
    "dim": ('"other.op"() : () -> tensor<9223372036854775808x4xf32>', "a dim is less than 2^63"),
    "vector": ('"other.op"() : () -> vector<99999999999999999999xf32>', "a dim is less than 2^63"),
    "memref": ('"other.op"() {t = memref<4x99999999999999999999xf32>} : () -> ()', "a dim is less than 2^63"),
    "bits": ('"other.op"() : () -> tensor<4xsi16777216>', "an integer type has at most 16777215 bits, got 16777216"),
    "half a byte": (
        '"other.op"() {v = dense_resource<b> : tensor<1xf32>} : () -> ()\n'
        '{-# dialect_resources: { builtin: { b: "0x040000000000803" } } #-}',
        "a resource is 0x and two digits for each of its bytes",
    ),
    "no alignment": (
        '"other.op"() {v = dense_resource<b> : tensor<1xi8>} : () -> ()\n'
        '{-# dialect_resources: { builtin: { b: "0x0400" } } #-}',
        "a resource is 0x and two digits for each of its bytes, at least 4",
    ),
}


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.parametrize("stock", [True, False])
def test_f48_what_is_too_large_for_mlir_is_refused_in_any_dialect(
    name: str, stock: bool, monkeypatch: pytest.MonkeyPatch
):
    if stock:
        monkeypatch.setenv("RLX_STOCK_PARSER", "1")
    text, message = BEYOND[name]
    permissive = tool_context()
    permissive.allow_unregistered = True
    with pytest.raises(DiagnosticError, match=re.escape(message)) as refusal:
        read(permissive, Source("f.mlir", text))
    wrong = re.search(r'"0x\w+"|9{20}|9223372036854775808|si\d+', text)
    assert wrong is not None
    line, column = text.count("\n", 0, wrong.start()) + 1, wrong.start() - text.rfind("\n", 0, wrong.start())
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.place is not None
    assert (diagnostic.place.line, diagnostic.place.column) == (line, column)


@pytest.mark.parametrize("name", BEYOND)
def test_f48_stock_parser_still_takes_it(name: str):
    permissive = context()
    permissive.allow_unregistered = True
    Parser(permissive, BEYOND[name][0]).parse_module()


LARGE = {
    "list": ("dense<[1.0e300, -1.0e39, 3.4e38]> : tensor<3xf32>", [np.inf, -np.inf, np.float32(3.4e38)]),
    "splat": ("dense<-1.0e300> : tensor<2xf32>", [-np.inf, -np.inf]),
    "f16": ("dense<[65520.0, 65519.0, -1.0e30]> : tensor<3xf16>", [np.inf, 65504, -np.inf]),
    "complex": ("dense<[(1.0e300, -2.0)]> : tensor<1xcomplex<f32>>", [complex(np.inf, -2)]),
    "complex hex": (
        "dense<[(0x7F800000, -2.0), (0x80000000, 0x7FC00000)]> : tensor<2xcomplex<f32>>",
        [complex(np.inf, -2), complex(-0.0, np.nan)],
    ),
    "complex splat": ("dense<(-1, 0xFF800000)> : tensor<2xcomplex<f32>>", [complex(-1, -np.inf)] * 2),
    "largest": (
        "dense<[3.4028235677973362e38, 3.4028235677973366e38]> : tensor<2xf32>",
        [np.finfo(np.float32).max, np.inf],
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_numbers_beyond_a_type_are_infinite(name: str):
    text, expected = LARGE[name]
    module = parse(f"%0 = arith.constant {text}")
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    np.testing.assert_array_equal(array_of(op.value).ravel(), np.array(expected))
    assert str(parse(str(module))) == str(module)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dense<[1.0]> : tensor<1xcomplex<f32>>", "expected a pair of numbers for complex<f32>"),
        ("dense<(1.0, 2.0)> : tensor<1xf32>", "No conversion from complex to float"),
        ("dense<(1.0, (2.0, 3.0))> : tensor<1xcomplex<f32>>", "No conversion from complex to float"),
        ("dense<(1.0)> : tensor<1xcomplex<f32>>", "Expected ','"),
        ("dense<[(1.0, 0x100000000)]> : tensor<1xcomplex<f32>>", "hexadecimal float constant out of range for f32"),
    ],
)
def test_wrong_complex_elements_are_refused(text: str, message: str):
    with pytest.raises(ParseError, match=re.escape(message)):
        parse(f"%0 = arith.constant {text}")


def test_stock_parser_still_reads_complex_bits_as_integers():
    module = Parser(context(), "%0 = arith.constant dense<[(0x7F800000, 0)]> : tensor<1xcomplex<f32>>").parse_module()
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    assert array_of(op.value) == np.complex64(0x7F800000)


def test_stock_parser_still_leaks_the_overflow():
    with pytest.raises(OverflowError):
        Parser(context(), "%0 = arith.constant dense<[1.0e300]> : tensor<1xf32>").parse_module()


SPLAT = "%0 = arith.constant dense<1.0> : tensor<1000000x1000000xf32>"


def test_a_splat_is_one_element():
    module = parse(SPLAT)
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    assert array_of(op.value).shape == (1000000, 1000000)
    assert array_of(op.value)[7, 9] == 1
    assert str(parse(str(module))) == str(module)
    for text in ("dense<3> : tensor<0x2xi32>", "dense<[1, 1]> : tensor<2xi8>", "dense<true> : tensor<2x2xi1>"):
        assert text in str(parse(f"%0 = arith.constant {text}")).replace("dense<>", "dense<3>").replace(
            "<1>", "<[1, 1]>"
        )


def test_stock_parser_still_stretches_splats():
    module = Parser(context(), "%0 = arith.constant dense<1.0> : tensor<3x4xf32>").parse_module()
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    assert len(cast("DenseIntOrFPElementsAttr[Any]", op.value).data.data) == 3 * 4 * 4


WRAPPED = "module attributes {{a = {} : i64}} {{}}"


def test_integers_that_would_wrap_are_refused():
    for text in ("9223372036854775808", "18446744073709551615"):
        with pytest.raises(ParseError, match=f"{text} does not fit into a signed integer of 64 bits"):
            parse(WRAPPED.format(text))
    for text, value in (
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("0xFFFFFFFFFFFFFFFE", -2),
    ):
        assert parse(WRAPPED.format(text)).attributes["a"] == IntegerAttr(value, 64)
    other = parse("module attributes {a = 18446744073709551615 : ui64, b = 255 : i8} {}")
    assert [str(each) for each in other.attributes.values()] == ["18446744073709551615 : ui64", "-1 : i8"]
    numbers = "%0 = arith.constant dense<[18446744073709551615, 1]> : tensor<2xui64>"
    assert numbers in str(parse(numbers))


def test_stock_parser_still_wraps_integers():
    module = Parser(context(), WRAPPED.format("18446744073709551615")).parse_module()
    assert module.attributes["a"] == IntegerAttr(-1, 64)


UNCLOSED = '"func.func"() <{sym_name = "f}> ({ }) : () -> ()' + " " * 40


@pytest.mark.parametrize("text", [UNCLOSED, UNCLOSED[::-1], '"' + "a" * 100_000, '"' + r"\0A" * 1000])
def test_unclosed_strings_are_refused_at_once(text: str):
    with pytest.raises(ParseError):
        parse(text)


def test_strings_keep_their_escapes():
    text = r'"builtin.module"() ({ ^bb0: }) {a = "", b = "q\"n\nt\tb\\h", c = "plain"} : () -> ()'
    module = parse(text)
    assert module.attributes["b"] == StringAttr('q"n\nt\tb\\h')
    assert str(parse(str(module))) == str(module)


def test_escaped_utf_8_is_text():
    module = parse('module attributes {a = "größe \\F0\\9F\\98\\80", b = "\\FF"} {}')
    assert module.attributes == {"a": StringAttr("größe 😀"), "b": BytesAttr(b"\xff")}
    assert parse(str(module)).attributes == module.attributes
    name = 'func.func private @"ä"()'
    assert str(parse(str(parse(name)))) == str(parse(name))


def test_stock_lexer_still_takes_it_for_bytes():
    token = MLIRLexer(Input('"\\C3\\A4"', "text")).lex()
    assert token.kind is MLIRTokenKind.BYTES_LIT


def test_stock_expression_for_strings_still_repeats_a_repetition():
    assert "+|" in MLIRLexer._unescaped_characters_regex.pattern  # pyright: ignore[reportPrivateUsage] # the fault


BEFORE_DEFINITION = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = rlx.activation relu %1 : tensor<2xf32>
  %1 = rlx.activation relu %x : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""

OUT_OF_A_REGION = """
func.func @f(%c: i1, %x: tensor<2xf32>) {
  "scf.if"(%c) ({
    %0 = rlx.activation relu %x : tensor<2xf32>
    scf.yield
  }, {
  }) : (i1) -> ()
  %1 = rlx.activation relu %x : tensor<2xf32>
  func.return
}"""

INTO_A_REGION = """
func.func @f(%c: i1, %x: tensor<2xf32>) {
  %0 = rlx.activation relu %x : tensor<2xf32>
  "scf.if"(%c) ({
    %1 = rlx.activation relu %0 : tensor<2xf32>
    scf.yield
  }, {
  }) : (i1) -> ()
  func.return
}"""


def unchecked(text: str) -> ModuleOp:
    return RlxParser(context(), text).parse_module()


def test_a_use_before_its_definition_is_refused():
    with pytest.raises(VerifyException, match=r"operand #0 of 'rlx.activation' does not dominate this use"):
        verify_dominance(unchecked(BEFORE_DEFINITION))


def test_stock_verifier_still_accepts_it():
    unchecked(BEFORE_DEFINITION).verify()


def test_a_value_does_not_leave_its_region():
    module = unchecked(OUT_OF_A_REGION)
    inner, outer = [op for op in module.walk() if op.name == "rlx.activation"]
    outer.operands[0] = inner.results[0]
    with pytest.raises(VerifyException, match="is not visible here"):
        verify_dominance(module)


def test_a_value_may_enter_a_region():
    verify_dominance(unchecked(INTO_A_REGION))


def test_long_chains_are_no_problem():
    lines = [f"%{i + 1} = rlx.activation relu %{i} : tensor<1xf32>" for i in range(20_000)]
    module = unchecked("\n".join(["%0 = arith.constant dense<1.0> : tensor<1xf32>", *lines]))
    verify_dominance(module)


def test_f42_locations_named_after_the_module():
    text = """func.func @main() {
  %0 = arith.constant 1 : i32 loc(#loc2)
  func.return loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("a.py":3:1)
#loc2 = loc("add"(#loc3))
#loc3 = loc(callsite("b.py":1:2 at #loc1))
"""
    module = read(tool_context(), Source("<text>", text))
    constant = next(op for op in module.walk() if isinstance(op, ConstantOp))
    assert str(constant.location) == 'loc("add"(callsite("b.py":1:2 at "a.py":3:1)))'
    with pytest.raises(DiagnosticError, match="undefined symbol alias '#loc4'"):
        read(tool_context(), Source("<text>", text.replace("at #loc1", "at #loc4")))
    with pytest.raises(DiagnosticError, match="re-declaration of alias '#loc1'"):
        read(tool_context(), Source("<text>", text + '#loc1 = loc("b.py":3:1)\n'))
