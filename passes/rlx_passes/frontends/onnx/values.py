"""What runs along the edges of a model."""

from __future__ import annotations

from dataclasses import dataclass

from rlx_dialect.builder import Tensor
from rlx_passes.frontends.onnx.model import Array


@dataclass(eq=False)
class Value:
    """
    What runs along an edge of the model: a tensor of the program, or what is known of it before it runs.

    `known` is the contents. Sizes (`Dim`) may be among them: it is then an array of objects that stands for `sized`, an
    element type. Those of a `param` are known too, but stay an argument of the program.
    """

    name: str
    known: Array | None = None
    tensor: Tensor | None = None
    param: bool = False
    sized: str = "i64"

    @property
    def folds(self) -> bool:
        """Whether an op on it can be worked out on import."""
        return self.known is not None and not self.param
