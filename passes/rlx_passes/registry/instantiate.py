"""Between a pass as text and a pass as an object: options are converted by the types of the pass's dataclass fields."""

import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal, Union, cast, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass

from rlx_passes.core.errors import PipelineError, RlxError, did_you_mean, one_line
from rlx_passes.core.spec import PassSpec, options_of

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


Registry = Mapping[str, Callable[[], type[ModulePass]]]
"""Passes by name; a value imports the class when it is called."""

_NUMBERS: Mapping[object, Callable[[str], object]] = {int: int, float: float}
_WORDS = {"true": True, "1": True, "false": False, "0": False}

FEW = 8
"""Names that a message may list."""


def create_pass(spec: PassSpec, registry: Registry) -> ModulePass:
    """
    The pass that `spec` names, with its options.

    Raises PipelineError for a name that is not registered and for options that the pass does not have, cannot read
    or refuses.
    """
    if spec.name not in registry:
        raise PipelineError(f"unknown pass '{spec.name}'{did_you_mean(spec.name, registry)}")
    cls = registry[spec.name]()
    hints = _hints(cls)
    fields = options_of(cls)

    values: dict[str, object] = {}
    for key, words in spec.options:
        if key not in fields:
            few = f" (its options: {', '.join(fields) or 'none'})"
            known = few if len(fields) <= FEW else " (rlx-opt --list-passes lists them)"
            raise PipelineError(f"pass '{spec.name}' has no option '{key}'{did_you_mean(key, fields) or known}")
        hint = hints[fields[key].name]
        converted = _convert(words, hint)
        if converted is _NO:
            given = "nothing" if words is None else f"'{','.join(words)}'"
            close = did_you_mean(words[0], _choices(hint)) if words else ""
            raise PipelineError(f"option '{key}' of pass '{spec.name}' takes {_describe(hint)}, not {given}{close}")
        values[fields[key].name] = converted

    for key, field in fields.items():
        if field.name not in values and _default(field) is _NO:
            raise PipelineError(f"pass '{spec.name}' needs the option '{key}' ({_describe(hints[field.name])})")
    try:
        return cls(**values)
    except RlxError:
        raise
    except Exception as error:
        raise PipelineError(
            one_line(f"pass '{spec.name}' refuses its options: {type(error).__name__}: {error}")
        ) from error


@cache
def _hints(cls: type[ModulePass]) -> Mapping[str, object]:
    """The types of a pass's fields, which are text where it was written under `from __future__ import annotations`."""
    return get_type_hints(cls)


def spec_of(pass_: ModulePass, *, explicit: bool = True) -> PassSpec:
    """
    The text form of a pass, from which `create_pass` gives an equal pass back.

    Every option is written, at its default or not, so that the text means the same should a default change;
    `explicit=False` leaves out those at their default. An option that is nothing by default and is not set has no text.
    xDSL's bridge to mlir-opt is always short: its bracket form holds a pipeline and nothing else.
    """
    explicit = explicit and pass_.name != "mlir-opt"
    options: list[tuple[str, tuple[str, ...] | None]] = []
    for key, field in options_of(pass_).items():
        value = getattr(pass_, field.name)
        if value != _default(field) or (explicit and value not in (None, (), "")):
            options.append((key, _words(value)))
    return PassSpec(pass_.name, tuple(options))


class _No:
    """The type of the mark for "no value"."""


_NO = _No()


def _default(field: "dataclasses.Field[object]") -> object:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return _NO


def _words(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    items = cast(tuple[object, ...], value) if isinstance(value, tuple) else (value,)
    return tuple(map(_word, items))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        text = repr(value)
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    return str(value)


def _convert(words: tuple[str, ...] | None, hint: object) -> object:
    """The value of type `hint` that the words stand for, or `_NO`."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if words is None and type(None) in args and bool not in args:
            return None
        for member in args:
            if member is not type(None) and (value := _convert(words, member)) is not _NO:
                return value
        return _NO
    if origin is tuple:
        return _tuple(words or (), args)
    if words is None:
        return True if hint is bool else _NO
    if len(words) != 1:
        return "" if hint is str and not words else _NO
    return _scalar(words[0], hint)


def _tuple(words: tuple[str, ...], args: tuple[object, ...]) -> object:
    kinds = [args[0]] * len(words) if len(args) == 2 and args[1] is Ellipsis else list(args)
    if len(kinds) != len(words):
        return _NO
    values = tuple(_convert((word,), kind) for word, kind in zip(words, kinds))
    return _NO if _NO in values else values


def _scalar(word: str, hint: object) -> object:
    if get_origin(hint) is Literal:
        return next((choice for choice in get_args(hint) if str(choice) == word), _NO)
    if hint is bool:
        return _WORDS.get(word.lower(), _NO)
    if hint is str:
        return word
    converter = _NUMBERS.get(hint)
    try:
        return _NO if converter is None else converter(word)
    except ValueError:
        return _NO


def _choices(hint: object) -> tuple[str, ...]:
    if get_origin(hint) is Literal:
        return tuple(map(str, get_args(hint)))
    return tuple(choice for member in get_args(hint) for choice in _choices(member))


def _describe(hint: object) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return "one of " + ", ".join(map(str, args))
    if origin in (Union, types.UnionType):
        return " or ".join(_describe(member) for member in args if member is not type(None))
    if origin is tuple:
        return f"a comma-separated list of values ({_describe(args[0]) if args else 'none'} each)"
    names: dict[object, str] = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}
    return names.get(hint, str(hint))


def create_passes(specs: "Iterable[PassSpec]") -> "tuple[ModulePass, ...]":
    """The pass objects of a list of specs, out of the passes that are registered."""
    from rlx_passes.registry.instantiate import create_pass
    from rlx_passes.universe import all_passes

    registry = all_passes()
    return tuple(create_pass(spec, registry) for spec in specs)
