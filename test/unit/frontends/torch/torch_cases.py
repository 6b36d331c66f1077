"""A small program for an op, and tensors to try it on."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch_oracle import Function, torch

nn, F = torch.nn, torch.nn.functional


@dataclass(frozen=True)
class OpCase:
    """A function of tensors and the tensors; `target` is the overload that it must reach the importer as."""

    name: str
    target: str
    function: Function
    inputs: Sequence[Any] = field(repr=False)
    tolerance: float | None = None


def seeded(name: str) -> Any:
    return torch.Generator().manual_seed(zlib.crc32(name.encode()))


def floats(*shape: int, name: str = "x", dtype: Any = torch.float32, low: float = -3, high: float = 3) -> Any:
    return (torch.rand(shape, generator=seeded(f"{name}{shape}"), dtype=torch.float64) * (high - low) + low).to(dtype)


def integers(*shape: int, name: str = "i", low: int = -7, high: int = 8, dtype: Any = torch.int64) -> Any:
    return torch.randint(low, high, shape, generator=seeded(f"{name}{shape}")).to(dtype)


def truths(*shape: int, name: str = "b") -> Any:
    return torch.rand(shape, generator=seeded(f"{name}{shape}")) > 0.5


X, Y = floats(3, 5), floats(3, 5, name="y")
POSITIVE = floats(3, 5, low=0.1, high=4)
UNIT = floats(3, 5, low=-0.95, high=0.95)
INTS, COUNTS = integers(3, 5), integers(3, 5, name="j", low=1, high=9)
TRUTHS, OTHERS = truths(3, 5), truths(3, 5, name="c")
ODD = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 0.5, 1.5, 2.5, -2.5])
Z = torch.complex(floats(3, 4, name="re"), floats(3, 4, name="im"))

V = floats(2, 3, 4)

IMAGE = floats(2, 6, 7, 8)

GAIN = floats(6, name="gain")
