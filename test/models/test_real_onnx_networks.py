"""
Networks of the `onnx` package, fused and against ONNX Runtime.

Their weights are constants of one number, which makes every class as likely as any other. They get seeded ones here,
but for the largest products, and what goes into the softmax is an output as well: softmax alone would show the one
class that these weights prefer.
"""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from real_models import through
from real_onnx import LIMIT, Session, assert_gives, found, model_of, packaged, relative_error, show_scores, those_of
from tools import long, need_module

from rlx_dialect.reference import Array
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of as definition_of
from rlx_passes.tools import rlx_compile, rlx_run

need_module("onnx")
need_module("onnxruntime")

LARGE = 2**23
"""A weight of more elements stays a constant of one number: half a gigabyte of it is no better a test."""


class Network(NamedTuple):
    """How a network's convolutions and products fuse, for a target with convolution epilogues and without."""

    fused: dict[str, int]
    products: dict[str, int]
    convolutions: int


CLASSIFIER = {"fused_matmul_bias_act": 1}
THREE_PRODUCTS = {"fused_matmul_bias_act": 1, "fused_matmul_bias_act relu": 2}

NETWORKS = {
    "bvlc_alexnet": Network({"fused_conv_bias_act relu": 5}, THREE_PRODUCTS, 5),
    # Each convolution has a bias and a relu: the first one, eight times three, the classifier.
    "squeezenet": Network({"fused_conv_bias_act relu": 26}, {}, 26),
    "zfnet512": Network({"fused_conv_bias_act relu": 5}, THREE_PRODUCTS, 5),
    "vgg19": Network({"fused_conv_bias_act relu": 16}, THREE_PRODUCTS, 16),
    "inception_v1": Network({"fused_conv_bias_act relu": 57}, CLASSIFIER, 57),
    # Behind each convolution a norm, a scale, a shift and a relu.
    "inception_v2": Network({"fused_conv_bias_act relu": 69}, CLASSIFIER, 69),
    # 16 units of three, the last of each followed by the sum; 4 of them project what they add. And the first one.
    "resnet50": Network(
        {
            "fused_conv_bias_act": 4,
            "fused_conv_bias_act relu": 1 + 16 * 2,
            "fused_conv_bias_act residual relu": 16,
        },
        CLASSIFIER,
        53,
    ),
    # 16 units of three, of which the depthwise one has no relu. 13 end in a sum; the other 3 are joined to a pooled
    # value before the relu.
    "shufflenet": Network(
        {
            "fused_conv_bias_act": 16 + 3,
            "fused_conv_bias_act relu": 1 + 16,
            "fused_conv_bias_act residual relu": 13,
        },
        CLASSIFIER,
        49,
    ),
    # Norms precede convolutions: of the 58 pairs the first is followed by the norm of the second; the second is joined
    # and has nothing to fuse with, like the 3 before a pool. The classifier has a bias alone.
    "densenet121": Network(
        {"conv": 58 + 3, "fused_conv_bias_act": 1, "fused_conv_bias_act relu": 1 + 58},
        {},
        121,
    ),
}


SHORT = ("squeezenet", "resnet50", "shufflenet")
"""The networks that always run."""


def network(name: str) -> tuple[Any, str]:
    """The model with seeded weights, whose scores are its last output, and the name of its input."""
    onnx: Any = importlib.import_module("onnx")
    model = onnx.load(packaged("onnx", "backend", "test", "data", "light", f"light_{name}.onnx"))
    graph = model.graph
    shapes = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    rng = np.random.default_rng(7)
    # As many as a prime, so that no two rows of a weight are alike, and quick to repeat.
    around_0, around_1 = rng.standard_normal(65521, np.float32), rng.uniform(0.5, 1.5, 65521).astype(np.float32)
    nodes, weights = list[Any](), list[Any]()
    for node in graph.node:
        dims = shapes[node.input[0]].tolist() if node.op_type == "ConstantOfShape" else ()
        if dims and math.prod(dims) <= LARGE:
            weights.append(onnx.numpy_helper.from_array(weight(around_0, around_1, dims, len(weights)), node.output[0]))
        else:
            nodes.append(node)
    known = {each.name for each in (*graph.initializer, *weights)}
    (image,) = (each for each in graph.input if each.name not in known)
    for field, values in ((graph.node, nodes), (graph.input, [image])):
        del field[:]
        field.extend(values)
    graph.initializer.extend(weights)
    if any(each.op_type == "Softmax" for each in nodes):
        show_scores(model)
    model.ir_version = 4
    return model, image.name


def weight(around_0: Array, around_1: Array, dims: list[int], number: int) -> Array:
    """Weights that keep the size of a product's or convolution's input; around 1 for norms, scales and biases."""
    if len(dims) == 1:
        return np.resize(np.roll(around_1, number), dims)
    return np.resize(np.roll(around_0, number), dims) * np.float32(math.sqrt(2 / math.prod(dims[1:])))


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in SHORT else [long]) for name in NETWORKS])
def test_network_is_fused_and_gives_the_same_scores(name: str):
    message, argument = network(name)
    inputs = {argument: np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)}
    outputs = Session(message.SerializeToString())(inputs)
    scores = list(outputs.values())[-1]
    assert scores.std() > 1e-3 * abs(scores).max(), "they tell the classes apart"
    model = model_of(import_model(definition_of(message, name)), inputs, outputs)
    expected = NETWORKS[name]
    assert found(model.module)["conv"] == expected.convolutions

    fused = through(model, "cuda", "fuse")
    counts = found(fused)
    assert those_of(counts, "conv", "fused_conv_bias_act") == expected.fused
    assert those_of(counts, "matmul", "fused_matmul_bias_act") == expected.products
    assert_gives(model, fused)

    plain = through(model, "cpu", "fuse")
    counts = found(plain)
    assert those_of(counts, "conv", "fused_conv_bias_act") == {"conv": expected.convolutions}
    assert those_of(counts, "matmul", "fused_matmul_bias_act") == expected.products
    if name != "vgg19":  # 40 billion products in float64 are enough once.
        assert_gives(model, plain)


def test_network_is_compiled_and_run_by_the_tools(tmp_path: Path):
    """Pads, strides, joins and pools of convolved values on cpu; the tools read model and weights from the one file."""
    need_module("llvmlite")
    message, argument = network("squeezenet")
    inputs = {argument: np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)}
    model, bundle, given, made = (str(tmp_path / name) for name in ("model.onnx", "bundle", "in.npy", "out.npz"))
    Path(model).write_bytes(message.SerializeToString())
    np.save(given, inputs[argument])
    assert rlx_compile.main([model, "--target", "cpu", "-o", bundle]) == 0
    assert rlx_run.main([bundle, "--params", model, "--input", f"{argument}={given}", "--output", made]) == 0
    got = np.load(made)
    for name, expected in Session(Path(model))(inputs).items():
        assert relative_error(got[name], expected) <= LIMIT
