"""Programs that are drawn choice by choice, with what each is known to hold; choices are taken back to shrink one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from typing_extensions import TypeVar

from rlx_dialect.reference import Array
from rlx_passes.core.numerics import Tolerance
from rlx_passes.frontends.imported import Imported

T = TypeVar("T")


class Draw:
    """
    The choices of one program. Each is drawn from the seed and its own name, whatever the others are, or is what
    `fixed` says: an option by its number, or the first one, which is the plainest.
    """

    def __init__(self, seed: int, fixed: Mapping[str, int] | None = None):
        self.seed = seed
        self.fixed = fixed
        self.taken: dict[str, int] = {}
        self.said: dict[str, object] = {}

    def rng(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self.seed, crc32(name.encode())])

    def of(self, name: str, *options: T) -> T:
        """One of the options, equally likely."""
        drawn = int(self.rng(name).integers(len(options)))
        index = drawn if self.fixed is None else self.fixed.get(name, 0)
        self.taken[name] = index
        self.said[name] = options[index]
        return options[index]

    def seldom(self, name: str) -> bool:
        """True once in four times."""
        return bool(self.of(name, False, False, False, True))

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.said.items())


@dataclass(frozen=True)
class Case:
    """A program that was imported, what it is called with, and what the framework gives, in the order of results."""

    program: Imported
    inputs: Mapping[str, Array]
    expected: Sequence[Array]
    raised: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many ops of a kind there must be after raising."""
    fused: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many of a kind on each target that claims it."""
    tolerance: Tolerance | None = None
    """Where the tables have none that fits: for codes of eight bits, where one step is far more than rounding."""
