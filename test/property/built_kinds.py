"""The kinds of programs that `built.py` draws."""

from collections.abc import Callable, Mapping

from built_attention import attention
from built_layers import adaptive, convolution, epilogue, gated, norm
from built_onnx import onnx_attention, onnx_convolution, onnx_layers, onnx_quantised
from built_others import decoding, embedding, experts, layers, multihead, quantised
from drawing import Case, Draw

KINDS: Mapping[str, Callable[[Draw], Case]] = {
    "attention": attention,
    "gated": gated,
    "epilogue": epilogue,
    "norm": norm,
    "adaptive": adaptive,
    "convolution": convolution,
    "experts": experts,
    "embedding": embedding,
    "decoding": decoding,
    "layers": layers,
    "quantised": quantised,
    "multihead": multihead,
    "onnx_attention": onnx_attention,
    "onnx_layers": onnx_layers,
    "onnx_convolution": onnx_convolution,
    "onnx_quantised": onnx_quantised,
}
