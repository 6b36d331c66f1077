"""Normalisations and losses."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import (
    BatchNormInferenceOp,
    GroupNormOp,
    LayerNorm2dOp,
    SoftmaxCrossEntropyBackwardOp,
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
)

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class NormalizationChapter(Chapter, ABC):
    """Norms over groups and channels, and the cross entropies of a softmax."""

    def group_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, num_groups: int, epsilon: float = 1e-5) -> Tensor:
        """A norm over each group of channels of `[N, C, ..]`."""
        return self._emit(
            GroupNormOp(self._value(x), self._value(gamma), self._value(beta), num_groups=num_groups, epsilon=epsilon)
        )

    def layer_norm2d(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-5) -> Tensor:
        """A norm over the channels of each pixel of `[N, C, H, W]`."""
        return self._emit(LayerNorm2dOp(self._value(x), self._value(gamma), self._value(beta), epsilon=epsilon))

    def batch_norm_inference(
        self,
        x: Tensor,
        gamma: Tensor,
        beta: Tensor,
        mean: Tensor,
        variance: Tensor,
        epsilon: float = 1e-5,
        axis: int = -1,
    ) -> Tensor:
        """A norm on `axis` with statistics that are given."""
        operands = map(self._value, (x, gamma, beta, mean, variance))
        return self._emit(BatchNormInferenceOp(*operands, epsilon=epsilon, axis=axis))

    def softmax_cross_entropy(self, logits: Tensor, targets: Tensor, axis: int = -1) -> Tensor:
        """The loss of each row for targets that are shares."""
        return self._emit(SoftmaxCrossEntropyOp(self._value(logits), self._value(targets), axis=axis))

    def softmax_cross_entropy_with_logits(self, logits: Tensor, labels: Tensor, axis: int = -1) -> Tensor:
        """The loss of each row for targets that are class numbers."""
        return self._emit(SoftmaxCrossEntropyWithLogitsOp(self._value(logits), self._value(labels), axis=axis))

    def softmax_cross_entropy_backward(
        self, logits: Tensor, targets: Tensor, gradient: Tensor, axis: int = -1
    ) -> Tensor:
        """The gradient of either loss by its logits."""
        return self._emit(
            SoftmaxCrossEntropyBackwardOp(self._value(logits), self._value(targets), self._value(gradient), axis=axis)
        )
