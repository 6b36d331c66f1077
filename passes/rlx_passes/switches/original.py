"""
The behaviour of the original, part by part: what each `compat-*` option restores, its names for passes, its ways to ask
for a list.

A part restores values of other options, listed here, or what only a pattern can do, which the pattern says. Of a
pipeline string, both the options of the passes and those of `rlx-fusion` mean this table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, cast

from xdsl.passes import ModulePass

PARTS = ("attention-block", "epilogues", "conv", "dtypes", "tee", "signatures")
"""What can be restored; `compat-signatures` and the like."""

_RESTORED: Mapping[str, Mapping[str, object]] = {
    "epilogues": {"epilogues": ("gelu", "silu")},
    "dtypes": {"dtypes": ("f32",)},
    "tee": {"tee": False},
    "conv": {"kernel_min": 2, "max_groups": 1},
}
_OF_CONVOLUTIONS = {"epilogues": ("relu",)}
_CONVOLUTIONS = ("rlx-fuse-conv-bias-act", "rlx-fuse-conv-affine-act")


def restored_by(part: str, pass_name: str) -> Mapping[str, object]:
    """The fields of a pass that a part restores, with the values that they had."""
    values = _RESTORED.get(part, {})
    return {**values, **_OF_CONVOLUTIONS} if part == "epilogues" and pass_name in _CONVOLUTIONS else values


PassT = TypeVar("PassT", bound=ModulePass)


def restored(pass_: PassT) -> PassT:
    """`pass_` with what its `compat-*` options restore written into its other options."""
    known = {field.name for field in fields(pass_)}
    found: dict[str, Any] = {}
    for part in PARTS:
        if getattr(pass_, field_of(part), False):
            found |= {key: value for key, value in restored_by(part, pass_.name).items() if key in known}
    return replace(pass_, **found)


def restored_words(parts: frozenset[str], pass_name: str, option: str) -> tuple[str, ...] | None:
    """The words that an option of a pass gets where `parts` are restored, or None where none of them is about it."""
    for part in PARTS:
        if part in parts and (value := restored_by(part, pass_name).get(option.replace("-", "_"))) is not None:
            return cast(tuple[str, ...], value) if isinstance(value, tuple) else (str(value).lower(),)
    return None


def field_of(part: str) -> str:
    """The field of a pass that asks for a part."""
    return "compat_" + part.replace("-", "_")


def original_name(pass_name: str) -> str:
    """What the original calls a pass in its lists."""
    short = pass_name.removeprefix("rlx-")
    return "LowerControlFlow" if short == "lower-control-flow" else short.replace("-", "_")


@dataclass(frozen=True)
class Entry:
    """
    A way to ask for a list. One `of_target` starts from the options of the target under the environment, any other from
    the default ones.

    `list_unfuses` takes elementwise regions apart where the target's lists do; `marked` is for programs whose regions
    are marked already: only what follows the marking runs, and native defaults are not applied.
    """

    of_target: bool = False
    list_unfuses: bool = False
    marked: bool = False


ENTRIES: Mapping[str, Entry] = {
    "fuse": Entry(of_target=True),
    "fusion-passes": Entry(list_unfuses=True),
    "supported": Entry(),
    "fk-after": Entry(marked=True),
}
"""By the word of the option `entry`."""
