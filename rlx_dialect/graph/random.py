"""Random numbers that follow from a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.graph.sizes import Size, split_sizes
from rlx_dialect.ops import RngNormalOp, RngUniformOp, SampleOp
from rlx_dialect.shapes import Shaped

if TYPE_CHECKING:
    pass


class RandomChapter(GraphBase):
    """Numbers of a key, which is a number of 64 bits or a tensor `[2]` of ui32, its lower word first."""

    def rng_uniform(
        self, shape: Sequence[Size], key: int | Tensor, low: float = 0.0, high: float = 1.0, dtype: str = "f32"
    ) -> Tensor:
        """Floats spread evenly over `[low, high)`."""
        dims, sizes = split_sizes(shape)
        result = Shaped(dims, element_type(dtype))
        return self._emit(RngUniformOp(self._key(key), result, sizes, low=low, high=high))

    def rng_normal(
        self, shape: Sequence[Size], key: int | Tensor, mean: float = 0.0, deviation: float = 1.0, dtype: str = "f32"
    ) -> Tensor:
        """Floats of a normal distribution."""
        dims, sizes = split_sizes(shape)
        result = Shaped(dims, element_type(dtype))
        return self._emit(RngNormalOp(self._key(key), result, sizes, mean=mean, deviation=deviation))

    def sample(
        self,
        logits: Tensor,
        key: int | Tensor,
        *,
        top_k: int = 0,
        top_p: float = 1.0,
        temperature: float = 1.0,
        index: str = "i64",
    ) -> Tensor:
        """A token for each row of logits, drawn from the greatest `top_k` and the likeliest that make up `top_p`."""
        values = self._value(logits), self._key(key)
        type = element_type(index)
        return self._emit(SampleOp(*values, top_k=top_k, top_p=top_p, temperature=temperature, index=type))

    def _key(self, key: int | Tensor) -> SSAValue:
        """Raises `ValueError` for a number beyond 64 bits."""
        import numpy as np

        if not isinstance(key, int):
            return self._value(key)
        if not 0 <= key < 2**64:
            raise ValueError(f"a key must be from 0 to 2^64 - 1, got {key}")
        return self._value(self.constant(np.array([key % 2**32, key >> 32], np.uint32)))
