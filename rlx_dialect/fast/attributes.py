"""Types and attribute dictionaries that were read before are taken from a table by their text."""

import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

from xdsl.dialects import builtin
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import base
from xdsl.parser import Parser, ParserState
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, PunctuationSpelling

from rlx_dialect.fast.lexer import SPACE, FastLexer, FastToken

ReadT = TypeVar("ReadT")
DenseType = builtin.RankedStructure[builtin.IntegerType | builtin.IndexType | builtin.AnyFloat | builtin.ComplexType]

LONGEST = 1000
"""How many characters a text has at most that is remembered."""

_SCALAR = r"(?:[su]?i[0-9]+|index|bf16|tf32|f[0-9][0-9A-Z]*)(?![a-zA-Z0-9_$.])"
_TYPE = rf"(?:(?:tensor|memref|vector)<[^<>()\"#!/\n]*+>|{_SCALAR})"
_TYPES = rf"\((?:{_TYPE}(?:, {_TYPE})*+)?\)"
_PIECE = r'(?:[^{}"\n]|"[^"\\\n]*+")*+'
TYPE = re.compile(_TYPE)
FUNCTION = re.compile(rf"{_TYPES} -> (?:{_TYPE}|{_TYPES})")
DICTIONARY = re.compile(rf"\{{{_PIECE}\}}")
PROPERTIES = re.compile(rf"<\{{{_PIECE}\}}>")
RESOURCE = "dense_resource"
"""A text with this has an effect: it declares the resource."""

_SPACE = re.compile(SPACE)
_DENSE = base(DenseType)


class AttributeTables(Parser):
    """
    A parser that remembers, by their text, builtin types, function types and dictionaries.

    A text is remembered if the stock parser read exactly it, and only within one parser: aliases mean the same from
    their definition on.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._known: dict[str, object] = {}
        self._parser_state = ParserState(FastLexer(cast(MLIRLexer, self.lexer)))

    @property
    def pos(self) -> int:
        return cast(FastToken, self._parser_state.current_token).start

    def parse_optional_punctuation(self, punctuation: PunctuationSpelling) -> PunctuationSpelling | None:
        state = self._parser_state
        if state.current_token.text != punctuation:
            return None
        state.current_token = state.lexer.lex()
        return punctuation

    def parse_punctuation(self, punctuation: PunctuationSpelling, context_msg: str = "") -> PunctuationSpelling:
        return self.parse_optional_punctuation(punctuation) or super().parse_punctuation(punctuation, context_msg)

    def ends_at(self, end: int) -> bool:
        """Whether the token before the current one ends at `end`."""
        space = _SPACE.match(self.lexer.input.content, end)
        return space is not None and space.end() == self.pos

    def _remembered(self, first: MLIRTokenKind, pattern: re.Pattern[str], read: Callable[[], ReadT]) -> ReadT:
        if self._parser_state.current_token.kind is not first:
            return read()
        start = self.pos
        match = pattern.match(self.lexer.input.content, start, start + LONGEST)
        if match is None or match.end() == start + LONGEST:
            return read()
        text = match[0]
        if text in self._known:
            self._resume_from(match.end())
            return cast(ReadT, self._known[text])
        result = read()
        if result is not None and RESOURCE not in text and self.ends_at(match.end()):
            self._known[text] = result
        return result

    def parse_optional_type(self) -> TypeAttribute | None:
        return self._remembered(MLIRTokenKind.BARE_IDENT, TYPE, super().parse_optional_type)

    def parse_optional_function_type(self) -> builtin.FunctionType | None:
        return self._remembered(MLIRTokenKind.L_PAREN, FUNCTION, super().parse_optional_function_type)

    def parse_optional_dictionary_attr_dict(self) -> dict[str, Attribute]:
        return dict(self._remembered(MLIRTokenKind.L_BRACE, DICTIONARY, super().parse_optional_dictionary_attr_dict))

    def parse_optional_properties_dict(self) -> dict[str, Attribute]:
        return dict(self._remembered(MLIRTokenKind.LESS, PROPERTIES, super().parse_optional_properties_dict))

    def _parse_dense_literal_type(self) -> DenseType:
        """The stock parser makes the constraint on the type anew for each constant."""
        type = self.expect(self.parse_optional_type, "Dense attribute must be typed!")
        if not _DENSE.verifies(type):
            self.raise_error("Expected memref, vector or tensor type of integer, index, float, or complex type")
        if builtin.DYNAMIC_INDEX in type.get_shape():
            self.raise_error("Dense literal attribute should have a static shape.")
        return type
