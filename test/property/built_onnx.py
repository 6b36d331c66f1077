"""ONNX graphs that are put together from choices, with what ONNX Runtime gives for them."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from drawing import Case, Draw
from tools import need_module

from rlx_dialect.reference import Array
from rlx_passes.core.numerics import Tolerance
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of

need_module("onnx")
need_module("onnxruntime")

BATCH, PLACES, WIDTH, HEADS, DIM = 2, 6, 16, 4, 8
MICROSOFT = "com.microsoft"


class Sheet:
    """A graph in the making."""

    def __init__(self, draw: Draw, opset: int = 20):
        self.onnx: Any = importlib.import_module("onnx")
        self.rng = draw.rng("values")
        self.opset = opset
        self.nodes: list[Any] = []
        self.stored: list[Any] = []
        self.given: dict[str, Array] = {}

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """A node of one output."""
        return self.ops(kind, 1, *inputs, domain=domain, **attributes)[0]

    def ops(self, kind: str, results: int, *inputs: str, domain: str = "", **attributes: Any) -> list[str]:
        names = [f"v{len(self.nodes)}_{at}" for at in range(results)]
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names

    def store(self, value: Any, dtype: str = "float32") -> str:
        name = f"w{len(self.stored)}"
        self.stored.append(self.onnx.numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def learnt(self, *dims: int, around: float = 0.0, size: float = 0.3) -> str:
        return self.store(around + size * self.rng.standard_normal(dims))

    def input(self, *dims: int) -> str:
        return self.also(self.rng.standard_normal(dims).astype(np.float32))

    def also(self, value: Array) -> str:
        name = f"x{len(self.given)}"
        self.given[name] = value
        return name

    def case(
        self,
        results: list[str],
        raised: Mapping[str, int],
        fused: Mapping[str, int],
        tolerance: Tolerance | None = None,
    ) -> Case:
        """Read by the importer and run by ONNX Runtime, on one thread and without its own fusions."""
        helper, runtime = self.onnx.helper, importlib.import_module("onnxruntime")
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in self.given.items()
        ]
        outputs = [self.onnx.ValueInfoProto(name=name) for name in results]
        graph = helper.make_graph(self.nodes, "built", inputs, outputs, self.stored)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        wanted = session.run(None, self.given)
        program = import_model(model_of(model, "built"))
        return Case(program, self.given, wanted, raised, fused, tolerance)


def onnx_attention(draw: Draw) -> Case:
    """Attention as exporters write it, or by the ops of ONNX Runtime."""
    s = Sheet(draw)
    kv_heads = draw.of("kv_heads", 4, 2)
    x = s.input(BATCH, PLACES, WIDTH)
    way = draw.of("way", "written", "packed", "MultiHeadAttention", "Attention", "GroupQueryAttention")
    mask = draw.of("mask", "none", "keys", "causal", "bias")
    scale, bias = draw.of("scale", "divided", "scores", "both", "query"), draw.of("bias", True, False)
    softcap = draw.seldom("softcap")

    def projected(heads: int) -> str:
        y = s.op("MatMul", x, s.learnt(WIDTH, heads * DIM))
        return s.op("Add", y, s.learnt(heads * DIM)) if bias else y

    causal = np.tril(np.ones((PLACES, PLACES), bool))
    if way == "GroupQueryAttention":
        q, k, v = projected(HEADS), projected(kv_heads), projected(kv_heads)
        lengths, total = s.store([PLACES - 1] * BATCH, "int32"), s.store([PLACES], "int32")
        more = {"softcap": 5.0} if softcap else {}
        y = s.ops("GroupQueryAttention", 3, q, k, v, "", "", lengths, total,
                  domain=MICROSOFT, num_heads=HEADS, kv_num_heads=kv_heads, **more)[0]  # fmt: skip
        return s.case([y], {"attention": 1, "softmax": 0}, {})
    if way == "MultiHeadAttention":
        q, k, v = projected(HEADS), projected(HEADS), projected(HEADS)
        padding = s.also(np.array([[1] * PLACES, [1] * (PLACES - 2) + [0] * 2], np.int32)) if mask == "keys" else ""
        added = s.input(1, HEADS, PLACES, PLACES) if mask == "bias" else ""
        more = {"unidirectional": 1} if mask == "causal" else {}
        y = s.op("MultiHeadAttention", q, k, v, "", padding, added, domain=MICROSOFT, num_heads=HEADS, **more)
        return s.case([y], {"attention": 1, "softmax": 0}, {})
    if way == "Attention":
        whole, vector = s.learnt(WIDTH, 3 * HEADS * DIM), s.learnt(3 * HEADS * DIM)
        padding = s.also(np.array([[1] * PLACES, [1] * (PLACES - 2) + [0] * 2], np.int32)) if mask == "keys" else ""
        more = {"unidirectional": 1} if mask == "causal" else {}
        y = s.op("Attention", x, whole, vector, padding, domain=MICROSOFT, num_heads=HEADS, **more)
        return s.case([y], {"attention": 1, "softmax": 0}, {})

    def split(y: str, heads: int, order: list[int]) -> str:
        return s.op("Transpose", s.op("Reshape", y, s.store([0, 0, heads, DIM], "int64")), perm=order)

    if way == "packed":
        whole = s.op("MatMul", x, s.learnt(WIDTH, 3 * HEADS * DIM))
        sides = s.ops("Split", 3, whole, s.store([HEADS * DIM] * 3, "int64"), axis=-1)
        kv_heads = HEADS
    else:
        sides = [projected(HEADS), projected(kv_heads), projected(kv_heads)]
    one = kv_heads == HEADS
    q = split(sides[0], HEADS, [0, 2, 1, 3])
    k = split(sides[1], kv_heads, [0, 2, 3, 1] if one else [0, 2, 1, 3])
    v = split(sides[2], kv_heads, [0, 2, 1, 3])
    if not one:
        k, v = (_repeated(s, each, kv_heads) for each in (k, v))
        k = s.op("Transpose", k, perm=[0, 1, 3, 2])
    if scale in ("query", "both"):
        q = s.op("Mul", q, s.store(DIM ** (-0.5 if scale == "query" else -0.25)))
    if scale == "both":
        k = s.op("Mul", k, s.store(DIM**-0.25))
    p = s.op("MatMul", q, k)
    if scale in ("divided", "scores"):
        p = s.op("Div", p, s.store(DIM**0.5)) if scale == "divided" else s.op("Mul", p, s.store(DIM**-0.5))
    if softcap:
        p = s.op("Mul", s.op("Tanh", s.op("Div", p, s.store(5.0))), s.store(5.0))
    lowest = float(np.finfo(np.float32).min)
    if mask == "causal":
        hidden = draw.of("hidden", lowest, -np.inf)
        p = s.op("Where", s.store(causal, "bool"), p, s.store(hidden))
    elif mask == "keys":
        shown = s.also(np.array([[1] * PLACES, [1] * (PLACES - 2) + [0] * 2], np.int64))
        row = s.op("Cast", s.op("Unsqueeze", shown, s.store([1, 2], "int64")), to=1)
        p = s.op("Add", p, s.op("Mul", s.op("Sub", s.store(1.0), row), s.store(lowest)))
    elif mask == "bias":
        p = s.op("Add", p, s.input(1, HEADS, PLACES, PLACES))
    y = s.op("MatMul", s.op("Softmax", p, axis=-1), v)
    y = s.op("Reshape", s.op("Transpose", y, perm=[0, 2, 1, 3]), s.store([0, 0, HEADS * DIM], "int64"))
    return s.case([y], {"attention": 1, "softmax": 0}, {})


def _repeated(s: Sheet, y: str, heads: int) -> str:
    times = HEADS // heads
    spread = s.op("Unsqueeze", y, s.store([2], "int64"))
    spread = s.op("Expand", spread, s.store([BATCH, heads, times, PLACES, DIM], "int64"))
    return s.op("Reshape", spread, s.store([BATCH, HEADS, PLACES, DIM], "int64"))


ENDS = ("Relu", "Gelu", "Sigmoid", "Tanh", "HardSwish", "silu", "gelu", "QuickGelu")


def _ended(s: Sheet, y: str, act: str) -> str:
    if act == "silu":
        return s.op("Mul", y, s.op("Sigmoid", y))
    if act == "gelu":
        erf = s.op("Add", s.op("Erf", s.op("Div", y, s.store(2**0.5))), s.store(1.0))
        return s.op("Mul", s.op("Mul", y, erf), s.store(0.5))
    if act == "QuickGelu":
        return s.op("QuickGelu", y, domain=MICROSOFT, alpha=1.702)
    return s.op(act, y)


def onnx_layers(draw: Draw) -> Case:
    """A norm of a sum, a product with bias and activation, or a gated unit; by ops of ONNX Runtime or written out."""
    s = Sheet(draw)
    act = draw.of("act", *ENDS)
    product, gate = draw.of("product", "MatMul", "Gemm", "FusedMatMul"), draw.of("gated", False, True)
    kind = draw.of("norm", "LayerNormalization", "written", "Skip", "SkipSimplified", "rms written", "none")
    x, r = s.input(BATCH, PLACES, WIDTH), s.input(BATCH, PLACES, WIDTH)
    weight, shift = s.learnt(WIDTH, around=1.0), s.learnt(WIDTH)
    rms = kind in ("SkipSimplified", "rms written")
    y = x
    if kind == "Skip":
        y = s.op("SkipLayerNormalization", x, r, weight, shift, domain=MICROSOFT, epsilon=1e-5)
    elif kind == "SkipSimplified":
        y = s.op("SkipSimplifiedLayerNormalization", x, r, weight, domain=MICROSOFT, epsilon=1e-5)
    elif kind != "none":
        y = s.op("Add", x, r)
        if kind == "LayerNormalization":
            y = s.op("LayerNormalization", y, weight, shift, axis=-1, epsilon=1e-5)
        else:
            axes = s.store([-1], "int64")
            y = y if rms else s.op("Sub", y, s.op("ReduceMean", y, axes, keepdims=1))
            mean = s.op("ReduceMean", s.op("Pow", y, s.store(2.0)), axes, keepdims=1)
            y = s.op("Div", y, s.op("Sqrt", s.op("Add", mean, s.store(1e-5))))
            y = s.op("Mul", y, weight)
            y = y if rms else s.op("Add", y, shift)
    norms = {} if kind == "none" else {"fused_residual_rms_norm" if rms else "fused_residual_ln": 1}
    if gate:
        up, opened = (s.op("MatMul", y, s.learnt(WIDTH, 24)) for _ in range(2))
        y = s.op("MatMul", s.op("Mul", _ended(s, opened, act), up), s.learnt(24, WIDTH))
        return s.case([y], {}, {**norms, "fused_swiglu": 1})
    if product == "Gemm":
        flat = s.op("Reshape", y, s.store([-1, WIDTH], "int64"))
        y = s.op("Gemm", flat, s.learnt(24, WIDTH), s.learnt(24), transB=1)
        y = s.op("Reshape", y, s.store([BATCH, PLACES, 24], "int64"))
    else:
        more: dict[str, Any] = {"domain": MICROSOFT, "transB": 1} if product == "FusedMatMul" else {}
        y = s.op(product, y, s.learnt(*((24, WIDTH) if more else (WIDTH, 24))), **more)
        y = s.op("Add", s.learnt(24), y) if draw.seldom("bias first") else s.op("Add", y, s.learnt(24))
    return s.case([_ended(s, y, act)], {}, {**norms, "fused_matmul_bias_act": 1})


def onnx_convolution(draw: Draw) -> Case:
    """A convolution, a batch norm or not, an activation; of pixels or samples."""
    s = Sheet(draw)
    rank, bias, bn = draw.of("rank", 2, 1), draw.of("bias", True, False), draw.of("bn", False, True)
    act, group = draw.of("act", "Relu", "Sigmoid", "silu", "HardSwish", "none"), draw.of("group", 1, 4)
    padded = draw.of("padded", "pads", "SAME_UPPER", "Pad")
    x = s.input(BATCH, 8, *(6, 5)[:rank])
    weight = s.learnt(8, 8 // group, *(3,) * rank)
    more: dict[str, Any] = {"pads": [1] * 2 * rank} if padded == "pads" else {"auto_pad": padded}
    y = x
    if padded == "Pad":
        y, more = s.op("Pad", x, s.store([0, 0, *(1,) * rank] * 2, "int64")), {}
    y = s.op("Conv", y, weight, *([s.learnt(8)] if bias else []), group=group, **more)
    if bn:
        varied = s.store(0.5 + s.rng.random(8))
        y = s.op("BatchNormalization", y, s.learnt(8, around=1.0), s.learnt(8), s.learnt(8), varied)
    y = y if act == "none" else _ended(s, y, act)
    ends = bias or bn or act != "none"
    return s.case([y], {}, {"fused_conv_bias_act": int(ends)})


def onnx_quantised(draw: Draw) -> Case:
    """Products of codes of eight bits, with what ends them."""
    s = Sheet(draw)
    way = draw.of("way", "QDQ", "QDQ of weights", "MatMulInteger", "QLinearMatMul", "MatMulNBits")
    act = draw.of("act", "Relu", "none", "silu")
    x, columns = s.input(BATCH, PLACES, WIDTH), 8
    codes = s.rng.integers(-100, 100, (WIDTH, columns))
    weight, scale = s.store(codes, "int8"), s.store(0.003 + 0.001 * s.rng.random(columns))
    zero = s.store(np.zeros(columns), "int8")
    step, middle = s.store(0.03), s.store(120, "uint8")
    if way == "MatMulNBits":
        packed = s.store(s.rng.integers(0, 256, (columns, 1, 8)), "uint8")
        y = s.op("MatMulNBits", x, packed, s.store(0.05 + 0.01 * s.rng.random(columns)),
                 domain=MICROSOFT, K=WIDTH, N=columns, bits=4, block_size=16)  # fmt: skip
    elif way == "MatMulInteger":
        q, by, at = s.ops("DynamicQuantizeLinear", 3, x)
        y = s.op("Cast", s.op("MatMulInteger", q, weight, at), to=1)
        y = s.op("Mul", y, s.op("Mul", by, scale))
    elif way == "QLinearMatMul":
        q = s.op("QuantizeLinear", x, step, middle)
        one = s.store(0.004)
        z = s.op("QLinearMatMul", q, step, middle, weight, one, s.store(0, "int8"), s.store(0.05), middle)
        y = s.op("DequantizeLinear", z, s.store(0.05), middle)
    else:
        wide = s.op("DequantizeLinear", weight, scale, zero, axis=1)
        if way == "QDQ":
            x = s.op("DequantizeLinear", s.op("QuantizeLinear", x, step, middle), step, middle)
        y = s.op("MatMul", x, wide)
    y = s.op("Add", y, s.learnt(columns))
    y = y if act == "none" else _ended(s, y, act)
    floats = way in ("QDQ", "QDQ of weights")  # a product of codes is an op of its own
    # One code more or less where a rounding is a tie.
    coarse = Tolerance(0.0, 0.06) if way == "QLinearMatMul" else None
    return s.case([y], {}, {"fused_matmul_bias_act": int(floats)}, coarse)
