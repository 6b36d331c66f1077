"""Recurrent layers."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import Direction, RnnActivation
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import GruOp, LstmOp, RnnOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class RecurrentChapter(Chapter, ABC):
    """Layers that read a sequence step by step; shapes in `rlx_dialect.ops.recurrent`."""

    def rnn(
        self,
        x: Tensor,
        weight: Tensor,
        recurrence: Tensor,
        *,
        bias: Tensor | None = None,
        lengths: Tensor | None = None,
        initial_h: Tensor | None = None,
        direction: Direction = Direction.FORWARD,
        activation: RnnActivation = RnnActivation.TANH,
    ) -> tuple[Tensor, Tensor]:
        """The state after each step, and the last."""
        output, last = self._emit_all(
            RnnOp(
                *map(self._value, (x, weight, recurrence)),
                bias=self._optional(bias),
                lengths=self._optional(lengths),
                initial_h=self._optional(initial_h),
                direction=direction,
                activation=activation,
            )
        )
        return output, last

    def gru(
        self,
        x: Tensor,
        weight: Tensor,
        recurrence: Tensor,
        *,
        bias: Tensor | None = None,
        lengths: Tensor | None = None,
        initial_h: Tensor | None = None,
        direction: Direction = Direction.FORWARD,
        linear_before_reset: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """The state after each step, and the last."""
        output, last = self._emit_all(
            GruOp(
                *map(self._value, (x, weight, recurrence)),
                bias=self._optional(bias),
                lengths=self._optional(lengths),
                initial_h=self._optional(initial_h),
                direction=direction,
                linear_before_reset=linear_before_reset,
            )
        )
        return output, last

    def lstm(
        self,
        x: Tensor,
        weight: Tensor,
        recurrence: Tensor,
        *,
        bias: Tensor | None = None,
        lengths: Tensor | None = None,
        initial_h: Tensor | None = None,
        initial_c: Tensor | None = None,
        peepholes: Tensor | None = None,
        direction: Direction = Direction.FORWARD,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The state after each step, the last, and the last of the cells."""
        output, last_h, last_c = self._emit_all(
            LstmOp(
                *map(self._value, (x, weight, recurrence)),
                bias=self._optional(bias),
                lengths=self._optional(lengths),
                initial_h=self._optional(initial_h),
                initial_c=self._optional(initial_c),
                peepholes=self._optional(peepholes),
                direction=direction,
            )
        )
        return output, last_h, last_c
