"""Gradients. Each takes `gradient`, that of the forward op's result."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import Activation, AdaNormKind, AttentionLayout, AttentionOperand, MaskKind
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import (
    ActivationBackwardOp,
    AdaLayerNormBackwardOp,
    AttentionBackwardAllOp,
    AttentionBackwardOp,
    AttentionConfig,
    BatchNormInferenceBackwardBetaOp,
    BatchNormInferenceBackwardGammaOp,
    BatchNormInferenceBackwardInputOp,
    CumsumBackwardOp,
    GatedResidualBackwardOp,
    GatherBackwardOp,
    GroupNormBackwardBetaOp,
    GroupNormBackwardGammaOp,
    GroupNormBackwardInputOp,
    LayerNormBackwardGammaOp,
    LayerNormBackwardInputOp,
    ReluBackwardOp,
    RmsNormBackwardBetaOp,
    RmsNormBackwardGammaOp,
    RmsNormBackwardInputOp,
)

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class GradientChapter(Chapter, ABC):
    """Gradients of other ops by their operands."""

    def relu_backward(self, x: Tensor, gradient: Tensor) -> Tensor:
        """0 where `x <= 0`, `gradient` elsewhere."""
        return self._emit(ReluBackwardOp(self._value(x), self._value(gradient)))

    def activation_backward(self, kind: Activation, x: Tensor, gradient: Tensor) -> Tensor:
        """The derivative of `kind` at `x`, times `gradient`."""
        return self._emit(ActivationBackwardOp(kind, self._value(x), self._value(gradient)))

    def cumsum_backward(self, gradient: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """By the input of a prefix sum."""
        return self._emit(CumsumBackwardOp(self._value(gradient), axis=axis, exclusive=exclusive, reverse=reverse))

    def gather_backward(self, gradient: Tensor, indices: Tensor, size: int, axis: int = 0) -> Tensor:
        """By the table of a gather, whose dim of `axis` is `size`."""
        return self._emit(GatherBackwardOp(self._value(gradient), self._value(indices), axis=axis, size=size))

    def layer_norm_backward_input(
        self, x: Tensor, gamma: Tensor, gradient: Tensor, epsilon: float = 1e-5, axis: int = -1
    ) -> Tensor:
        """By the input of `layer_norm`."""
        return self._emit(
            LayerNormBackwardInputOp(
                self._value(x), self._value(gamma), self._value(gradient), epsilon=epsilon, axis=axis
            )
        )

    def layer_norm_backward_gamma(self, x: Tensor, gradient: Tensor, epsilon: float = 1e-5, axis: int = -1) -> Tensor:
        """By the gain of `layer_norm`."""
        return self._emit(LayerNormBackwardGammaOp(self._value(x), self._value(gradient), epsilon=epsilon, axis=axis))

    def rms_norm_backward_input(
        self, x: Tensor, gamma: Tensor, gradient: Tensor, epsilon: float = 1e-5, axis: int = -1
    ) -> Tensor:
        """By the input of `rms_norm`."""
        return self._emit(
            RmsNormBackwardInputOp(
                self._value(x), self._value(gamma), self._value(gradient), epsilon=epsilon, axis=axis
            )
        )

    def rms_norm_backward_gamma(self, x: Tensor, gradient: Tensor, epsilon: float = 1e-5, axis: int = -1) -> Tensor:
        """By the gain of `rms_norm`."""
        return self._emit(RmsNormBackwardGammaOp(self._value(x), self._value(gradient), epsilon=epsilon, axis=axis))

    def rms_norm_backward_beta(self, gradient: Tensor, axis: int = -1) -> Tensor:
        """By the shift of `rms_norm`."""
        return self._emit(RmsNormBackwardBetaOp(self._value(gradient), axis=axis))

    def group_norm_backward_input(
        self, x: Tensor, gamma: Tensor, gradient: Tensor, num_groups: int, epsilon: float = 1e-5
    ) -> Tensor:
        """By the input of `group_norm`."""
        return self._emit(
            GroupNormBackwardInputOp(
                self._value(x), self._value(gamma), self._value(gradient), num_groups=num_groups, epsilon=epsilon
            )
        )

    def group_norm_backward_gamma(self, x: Tensor, gradient: Tensor, num_groups: int, epsilon: float = 1e-5) -> Tensor:
        """By the gain of `group_norm`."""
        return self._emit(
            GroupNormBackwardGammaOp(self._value(x), self._value(gradient), num_groups=num_groups, epsilon=epsilon)
        )

    def group_norm_backward_beta(self, gradient: Tensor) -> Tensor:
        """By the shift of `group_norm`."""
        return self._emit(GroupNormBackwardBetaOp(self._value(gradient)))

    def batch_norm_inference_backward_input(
        self, gamma: Tensor, variance: Tensor, gradient: Tensor, epsilon: float = 1e-5, axis: int = -1
    ) -> Tensor:
        """By the input of `batch_norm_inference`."""
        return self._emit(
            BatchNormInferenceBackwardInputOp(
                self._value(gamma), self._value(variance), self._value(gradient), epsilon=epsilon, axis=axis
            )
        )

    def batch_norm_inference_backward_gamma(
        self, x: Tensor, mean: Tensor, variance: Tensor, gradient: Tensor, epsilon: float = 1e-5, axis: int = -1
    ) -> Tensor:
        """By the gain of `batch_norm_inference`."""
        return self._emit(
            BatchNormInferenceBackwardGammaOp(
                self._value(x),
                self._value(mean),
                self._value(variance),
                self._value(gradient),
                epsilon=epsilon,
                axis=axis,
            )
        )

    def batch_norm_inference_backward_beta(self, gradient: Tensor, axis: int = -1) -> Tensor:
        """By the shift of `batch_norm_inference`."""
        return self._emit(BatchNormInferenceBackwardBetaOp(self._value(gradient), axis=axis))

    def ada_layer_norm_backward(
        self,
        x: Tensor,
        scale: Tensor,
        shift: Tensor,
        gradient: Tensor,
        epsilon: float = 1e-5,
        norm: AdaNormKind = AdaNormKind.LAYER_NORM,
    ) -> Tensor:
        """By input, scale and shift of `ada_layer_norm`, as one vector."""
        return self._emit(
            AdaLayerNormBackwardOp(
                self._value(x),
                self._value(scale),
                self._value(shift),
                self._value(gradient),
                epsilon=epsilon,
                norm=norm,
            )
        )

    def gated_residual_backward(self, x: Tensor, update: Tensor, gate: Tensor, gradient: Tensor) -> Tensor:
        """By input, update and gate of `gated_residual`, as one vector."""
        return self._emit(
            GatedResidualBackwardOp(self._value(x), self._value(update), self._value(gate), self._value(gradient))
        )

    def attention_backward(
        self,
        wrt: AttentionOperand,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        gradient: Tensor,
        config: AttentionConfig,
        *,
        layout: AttentionLayout,
        mask: Tensor | None = None,
        mask_kind: MaskKind | None = None,
    ) -> Tensor:
        """By one operand of `attention`."""
        return self._emit(
            AttentionBackwardOp(
                wrt,
                self._value(query),
                self._value(key),
                self._value(value),
                self._value(gradient),
                config,
                layout=layout,
                mask=self._optional(mask),
                mask_kind=mask_kind,
            )
        )

    def attention_backward_all(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        gradient: Tensor,
        config: AttentionConfig,
        *,
        layout: AttentionLayout,
        mask: Tensor | None = None,
        mask_kind: MaskKind | None = None,
    ) -> Tensor:
        """By query, key and value of `attention`, one after the other on axis 0."""
        return self._emit(
            AttentionBackwardAllOp(
                self._value(query),
                self._value(key),
                self._value(value),
                self._value(gradient),
                config,
                layout=layout,
                mask=self._optional(mask),
                mask_kind=mask_kind,
            )
        )
