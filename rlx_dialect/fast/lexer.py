"""MLIR tokens by one regular expression. Whatever it does not know, errors among it, is left to another lexer."""

import re

from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRTokenKind, StringLiteral

SPACE = r"(?:[ \t\n\r\f\v]++|//[^\n]*+)*+"
"""What stands between tokens."""

NAME = r"(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"
"""What follows the sign of a prefixed identifier such as `%x`."""

_WORD = r"[a-zA-Z_][a-zA-Z0-9_$.]*+"
_NUMBER = r"0x[0-9a-fA-F]++|[0-9]++(?!\.)"
_GROUPS: tuple[tuple[str, MLIRTokenKind | None], ...] = (
    (_WORD, MLIRTokenKind.BARE_IDENT),
    (rf"%{NAME}", MLIRTokenKind.PERCENT_IDENT),
    (r"->|\{-#|#-\}|[:,()}\[\]<>=+/*?|{-]|\.\.\.", None),
    (r'"[^"\\\n\v\f]*+"', MLIRTokenKind.STRING_LIT),
    (_NUMBER, MLIRTokenKind.INTEGER_LIT),
    (r"[0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]++)?", MLIRTokenKind.FLOAT_LIT),
    (rf"@{_WORD}", MLIRTokenKind.AT_IDENT),
    (rf"!{NAME}", MLIRTokenKind.EXCLAMATION_IDENT),
    (rf"#{NAME}", MLIRTokenKind.HASH_IDENT),
    (rf"\^{NAME}", MLIRTokenKind.CARET_IDENT),
)
"""Each kind of token in a group of its own; None stands for punctuation, of which each spelling is a kind."""

_TOKEN = re.compile(SPACE + "(?:" + "|".join(f"({pattern})" for pattern, _ in _GROUPS) + ")").match
_KINDS = (None, *(kind for _, kind in _GROUPS))


class FastToken(Token[MLIRTokenKind, str]):
    """A token that makes its span when somebody asks for it."""

    __slots__ = ("input", "kind", "start", "text")

    def __init__(self, kind: MLIRTokenKind, text: str, start: int, input: Input[str]):
        self.kind = kind
        self.text = text  # pyright: ignore[reportIncompatibleMethodOverride, reportAttributeAccessIssue] (a property of the base)
        self.start = start
        self.input = input

    @property
    def span(self) -> Span[str]:  # pyright: ignore[reportIncompatibleVariableOverride] (a field of the base)
        kind = StringLiteral if self.kind in (MLIRTokenKind.STRING_LIT, MLIRTokenKind.BYTES_LIT) else Span
        return kind(self.start, self.start + len(self.text), self.input)


class FastLexer(MLIRLexer):
    """Gives the tokens of `stock`, which is asked for those that the regular expression does not match."""

    def __init__(self, stock: MLIRLexer):
        super().__init__(stock.input)
        self.stock = stock

    def lex(self) -> FastToken:
        match = _TOKEN(self.input.content, self.pos)
        if match is None:
            return self._lex_stock()
        group = match.lastindex
        assert group is not None
        text = match[group]
        self.pos = end = match.end()
        return FastToken(_KINDS[group] or KIND_BY_PUNCTUATION_SPELLING[text], text, end - len(text), self.input)

    def _lex_stock(self) -> FastToken:
        self.stock.pos = self.pos
        token = self.stock.lex()
        self.pos = self.stock.pos
        return FastToken(token.kind, token.text, token.span.start, self.input)
