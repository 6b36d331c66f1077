"""Fused ops."""

from __future__ import annotations

from typing import NamedTuple

from rlx_dialect.attributes import Activation, BinaryKind, MaskKind
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import (
    ActivationOp,
    AttentionConfig,
    BinaryOp,
    FusedResidualLNOp,
    FusedResidualRmsNormOp,
    FusedTransformerLayerOp,
    LayerWeights,
    MatMulOp,
)


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


class FusedChapter(GraphBase):
    """What the fusion passes make, written by hand."""

    def swiglu_ffn(self, x: Tensor, up_w: Tensor, gate_w: Tensor, down_w: Tensor) -> Tensor:
        """`((x @ up_w) * silu(x @ gate_w)) @ down_w` in plain ops, the product with `up_w` first."""
        up = self._emit(MatMulOp(self._value(x), self._value(up_w)))
        gate = self._emit(MatMulOp(self._value(x), self._value(gate_w)))
        opened = self._emit(ActivationOp(Activation.SILU, self._value(gate)))
        hidden = self._emit(BinaryOp(BinaryKind.MUL, self._value(up), self._value(opened)))
        return self._emit(MatMulOp(self._value(hidden), self._value(down_w)))

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
        """An encoder layer with its norms after the sums."""
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
