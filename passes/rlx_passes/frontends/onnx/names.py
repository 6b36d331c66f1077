"""The values of a graph by name; a nested graph sees those of the graphs around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rlx_passes.frontends.onnx.values import Value


@dataclass(eq=False)
class Names:
    """`opsets` is what the nodes here were written for."""

    opsets: Mapping[str, int]
    outer: Names | None = None
    values: dict[str, Value] = field(default_factory=dict[str, Value])

    def find(self, name: str) -> Value | None:
        """The value of that name, None where there is none yet."""
        scope: Names | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None
