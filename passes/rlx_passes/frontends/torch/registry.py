"""The rules by the names of the overloads that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor
    from rlx_passes.frontends.torch.call import Call

Build = Callable[["Call"], "Tensor | Sequence[Tensor | None]"]
"""Appends what a node means; its result, or each of its results, None for one that the dialect has no form for."""


@dataclass(frozen=True)
class OverloadRule:
    """How one overload is read, and its chapter."""

    build: Build
    chapter: str


RULES: dict[str, OverloadRule] = {}
"""By the name of the overload, `aten.add.Tensor`."""

_VALUES = "how large the result is depends on values"
_RANDOM = "PyTorch's random numbers follow from a state that a program has not"

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "aten._local_scalar_dense.default": "the values of a tensor become a number of the trace",
        "aten.nonzero.default": _VALUES,
        "aten.masked_select.default": _VALUES,
        "aten._unique2.default": _VALUES,
        "aten.unique_dim.default": _VALUES,
        "aten.unique_consecutive.default": _VALUES,
        "aten.bincount.default": _VALUES,
        "aten.repeat_interleave.Tensor": _VALUES,
        "aten.rand.default": _RANDOM,
        "aten.rand_like.default": _RANDOM,
        "aten.randn.default": _RANDOM,
        "aten.randn_like.default": _RANDOM,
        "aten.randint.low": _RANDOM,
        "aten.randperm.default": _RANDOM,
        "aten.bernoulli.default": _RANDOM,
        "aten.bernoulli.p": _RANDOM,
        "aten.multinomial.default": _RANDOM,
        "aten.normal_functional.default": _RANDOM,
        "aten.uniform.default": _RANDOM,
        "aten.as_strided.default": "strides are those of PyTorch's memory",
        "aten._embedding_bag.default": "bags of unequal lengths",
        "aten._pdist_forward.default": "the pairs of one tensor; torch.cdist has them twice",
    }
)
"""Ops that have no form, and why."""


def rule(*targets: str) -> Callable[[Build], Build]:
    """Registers a function for overloads, those of `aten` without that prefix, or for ops with graphs, by name."""

    def register(build: Build) -> Build:
        for target in targets:
            name = f"aten.{target}" if target.count(".") == 1 else target
            if name in RULES:
                raise ValueError(f"{name} has a rule already")
            RULES[name] = OverloadRule(build, getattr(build, "func", build).__module__.rpartition(".")[2])
        return build

    return register
