"""Fused ops."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, NamedTuple

from rlx_dialect.attributes import Activation, AdaNormKind, BinaryKind, MaskKind
from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import (
    ActivationOp,
    AdaLayerNormOp,
    AttentionConfig,
    BinaryOp,
    FusedAttentionBlockOp,
    FusedMatMulBiasActOp,
    FusedMatMulResidualOp,
    FusedResidualLNOp,
    FusedResidualRmsNormOp,
    FusedSwiGLUOp,
    FusedTransformerLayerOp,
    GatedResidualOp,
    GroupedMatMulOp,
    LayerWeights,
    LoraMatMulOp,
    MatMulOp,
)

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class LayerTensors(NamedTuple):
    """The weights of an encoder layer as `rlx_dialect.ops.LayerWeights` has them; all biases or none."""

    qkv_w: Tensor
    out_w: Tensor
    ln1_g: Tensor
    fc1_w: Tensor
    fc2_w: Tensor
    ln2_g: Tensor
    qkv_b: Tensor | None = None
    out_b: Tensor | None = None
    ln1_b: Tensor | None = None
    fc1_b: Tensor | None = None
    fc2_b: Tensor | None = None
    ln2_b: Tensor | None = None


class FusedChapter(Chapter, ABC):
    """What the fusion passes make, written by hand."""

    def fused_matmul_bias_act(
        self, lhs: Tensor, rhs: Tensor, bias: Tensor, activation: Activation | None = None
    ) -> Tensor:
        """`activation(lhs @ rhs + bias)`"""
        return self._emit(FusedMatMulBiasActOp(self._value(lhs), self._value(rhs), self._value(bias), activation))

    def fused_matmul_residual(self, lhs: Tensor, rhs: Tensor, residual: Tensor) -> Tensor:
        """`lhs @ rhs + residual`"""
        return self._emit(FusedMatMulResidualOp(self._value(lhs), self._value(rhs), self._value(residual)))

    def fused_swiglu(self, packed: Tensor, *, gate_first: bool = False, cast_to: str | None = None) -> Tensor:
        """`up * silu(gate)` of the halves of the last axis."""
        return self._emit(
            FusedSwiGLUOp(
                self._value(packed),
                gate_first=gate_first,
                cast_to=None if cast_to is None else element_type(cast_to),
            )
        )

    def swiglu_ffn(self, x: Tensor, up_w: Tensor, gate_w: Tensor, down_w: Tensor) -> Tensor:
        """`((x @ up_w) * silu(x @ gate_w)) @ down_w` in plain ops, the product with `up_w` first."""
        up = self._emit(MatMulOp(self._value(x), self._value(up_w)))
        gate = self._emit(MatMulOp(self._value(x), self._value(gate_w)))
        opened = self._emit(ActivationOp(Activation.SILU, self._value(gate)))
        hidden = self._emit(BinaryOp(BinaryKind.MUL, self._value(up), self._value(opened)))
        return self._emit(MatMulOp(self._value(hidden), self._value(down_w)))

    def lora_matmul(self, x: Tensor, weight: Tensor, down: Tensor, up: Tensor, scale: float) -> Tensor:
        """`x @ weight + scale * ((x @ down) @ up)`"""
        return self._emit(
            LoraMatMulOp(self._value(x), self._value(weight), self._value(down), self._value(up), scale=scale)
        )

    def grouped_matmul(self, x: Tensor, weights: Tensor, indices: Tensor) -> Tensor:
        """Each row times the matrix that its index picks."""
        return self._emit(GroupedMatMulOp(self._value(x), self._value(weights), self._value(indices)))

    def fused_residual_ln(
        self,
        x: Tensor,
        residual: Tensor,
        gamma: Tensor,
        beta: Tensor,
        epsilon: float = 1e-5,
        *,
        bias: Tensor | None = None,
    ) -> Tensor:
        """`layer_norm(x + residual (+ bias))`"""
        return self._emit(
            FusedResidualLNOp(*map(self._value, (x, residual, gamma, beta)), epsilon=epsilon, bias=self._optional(bias))
        )

    def fused_residual_rms_norm(
        self,
        x: Tensor,
        residual: Tensor,
        gamma: Tensor,
        beta: Tensor,
        epsilon: float = 1e-5,
        *,
        bias: Tensor | None = None,
    ) -> Tensor:
        """`rms_norm(x + residual (+ bias))`"""
        return self._emit(
            FusedResidualRmsNormOp(
                *map(self._value, (x, residual, gamma, beta)), epsilon=epsilon, bias=self._optional(bias)
            )
        )

    def ada_layer_norm(
        self,
        x: Tensor,
        scale: Tensor,
        shift: Tensor,
        epsilon: float = 1e-5,
        norm: AdaNormKind = AdaNormKind.LAYER_NORM,
    ) -> Tensor:
        """`norm(x) * (1 + scale) + shift`"""
        return self._emit(
            AdaLayerNormOp(self._value(x), self._value(scale), self._value(shift), epsilon=epsilon, norm=norm)
        )

    def gated_residual(self, x: Tensor, update: Tensor, gate: Tensor) -> Tensor:
        """`x + gate * update`"""
        return self._emit(GatedResidualOp(self._value(x), self._value(update), self._value(gate)))

    def fused_attention_block(
        self,
        hidden: Tensor,
        qkv_w: Tensor,
        out_w: Tensor,
        config: AttentionConfig,
        *,
        qkv_b: Tensor | None = None,
        out_b: Tensor | None = None,
        mask: Tensor | None = None,
        mask_kind: MaskKind | None = None,
    ) -> Tensor:
        """Self attention with its projections."""
        return self._emit(
            FusedAttentionBlockOp(
                self._value(hidden),
                self._value(qkv_w),
                self._value(out_w),
                config,
                qkv_b=self._optional(qkv_b),
                out_b=self._optional(out_b),
                mask=self._optional(mask),
                mask_kind=mask_kind,
            )
        )

    def fused_transformer_layer(
        self,
        hidden: Tensor,
        weights: LayerTensors,
        config: AttentionConfig,
        *,
        activation: Activation = Activation.GELU,
        epsilon1: float = 1e-5,
        epsilon2: float = 1e-5,
        mask: Tensor | None = None,
        mask_kind: MaskKind | None = None,
    ) -> Tensor:
        """An encoder layer with its norms behind the sums."""
        required, biases = weights[:6], weights[6:]
        return self._emit(
            FusedTransformerLayerOp(
                self._value(hidden),
                LayerWeights(*map(self._value, required), *map(self._optional, biases)),
                config,
                activation=activation,
                epsilon1=epsilon1,
                epsilon2=epsilon2,
                mask=self._optional(mask),
                mask_kind=mask_kind,
            )
        )
