"""
Every workaround for xDSL, each with the fault it repairs. `test/unit/test_xdsl_repairs.py` fails once one is obsolete.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import copysign, inf
from typing import cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    RankedStructure,
    TensorType,
    f16,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, BaseParser, ParserState, Position
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

from rlx_dialect.locations import LocationParser

# pyright: reportPrivateUsage=false


_INFINITE: Mapping[Attribute, float] = {f16: 65520.0, f32: 2.0**128 - 2.0**103}
"""From where on a number is infinite once rounded to the type, for the types whose packing refuses such a number."""


class _Number(AttrParser._TensorLiteralElement):
    """A tensor element that is infinite where its float type ends, as in MLIR. xDSL raises `OverflowError` here."""

    def to_type(self, parser: AttrParser, type: Attribute):
        if isinstance(type, ComplexType):
            parser.raise_error(f"expected a pair of numbers for {type}", at_position=self.span)
        value = super().to_type(parser, type)  # pyright: ignore[reportArgumentType]
        if type in _INFINITE and isinstance(value, float) and abs(value) >= _INFINITE[type]:
            return copysign(inf, value)
        return value


class _Bits(AttrParser._TensorLiteralElement):
    """A tensor element written in hex: the bits of the float, not its value."""

    def to_type(self, parser: AttrParser, type: Attribute):
        if not isinstance(type, AnyFloat):
            return super().to_type(parser, type)  # pyright: ignore[reportArgumentType]
        size = type.compile_time_size
        if not isinstance(self.value, int) or self.value < 0 or self.value >= 1 << (8 * size):
            parser.raise_error(f"hexadecimal float constant out of range for {type}", at_position=self.span)
        return type.unpack(self.value.to_bytes(size, "little"), 1)[0]


class _Pair(AttrParser._TensorLiteralElement):
    """A complex tensor element; its parts read as other elements do. xDSL takes parts in hex for integer values."""

    parts: tuple[AttrParser._TensorLiteralElement, ...]

    def to_type(self, parser: AttrParser, type: Attribute):  # pyright: ignore[reportIncompatibleMethodOverride]
        if not isinstance(type, ComplexType):
            return super().to_type(parser, type)  # pyright: ignore[reportArgumentType]
        element = cast("ComplexType[AnyFloat]", type).element_type
        return tuple(part.to_type(parser, element) for part in self.parts)


_from_list = cast("Callable[..., DenseIntOrFPElementsAttr]", DenseIntOrFPElementsAttr.from_list)
"""xDSL types it by kinds of elements; here the kind is only known when the program is read."""


def signed64(value: int) -> int:
    """`value` itself. Raises `ValueError` where i64 holds another: xDSL wraps what is too large if signed."""
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{value} does not fit into a signed integer of 64 bits")
    return value


def parsed64(parser: BaseParser, value: int, start: Position) -> int:
    """The same for a number that was read from `start` on; a parse error for one that does not fit."""
    try:
        return signed64(value)
    except ValueError as error:
        parser.raise_error(str(error), start, parser.pos)


class RlxLexer(MLIRLexer):
    """
    Refuses a string without its closing quote at once. xDSL's expression for strings repeats a repetition, so that it
    tries every way to cut the rest of the line in pieces, which takes for ever.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        """
        Escaped UTF-8 is text. xDSL's lexer takes it for bytes, contrary to its own documentation, so that xDSL does not
        read back the names with letters outside of ASCII that its printer writes.
        """
        token = super()._lex_string_literal(start_pos)
        if token.kind is not MLIRTokenKind.BYTES_LIT:
            return token
        try:
            StringLiteral.from_span(token.span).bytes_contents.decode()
        except UnicodeDecodeError:
            return token
        return Token(MLIRTokenKind.STRING_LIT, token.span)


MOST_BITS = 16777215
"""As many bits MLIR's integer types have."""

_BLOB = re.compile(r"0x(?:[0-9A-Fa-f]{2}){4,}+")


