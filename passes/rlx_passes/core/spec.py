"""
The text form of a pipeline.

    pipeline ::= element (`,` element)*
    element  ::= `builtin.module` `(` pipeline `)` | name (`{` option (space option)* `}`)? | name `[` text `]`
    option   ::= key (`=` (word (`,` word)*)?)?
    word     ::= `"` text `"` | any run of characters without space, comma, brace, bracket or quote

Keys are printed with dashes and read with dashes or underscores. A word is quoted only where xDSL's own grammar or this
one would read it otherwise. What a word means depends on the type of the pass's option, so `chip=90` may be text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import TYPE_CHECKING, Any

from rlx_passes.core.errors import PipelineError

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

ROOT = "builtin.module"

_BARE = re.compile(r"[A-Za-z0-9_-]+|[-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?")
_TOKEN = re.compile(
    r"""(?P<space>\s+) | (?P<string>"(?:\\.|[^"\\\n])*") | (?P<text>\[[^\]\n]*\]) | (?P<mark>[(){},=])
      | (?P<word>[^\s(){}\[\],="]+)""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}

Options = tuple[tuple[str, tuple[str, ...] | None], ...]


@dataclass(frozen=True)
class PassSpec:
    """
    A pass by name, with its options as words. A bare key has None, an empty list `()`.

    Keys stand with dashes. `str()` gives the text, which `parse_pipeline` reads back to an equal spec.
    """

    name: str
    options: Options = ()

    def __str__(self) -> str:
        if self.name == "mlir-opt" and self.options:
            return self.name + _mlir_pipeline(self.options)
        if not self.options:
            return self.name
        return self.name + "{" + " ".join(_print_option(key, words) for key, words in self.options) + "}"

    def option(self, key: str) -> tuple[str, ...] | None:
        """The words of an option, or None where it is absent or bare."""
        return dict(self.options).get(key)


def options_of(pass_: "ModulePass | type[ModulePass]") -> "Mapping[str, Field[Any]]":
    """The fields of a pass that its text form sets, by their keys."""
    return {option_key(field.name): field for field in fields(pass_) if field.init and field.name != "name"}


def option_key(field: str) -> str:
    """The text of a field's name: dashes, and without the underscore that keeps a name from being a keyword."""
    return field.rstrip("_").replace("_", "-")


def print_pipeline(specs: Iterable[PassSpec]) -> str:
    """The flat text of a pipeline."""
    return ",".join(map(str, specs))


def parse_pipeline(text: str) -> tuple[PassSpec, ...]:
    """
    The passes of a pipeline string, `builtin.module(...)` at any depth opened up.

    Raises PipelineError with the string and a caret under the place.
    """
    return _Reader(text).pipeline()


def parse_spec(text: str) -> PassSpec:
    """One pass with its options."""
    specs = parse_pipeline(text)
    if len(specs) != 1:
        raise PipelineError(f"expected one pass, got {len(specs)}: {text}")
    return specs[0]


def _print_option(key: str, words: tuple[str, ...] | None) -> str:
    return key if words is None else key + "=" + ",".join(map(_print_word, words))


def _print_word(word: str) -> str:
    if _BARE.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def _mlir_pipeline(options: Options) -> str:
    """The bracket form of xDSL's bridge to mlir-opt, where the options are those that it stands for."""
    words = dict(options).get("arguments")
    if words and tuple(words[:-1]) == _MLIR_OPT and (found := re.fullmatch(rf"{ROOT}\((.*)\)", words[-1])):
        return f"[{found[1]}]"
    return "{" + " ".join(_print_option(key, value) for key, value in options) + "}"


_MLIR_OPT = ("--mlir-print-op-generic", "--allow-unregistered-dialect", "-p")


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _error(text, at, "this cannot stand here")
        kind = str(found.lastgroup)
        yield _Token(found[0] if kind == "mark" else kind, found[0], at)
        at = found.end()
    yield _Token("end", "", at)


def _error(text: str, at: int, problem: str) -> PipelineError:
    return PipelineError(f"pipeline: {problem}\n  {text}\n  {' ' * at}^")


class _Reader:
    """A cursor over the tokens of one pipeline string. Space counts only between the options of a pass."""

    def __init__(self, text: str):
        self.text = text
        self.tokens: Sequence[_Token] = tuple(_tokens(text))
        self.at = 0

    def fail(self, problem: str) -> PipelineError:
        return _error(self.text, self.tokens[self.at].at, problem)

    def peek(self) -> str:
        return self.tokens[self.at].kind

    def take(self, *kinds: str) -> _Token | None:
        token = self.tokens[self.at]
        if token.kind not in kinds:
            return None
        self.at += 1
        return token

    def need(self, kind: str, what: str) -> _Token:
        if token := self.take(kind):
            return token
        raise self.fail(f"expected {what}")

    def space(self) -> bool:
        return self.take("space") is not None

    def pipeline(self) -> tuple[PassSpec, ...]:
        specs = self.elements("end")
        self.need("end", "`,` or the end")
        return specs

    def elements(self, closing: str) -> tuple[PassSpec, ...]:
        specs: list[PassSpec] = []
        self.space()
        if self.peek() == closing:
            return ()
        while True:
            self.space()
            specs += self.element()
            self.space()
            if not self.take(","):
                return tuple(specs)

    def element(self) -> tuple[PassSpec, ...]:
        name = self.need("word", "the name of a pass").text
        if self.peek() == "(":
            if name != ROOT:
                self.at -= 1
                raise self.fail(f"passes run on `{ROOT}`; '{name}' cannot hold a pipeline")
            self.take("(")
            inner = self.elements(")")
            self.need(")", "`,` or `)`")
            return inner
        if name == ROOT:
            raise self.fail(f"expected `(` after `{ROOT}`")
        if text := self.take("text"):
            return (self.bridge(name, text),)
        return (PassSpec(name, self.options() if self.take("{") else ()),)

    def bridge(self, name: str, text: _Token) -> PassSpec:
        if name != "mlir-opt":
            self.at -= 1
            raise self.fail("only `mlir-opt` takes a pipeline in brackets")
        return PassSpec(name, (("arguments", (*_MLIR_OPT, f"{ROOT}({text.text[1:-1]})")),))

    def options(self) -> Options:
        found: dict[str, tuple[str, ...] | None] = {}
        self.space()
        while not self.take("}"):
            key = self.need("word", "an option or `}`").text.replace("_", "-")
            if key in found:
                self.at -= 1
                raise self.fail(f"option '{key}' is given twice")
            found[key] = self.words() if self.take("=") else None
            if not self.space() and self.peek() != "}":
                raise self.fail("expected a space or `}` after an option (options are separated by spaces)")
        return tuple(found.items())

    def words(self) -> tuple[str, ...]:
        if self.peek() in ("space", "}"):
            return ()
        words = [self.word()]
        while self.take(","):
            words.append(self.word())
        return tuple(words)

    def word(self) -> str:
        if token := self.take("word"):
            return token.text
        text = self.need("string", "a value").text[1:-1]
        return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[0]), text)
