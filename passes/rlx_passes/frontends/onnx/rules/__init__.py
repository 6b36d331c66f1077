"""How each op is read: `RULES` by op type, a file per chapter; `ON_SIZES` what NumPy does with sizes."""

from collections.abc import Mapping

from rlx_passes.frontends.onnx.node import NodeRule
from rlx_passes.frontends.onnx.rules import (
    arithmetic,
    attention,
    channel_norms,
    control_flow,
    convolution,
    einsum,
    elementwise,
    filling,
    indexing,
    linear_algebra,
    microsoft,
    microsoft_attention,
    movement,
    normalization,
    on_sizes,
    order,
    parts,
    pooling,
    position,
    products,
    quantization,
    recurrent,
    reductions,
    resize,
    shape,
    sizes,
    softmax,
    spectral,
)

_CHAPTERS = (
    arithmetic,
    attention,
    channel_norms,
    control_flow,
    convolution,
    einsum,
    elementwise,
    filling,
    indexing,
    microsoft,
    microsoft_attention,
    linear_algebra,
    movement,
    normalization,
    order,
    parts,
    pooling,
    position,
    products,
    quantization,
    recurrent,
    reductions,
    resize,
    shape,
    sizes,
    softmax,
    spectral,
)

RULES: Mapping[str, NodeRule] = {name: rule for chapter in _CHAPTERS for name, rule in chapter.RULES.items()}
"""An op of another domain than the default one is `domain.Op`."""

ON_SIZES = on_sizes.ON_SIZES