class RlxParser(LocationParser):
    """
    Reads `dense<0xFF800000> : tensor<f32>` as -inf. xDSL's parser takes the hex digits for an integer value, so that it
    does not read back what its own printer wrote (xdslproject/xdsl#2421), `dense<1.0e300> : tensor<f32>` as inf, and
    the parts of complex elements likewise. Lexes with `RlxLexer`.

    Reads a splat as the one element that it is. xDSL's parser makes a list of as many equal elements as the type has,
    which for `tensor<10000x10000xf32>` takes half a minute and gigabytes.

    Refuses an attribute such as `18446744073709551615 : i64`. xDSL's parser reads it as -1; hexadecimal means the bits.

    Refuses what is too large for MLIR, a dim beyond 64 bits and an integer type beyond 16777215, and a resource that is
    not a whole number of bytes, four of which give the alignment. xDSL's parser takes them as they are.

    Reads the locations that `rlx_dialect.locations` has, which xDSL's parser refuses.
    """

    def __init__(self, ctx: Context, input: str | bytes, name: str = "<unknown>") -> None:
        super().__init__(ctx, "", name)
        text = input.decode("utf-8") if isinstance(input, bytes) else input
        self._parser_state = ParserState(RlxLexer(Input(text, name)))

    def parse_integer(self, allow_boolean: bool = True, allow_negative: bool = True, context_msg: str = "") -> int:
        start = self.pos
        return parsed64(self, super().parse_integer(allow_boolean, allow_negative, context_msg), start)

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        token = self._current_token
        attribute = super().parse_optional_builtin_int_or_float_attr()
        if isinstance(attribute, IntegerAttr) and attribute.type == i64 and token.text.isdecimal():
            parsed64(self, int(token.text), token.span.start)
        return attribute

    def parse_shape_dimension(self, allow_dynamic: bool = True) -> int:
        start = self.pos
        size = super().parse_shape_dimension(allow_dynamic)
        if size >= 1 << 63:
            self.raise_error(f"a dim is less than 2^63, got {size}", start, start + len(str(size)))
        return size

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        start = self.pos
        type = super()._parse_optional_integer_or_float_type()
        bits: int = getattr(type, "bitwidth", 0)
        if bits > MOST_BITS:
            self.raise_error(f"an integer type has at most {MOST_BITS} bits, got {bits}", start, start + len(str(type)))
        return type

    def _parse_resource(self, dialect_name: str, interface: OpAsmDialectInterface) -> None:
        start = self.pos
        super()._parse_resource(dialect_name, interface)
        text = self.lexer.input.content
        end = text.rindex('"', start, self.pos)
        start = text.rindex('"', start, end)
        if _BLOB.fullmatch(text, start + 1, end) is None:
            self.raise_error("a resource is 0x and two digits for each of its bytes, at least 4", start, end + 1)

    def parse_dense_int_or_fp_elements_attr(self, type: RankedStructure[AnyDenseElement] | None):
        start = self.pos
        self.parse_punctuation("<", " in dense attribute")
        if self._current_token.kind in (MLIRTokenKind.L_SQUARE, MLIRTokenKind.STRING_LIT, MLIRTokenKind.GREATER):
            self._resume_from(start)
            return super().parse_dense_int_or_fp_elements_attr(type)
        element = self._parse_tensor_literal_element()
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        value = element.to_type(self, type.element_type)
        single = _from_list(TensorType(type.element_type, []), [value])
        return DenseIntOrFPElementsAttr(type, BytesAttr(b"") if 0 in type.get_shape() else single.data)

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        if self._current_token.kind is MLIRTokenKind.L_PAREN:
            return self._parse_pair()
        is_hex = self._current_token.text[:2].lower() == "0x"
        element = super()._parse_tensor_literal_element()
        return (_Bits if is_hex else _Number)(element.is_negative, element.value, element.span)

    def _parse_pair(self) -> _Pair:
        start = self._consume_token().span.start
        real = self._parse_tensor_literal_element()
        self.parse_punctuation(",")
        imaginary = self._parse_tensor_literal_element()
        self.parse_punctuation(")")
        result = _Pair(False, (0.0, 0.0), Span(start, self.pos, self.lexer.input))
        result.parts = (real, imaginary)
        return result


def retype(value: SSAValue, type: Attribute) -> None:
    """Give `value` another type in place; xDSL only offers to replace the value by a new one."""
    value._type = type


class DominanceException(VerifyException):
    """A value that is used where it is not defined; `op` is the user."""

    def __init__(self, message: str, op: Operation):
        super().__init__(message)
        self.op = op


def verify_dominance(root: Operation, reaching: Sequence[Operation] | None = None) -> None:
    """
    Check that every operand is defined before it is used; raises `DominanceException` otherwise. `reaching` are the ops
    that read values from elsewhere than before them in their block, if the caller knows.

    xDSL's verifier checks dominance only between blocks, so it accepts a use before its definition in the
    same block. Linear in the number of ops; iterative, so that deep nesting and long chains are no problem.
    """
    if reaching is None:
        reaching = _reaching(root)
    if not reaching:
        return
    position = {op: i for i, op in enumerate(root.walk())}
    for op in reaching:
        at = position[op]
        for index, operand in enumerate(op.operands):
            owner = operand.owner
            if isinstance(owner, Block):
                continue
            if owner.parent is op.parent and position.get(owner, at) < at:
                continue
            if owner not in position:
                raise DominanceException(
                    f"operand #{index} of '{op.name}' is defined by an op outside of the module", op
                )
            user = _ancestor_in(owner.parent, op)
            if user is None:
                if not _reaches(owner, op):
                    raise DominanceException(
                        f"operand #{index} of '{op.name}' is not visible here: it is defined by '{owner.name}'", op
                    )
            elif user is owner or position[owner] >= position[user] or at < position[owner]:
                raise DominanceException(
                    f"operand #{index} of '{op.name}' does not dominate this use: '{owner.name}' comes after it", op
                )


def _reaching(root: Operation) -> Sequence[Operation]:
    """The ops that read a value from elsewhere than before them in their block."""
    found: list[Operation] = []
    visible: dict[Block | None, set[int]] = {}
    block, here = None, set[int]()
    for op in root.walk():
        if op.parent is not block:
            block = op.parent
            if block not in visible:
                visible[block] = set(map(id, () if block is None else block.args))
            here = visible[block]
        if not here.issuperset(map(id, op.operands)):
            found.append(op)
        here.update(map(id, op.results))
    return found


def _ancestor_in(block: Block | None, op: Operation) -> Operation | None:
    """The op in `block` that is `op` or holds it."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def _reaches(owner: Operation, op: Operation) -> bool:
    """Whether `owner` is in another block of a region that also holds `op`; xDSL's verifier checks those."""
    region = owner.parent_region()
    current: Operation | None = op
    while current is not None:
        if current.parent_region() is region:
            return True
        current = current.parent_op()
    return False


def parse_module(context: Context, text: str, name: str = "input") -> ModuleOp:
    """Parse `text` with the repaired parser."""
    return RlxParser(context, text, name).parse_module()
