"""What is read, for the documentation."""

from __future__ import annotations

from typing import NamedTuple

from rlx_passes.frontends.torch.registry import REFUSED, RULES
from rlx_passes.frontends.torch.rules import load


class Covered(NamedTuple):
    """An overload, the chapter of its rule, empty where it has none, and why it has none."""

    op: str
    chapter: str
    reason: str


def torch_coverage() -> list[Covered]:
    """
    A row for each overload that has a rule, alphabetically, then one for each that has none for a known reason.

    Other ops are taken apart by PyTorch until only these are left, or named in the error. Does not need PyTorch.
    """
    load()
    read = [Covered(name, each.chapter, "") for name, each in sorted(RULES.items())]
    return [*read, *(Covered(name, "", reason) for name, reason in sorted(REFUSED.items()))]
