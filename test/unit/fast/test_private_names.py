"""
What the fast tools use of xDSL that is not public is there, and does what they take it to do; for the xDSL that is
installed.
"""

from inspect import getclosurevars, signature
from io import StringIO
from typing import Any

import pytest
from exactness import context
from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.irdl.operations import BeforeVariadicSingleAccessor
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRTokenKind

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.fast.attributes import AttributeTables
from rlx_dialect.fast.lexer import FastLexer
from rlx_dialect.fast.parser import FastParser
from rlx_dialect.fast.places import place_in
from rlx_dialect.ops import BinaryOp

# pyright: reportPrivateUsage=false


def parser(text: str, kind: type[Parser] = Parser) -> Any:
    return kind(context(True), text)


def test_the_state_of_a_parser_holds_lexer_token_and_dialects():
    state = parser("a b")._parser_state
    assert (state.lexer.pos, state.current_token.text, state.dialect_stack) == (1, "a", ["builtin"])
    state.lexer.pos = 1
    assert state.lexer.lex().text == "b"


def test_a_parser_resumes_from_a_position():
    read = parser("a b c")
    read._resume_from(3)
    assert read.pos == 4
    assert read._parser_state.current_token.kind is MLIRTokenKind.BARE_IDENT


def test_bodies_of_blocks_are_read_in_one_place():
    bodies: list[Block] = []

    class Watching(Parser):
        def _parse_block_body(self, block: Block) -> None:
            assert list(self.ssa_values) == ["a"]
            assert self._parser_state.dialect_stack[-1] == "func"
            bodies.append(block)
            super()._parse_block_body(block)

    module = parser("func.func @f(%a: i32) { func.return }", Watching).parse_module()
    assert [op.name for block in bodies for op in block.ops] == ["func.return"]
    assert isinstance(module, ModuleOp)


def test_values_are_known_by_name_in_tuples():
    read = parser('%a:2 = "t.t"() : () -> (i32, i32) %b = "t.t"(%c) : (i32) -> i32')
    first, second = read.parse_operation(), read.parse_operation()
    assert read.ssa_values == {"a": first.results, "b": second.results}
    assert list(read.forward_ssa_references) == ["c"]


@pytest.mark.parametrize("type", ["tensor<2xi8>", "vector<1xf32>", "memref<1xindex>", "tensor<1xcomplex<f32>>"])
def test_types_of_constants(type: str):
    stock, fast = parser(type), parser(type, AttributeTables)
    assert stock._parse_dense_literal_type() == fast._parse_dense_literal_type()


@pytest.mark.parametrize("type", ["i8", "tensor<?xi8>", "tensor<1x!t.t>", "tensor<*xi8>", "+"])
def test_errors_of_types_of_constants(type: str):
    errors: list[str] = []
    for kind in (Parser, AttributeTables):
        with pytest.raises(Exception) as caught:
            parser(type, kind)._parse_dense_literal_type()
        errors.append(f"{caught.type} {caught.value}")
    assert errors[0] == errors[1]


def test_stock_still_makes_the_constraint_for_each_constant():
    assert "base" in Parser._parse_dense_literal_type.__code__.co_names
    assert isinstance(parser("dense<1> : tensor<2xi8>").parse_attribute(), DenseIntOrFPElementsAttr)


def test_what_is_overridden_takes_the_same_arguments():
    for fast, stock in ((AttributeTables, Parser), (FastParser, Parser), (FastLexer, MLIRLexer)):
        for name, method in vars(fast).items():
            if callable(method) and hasattr(stock, name) and not name.startswith("__"):
                assert signature(method).parameters.keys() == signature(getattr(stock, name)).parameters.keys(), name


def test_every_spelling_of_punctuation_is_lexed():
    for spelling, kind in KIND_BY_PUNCTUATION_SPELLING.items():
        lexer = FastLexer(MLIRLexer(Input(spelling, "text")))
        assert (lexer.lex().kind, lexer.lex().kind) == (kind, MLIRTokenKind.EOF)
        assert lexer.stock.pos == len(spelling) + 1


def test_a_printer_knows_values_by_name_and_its_column():
    value = Block(arg_types=[i32]).args[0]
    printer = Printer(StringIO())
    printer.print_ssa_value(value)
    assert printer._ssa_values == {value: "0"}
    printer.print_string(" = ")
    assert printer._current_column == 5
    printer.print_string("ab\nc")
    assert printer._current_column == 1


def test_the_verifier_of_irdl_holds_that_of_the_class():
    held = getclosurevars(AddiOp.verify_).nonlocals
    assert set(held) == {"op_def", "custom_verify"}
    assert held["custom_verify"] is Operation.verify_
    own = getclosurevars(FuncOp.verify_).nonlocals
    assert set(own) == {"op_def", "custom_verify"}
    assert own["custom_verify"] is not Operation.verify_
    assert all(isinstance(trait, OpTrait) for trait in AddiOp.traits)


def test_types_of_a_tensor_are_shared_by_text():
    read = parser("tensor<2xi8> tensor<2xi8> tensor<2xi8", AttributeTables)
    first = read.parse_type()
    assert first == TensorType(first.element_type, [2])
    assert read.parse_type() is first
    with pytest.raises(Exception, match="Expected '>' after builtin parameter list"):
        read.parse_type()


def test_places_are_what_the_constructor_gives():
    wanted = FileLineColLoc(StringAttr("f"), IntAttr(3), IntAttr(4))
    made = place_in("f", 3, 4)
    assert (made, hash(made), str(made), vars(made)) == (wanted, hash(wanted), str(wanted), vars(wanted))
    made.verify()


def test_accessors_of_operands_are_as_quick_ones_take_them_to_be():
    lhs, rhs = Block(arg_types=[TensorType(f32, [2])] * 2).args
    op = BinaryOp(BinaryKind.ADD, lhs, rhs)
    assert type(vars(AddiOp)["lhs"]) is BeforeVariadicSingleAccessor
    assert isinstance(vars(BinaryOp)["lhs"], BeforeVariadicSingleAccessor)
    assert type(vars(BinaryOp)["lhs"]) is not BeforeVariadicSingleAccessor
    assert (op.lhs, op.rhs, op.result) == (lhs, rhs, op.results[0])
    assert op._operands == (lhs, rhs)
    with pytest.raises(NotImplementedError):
        op.lhs = rhs
