"""What is wrong with the parts of an extension, each taken by itself, before anybody reads them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import cast

from xdsl.universe import Universe

from rlx_passes.policy.conditions import Condition, Row

_CALLED = {str: "a text", tuple: "a tuple of texts", Condition: "a condition such as claims(..)"}
_ROW = dict[str, type]()
for _field in fields(Row):
    _ROW[_field.name] = str if _field.default is MISSING else type(_field.default)
"""The type of each field of a row."""


def problems(parts: Mapping[str, object]) -> Iterator[str]:
    """A sentence for each thing that is wrong with the fields of an extension."""
    if not _is_text(parts["name"]):
        yield f"name = {parts['name']!r}: must be a text that is not blank"
    if not isinstance(parts["universe"], Universe):
        yield f"universe = {parts['universe']!r}: must be a Universe of xDSL"
    if isinstance(kinds := parts["kinds"], Mapping):
        yield from _of_kinds(cast("Mapping[object, object]", kinds))
    else:
        yield f"kinds = {kinds!r}: must map op kinds to the names of their ops"
    for key, (what, problems_of) in _SEQUENCES.items():
        if isinstance(items := parts[key], tuple | list):
            for item in cast("tuple[object, ...]", items):
                yield from problems_of(item)
        else:
            yield f"{key} = {items!r}: must be a tuple of {what}"


def _of_row(row: object) -> Iterator[str]:
    if not isinstance(row, Row):
        yield f"rows: {row!r} is no Row"
        return
    for key, wanted in _ROW.items():
        value: object = getattr(row, key)
        texts = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
        if not isinstance(value, wanted) or not all(map(_is_text, texts)):
            yield f"row '{row.name}': {key} = {value!r}: must be {_CALLED[wanted]}"
            return
    if not _is_text(row.name):
        yield f"a row has the name {row.name!r}, which is no pass"
    if bool(row.before) == bool(row.after):
        yield f"'{row.name}' must say before= or after= which pass it runs"


def _of_kinds(kinds: Mapping[object, object]) -> Iterator[str]:
    for kind, op in kinds.items():
        if not isinstance(kind, str) or not kind.isidentifier():
            yield f"the op kind {kind!r} must be a word such as MyOp"
        elif not isinstance(op, str) or not re.fullmatch(r"\w+(\.\w+)+", op):
            yield f"the op kind '{kind}' needs the name of an op with its dialect, such as 'mine.my_op', not {op!r}"


def _of_target(file: object) -> Iterator[str]:
    if not isinstance(file, Path) or file.suffix != ".toml":
        yield f"targets: {str(file)!r} is no Path of a TOML file"


def _of_reasons(reasons: object) -> Iterator[str]:
    from rlx_passes.rewriting.miss import CodedReason

    if not isinstance(reasons, type) or not issubclass(reasons, CodedReason):
        yield f"reasons: {reasons!r} is not derived from CodedReason"
        return
    for reason in reasons:
        if not all(map(_is_text, (reason.code, reason.title, reason.text))):
            yield f"reasons: {reason.name} must have a code, a title and a text"
        elif reason.code.upper().startswith("RLX-"):
            yield f"the code {reason.code} of '{reason.title}' needs a prefix of its own"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


_SEQUENCES: Mapping[str, tuple[str, Callable[[object], Iterator[str]]]] = {
    "rows": ("Rows", _of_row),
    "targets": ("Paths", _of_target),
    "reasons": ("enumerations derived from CodedReason", _of_reasons),
}
