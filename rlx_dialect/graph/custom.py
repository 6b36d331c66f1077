"""Ops that only their reader knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute

from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import CustomOp
from rlx_dialect.shapes import DYNAMIC, Shaped


class CustomChapter(GraphBase):
    """`rlx.custom`."""

    def custom(
        self,
        kind: str,
        inputs: Sequence[Tensor],
        results: Sequence[tuple[Sequence[int | None], str]],
        attributes: Mapping[str, Attribute] | None = None,
        *,
        pure: bool = False,
    ) -> tuple[Tensor, ...]:
        """The op of that kind; `results` has a shape and a dtype per result, None for a size known only at run time."""
        types = [
            Shaped(tuple(DYNAMIC if size is None else size for size in shape), element_type(dtype)).type
            for shape, dtype in results
        ]
        return self._emit_all(CustomOp(kind, [self._value(x) for x in inputs], types, attributes, pure=pure))
