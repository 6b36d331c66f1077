"""Region ops and control flow. A body is a function of tensors; what it reads from outside goes through `captures`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Region, SSAValue

from rlx_dialect.attributes import RegionPrologue
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import (
    BatchElementwiseRegionOp,
    ElementwiseRegionOp,
    IfOp,
    ScanBackwardOp,
    ScanBackwardXsOp,
    ScanOp,
    TransformRegionOp,
    WhileOp,
    YieldOp,
)
from rlx_dialect.ops.gradients_scan import entries
from rlx_dialect.ops.loops import entry_of
from rlx_dialect.ops.regions import after_prologue

_Values = list[SSAValue]
_Groups = tuple[_Values, _Values, _Values, _Values, _Values]
"""The operands of a gradient of a scan."""

Body = Callable[..., Tensor | Sequence[Tensor]]
"""Takes a tensor for each argument of a region and returns what the region yields; `tensor.graph` builds the ops."""


class RegionChapter(GraphBase):
    """Ops with bodies."""

    def _region(self, types: Sequence[Attribute], body: Body) -> Region:
        """A region with arguments of `types` that yields what `body` returns."""
        inner = type(self)(f"body in {self.name}")
        given = body(*map(inner.argument, types))
        inner.block.add_op(YieldOp(*map(inner._value, (given,) if isinstance(given, Tensor) else given)))
        return Region(inner.block)

    def elementwise_region(
        self, inputs: Sequence[Tensor], body: Body, prologue: RegionPrologue = RegionPrologue.NONE
    ) -> Tensor:
        """A chain of elementwise ops as one op."""
        values = [self._value(x) for x in inputs]
        read = after_prologue(prologue, values)
        return self._emit(ElementwiseRegionOp(values, self._region([value.type for value in read], body), prologue))

    def transform_region(self, x: Tensor, body: Body) -> Tensor:
        """A chain of resizes as one op."""
        value = self._value(x)
        return self._emit(TransformRegionOp(value, self._region([value.type], body)))

    def batch_elementwise_region(
        self, slices: Sequence[Tensor], body: Body, prologue: RegionPrologue = RegionPrologue.NONE
    ) -> Tensor:
        """One chain of elementwise ops on each slice, the results one after the other."""
        values = [self._value(x) for x in slices]
        read = after_prologue(prologue, values)[:1]
        return self._emit(
            BatchElementwiseRegionOp(values, self._region([value.type for value in read], body), prologue)
        )

    def cond(self, condition: Tensor, captures: Sequence[Tensor], then: Body, otherwise: Body) -> tuple[Tensor, ...]:
        """What `then` gives where `condition` holds, else what `otherwise` gives."""
        values = [self._value(x) for x in captures]
        types = [value.type for value in values]
        return self._emit_all(
            IfOp(self._value(condition), values, self._region(types, then), self._region(types, otherwise))
        )

    def while_loop(
        self,
        carried: Sequence[Tensor],
        condition: Body,
        body: Body,
        *,
        captures: Sequence[Tensor] = (),
        max_iterations: int | None = None,
    ) -> tuple[Tensor, ...]:
        """`body` of the carried values while `condition` of them holds."""
        values, fixed = [self._value(x) for x in carried], [self._value(x) for x in captures]
        types = [value.type for value in (*values, *fixed)]
        return self._emit_all(
            WhileOp(
                values,
                fixed,
                self._region(types, condition),
                self._region(types, body),
                max_iterations=max_iterations,
            )
        )

    def scan(
        self,
        carried: Sequence[Tensor],
        scanned: Sequence[Tensor],
        body: Body,
        *,
        captures: Sequence[Tensor] = (),
        length: int | None = None,
        reverse: bool = False,
    ) -> tuple[Tensor, ...]:
        """`body` of the carried values and one entry of each scanned tensor, outputs stacked."""
        values, fixed = [self._value(x) for x in carried], [self._value(x) for x in captures]
        entries = [self._value(x) for x in scanned]
        types: list[Attribute] = [
            *(value.type for value in values),
            *(entry_of(value, i).type for i, value in enumerate(entries)),
            *(value.type for value in fixed),
        ]
        return self._emit_all(ScanOp(values, entries, fixed, self._region(types, body), length=length, reverse=reverse))

    def scan_backward(
        self,
        gradients: Sequence[Tensor],
        states: Sequence[Tensor],
        body: Body,
        *,
        scanned: Sequence[Tensor] = (),
        output_gradients: Sequence[Tensor] = (),
        captures: Sequence[Tensor] = (),
        reverse: bool = False,
    ) -> tuple[Tensor, ...]:
        """
        The gradients of `scan` by the carried values it starts with, then the sums of what `body` yields beyond those.

        `gradients` are those by the carried values that it ends with, `states` the carried values that each round read,
        stacked. Body, the chain rule of one round, takes a gradient by each carried value, then one entry of each of
        `states`, `scanned` and `output_gradients`, then the captures.
        """
        operands = self._scan_gradient(gradients, states, scanned, output_gradients, captures)
        return self._emit_all(ScanBackwardOp(*operands, self._round(operands, body), reverse=reverse))

    def scan_backward_xs(
        self,
        gradients: Sequence[Tensor],
        states: Sequence[Tensor],
        body: Body,
        *,
        scanned: Sequence[Tensor] = (),
        output_gradients: Sequence[Tensor] = (),
        captures: Sequence[Tensor] = (),
        reverse: bool = False,
    ) -> tuple[Tensor, ...]:
        """The gradients of `scan` by the scanned tensors, which `body` yields beyond those by carried values."""
        operands = self._scan_gradient(gradients, states, scanned, output_gradients, captures)
        return self._emit_all(ScanBackwardXsOp(*operands, self._round(operands, body), reverse=reverse))

    def _scan_gradient(self, *groups: Sequence[Tensor]) -> _Groups:
        gradients, states, scanned, output_gradients, captures = ([self._value(x) for x in group] for group in groups)
        return gradients, states, scanned, output_gradients, captures

    def _round(self, operands: _Groups, body: Body) -> Region:
        gradients, *stacked, captures = operands
        types = [*(x.type for x in gradients), *(x.type for x in entries(stacked)), *(x.type for x in captures)]
        return self._region(types, body)
