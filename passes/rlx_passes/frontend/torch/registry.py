"""The rules by the names of the overloads that they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor
    from rlx_passes.frontend.torch.call import Call

Build = Callable[["Call"], "Tensor | Sequence[Tensor | None]"]
"""Appends what a node means; its result, or each of its results, None for one that the dialect has no form for."""


@dataclass(frozen=True)
class Rule:
    """How one overload is read, and the chapter it stands in."""

    build: Build
    chapter: str


RULES: dict[str, Rule] = {}
"""By the name of the overload, `aten.add.Tensor`."""


def rule(*targets: str) -> Callable[[Build], Build]:
    """Registers a function for overloads of `aten`, named without that prefix, or for ops with graphs, whose names have no overload."""

    def register(build: Build) -> Build:
        for target in targets:
            name = f"aten.{target}" if "." in target else target
            if name in RULES:
                raise ValueError(f"{name} has a rule already")
            RULES[name] = Rule(build, build.__module__.rpartition(".")[2])
        return build

    return register
