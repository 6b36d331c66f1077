"""What a chapter of the builder needs of the graph that it is part of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class Chapter(ABC):
    """A part of `Graph`: methods that append the ops of one chapter."""

    @abstractmethod
    def _emit(self, op: Operation) -> Tensor:
        """Append `op`; its first result."""

    @abstractmethod
    def _emit_all(self, op: Operation) -> tuple[Tensor, ...]:
        """Append `op`; all its results."""

    @abstractmethod
    def _value(self, tensor: Tensor) -> SSAValue:
        """The value of a tensor of this graph. Raises `ValueError` for a tensor of another graph."""

    def _optional(self, tensor: Tensor | None) -> SSAValue | None:
        return None if tensor is None else self._value(tensor)
