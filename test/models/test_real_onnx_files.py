"""Models that packages carry, as published: imported, raised, fused, and compared with ONNX Runtime."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from real_models import Model, through
from real_onnx import (
    LIMIT,
    Session,
    assert_gives,
    forms,
    found,
    imported,
    model_of,
    packaged,
    relative_error,
    show_scores,
    those_of,
)
from tools import need_module
from xdsl.dialects.arith import ConstantOp

from rlx_dialect.constants import scalar
from rlx_dialect.reference import Array, run
from rlx_passes import from_onnx
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source
from rlx_passes.runtime.program import load_bundle

need_module("onnx")
need_module("onnxruntime")


class Detector(NamedTuple):
    """A voice detector: what its sizes and inputs are on import, and how its convolutions are fused for cuda."""

    dims: dict[str, int]
    values: dict[str, int]
    rate: bool
    fused: dict[str, int]
    products: dict[str, int]


# The spectrum has no bias and is cut in two; four have bias and relu; after the recurrent layer bias and sigmoid.
CONVOLUTIONS = {"conv": 1, "fused_conv_bias_act relu": 4, "fused_conv_bias_act sigmoid": 1}
TWICE = {title: 2 * count for title, count in CONVOLUTIONS.items()}
DETECTORS = {
    "silero_vad": Detector({"input_1": 576}, {"sr": 16000}, True, CONVOLUTIONS, {}),
    "silero_vad_16k_op15": Detector({"sequence": 576}, {}, True, CONVOLUTIONS, {}),
    "silero_vad_half": Detector({"sequence": 576}, {}, False, CONVOLUTIONS, {}),
    # A body for each sample rate, chosen when it runs, where the recurrent layer is two products.
    "silero_vad_op18_ifless": Detector({}, {}, True, TWICE, {"fused_matmul_bias_act": 4}),
}


def detector_file(name: str) -> Path:
    return packaged("silero_vad", "data", f"{name}.onnx")


def frames(count: int) -> list[Array]:
    """A tone under noise: 512 samples each, with 64 of what was before."""
    at = np.arange(576 + 512 * count) / 16000
    rng = np.random.default_rng(0)
    sound = 0.3 * np.sin(2 * np.pi * 220 * at) * np.sin(2 * np.pi * 3 * at) + 0.05 * rng.standard_normal(at.size)
    return [sound[None, 512 * i : 512 * i + 576].astype(np.float32) for i in range(count)]


@pytest.mark.parametrize("name", DETECTORS)
def test_voice_detector_over_three_frames(name: str):
    """A frame's state is what the next one starts from, in the program and in ONNX Runtime independently."""
    path, detector = detector_file(name), DETECTORS[name]
    rate = {"sr": np.array(16000)} if detector.rate else {}
    session, program = Session(path), from_onnx(path, dims=detector.dims, values=detector.values)
    model = model_of(program, {}, {})
    made = forms(model)
    counts = found(made["cuda"])
    assert those_of(counts, "conv", "fused_conv_bias_act") == detector.fused
    assert those_of(counts, "matmul", "fused_matmul_bias_act") == detector.products
    assert (counts["if"], counts["lstm"]) == ((1, 0) if detector.products else (0, 1))
    counts = found(made["cpu"])
    assert those_of(counts, "conv", "fused_conv_bias_act") == {"conv": sum(detector.fused.values())}
    assert those_of(counts, "matmul", "fused_matmul_bias_act") == detector.products

    given = {} if detector.values else rate
    states = dict.fromkeys((*made, "runtime"), np.zeros((2, 1, 128), np.float32))
    for frame in frames(3):
        expected = session({"input": frame, "state": states["runtime"], **rate})
        for form, module in made.items():
            got = run(module, "main", {**model.params, "input": frame, "state": states[form], **given})
            assert max(relative_error(got[each], expected[each]) for each in expected) <= LIMIT
            states[form] = got["stateN"]
        states["runtime"] = expected["stateN"]


@pytest.mark.parametrize(
    ("name", "dims", "values"),
    [
        ("silero_vad", {"input_0": 1, "input_1": 576, "state_1": 1}, {"sr": 16000}),
        ("silero_vad_op18_ifless", {"batch": 1, "sequence": 576}, {}),
    ],
)
def test_voice_detector_is_compiled_for_the_cpu(
    name: str, dims: dict[str, int], values: dict[str, int], tmp_path: Path
):
    need_module("llvmlite")
    rate = {"sr": np.array(16000)}
    (frame,) = frames(1)
    inputs = {
        "input": frame,
        "state": np.random.default_rng(1).uniform(-0.1, 0.1, (2, 1, 128)).astype(np.float32),
        **rate,
    }
    model = imported(detector_file(name), inputs, dims, values)
    write_bundle(tmp_path / "bundle", generator("cpu")(through(model, "cpu", "lower")))
    got = load_bundle(tmp_path / "bundle").load(model.params)(model.inputs)
    assert max(relative_error(got[each], model.outputs[each]) for each in model.outputs) <= LIMIT


def test_file_types_are_told_apart():
    """Its softmax starts from a maximum of -inf, which comes through every form of the program."""
    content = np.random.default_rng(0).integers(0, 257, (1, 2048)).astype(np.int32)
    path = packaged("magika", "models", "standard_v3_3", "model.onnx")
    model = imported(path, {"bytes": content})
    assert model.outputs["target_label"].max() > 0.5
    text = str(model.module)
    read = parse(tool_context(), Source("model.mlir", text))
    assert str(read) == text
    for module in (model.module, read):
        lowest = [op for op in module.walk() if isinstance(op, ConstantOp) and scalar(op.result) == -math.inf]
        assert len(lowest) == 1
    for form, module in {**forms(model), "read": read}.items():
        assert_gives(model, module)
        if form in ("cuda", "cpu"):
            # Two products with a bias, the first followed by gelu. The other gelu follows the convolution, whose bias
            # is added once the axis that it has to itself is gone.
            counts = found(module)
            assert those_of(counts, "matmul", "fused_matmul_bias_act", "gelu_approx", "softmax", "conv") == {
                "conv": 1,
                "fused_matmul_bias_act": 1,
                "fused_matmul_bias_act gelu_approx": 1,
                "gelu_approx": 1,
                "softmax": 1,
            }


class Reader(NamedTuple):
    """A model that finds or reads text: its image, what it is raised to, and how its convolutions fuse for cuda."""

    size: tuple[int, int]
    raised: dict[str, int]
    fused: dict[str, int]
    scores: float = LIMIT


READERS = {
    # 13 gelu of Div, Erf, Add, Mul, Mul. Of 13 HardSigmoid gates 5 are x / 6 + 1 / 2, the others x / 5 + 1 / 2, which
    # is no activation; none gates the value it is made of. 75 of 83 convolutions have a bias; 8 are read three times.
    "PP-OCRv6_det_small": Reader(
        (64, 96),
        {"gelu": 13, "hard_sigmoid": 5, "clamp": 8, "hard_swish": 0, "layer_norm": 0, "erf": 0, "relu": 20},
        {
            "conv": 8,
            "fused_conv_bias_act": 33,
            "fused_conv_bias_act gelu": 13,
            "fused_conv_bias_act relu": 19,
            "fused_conv_bias_act residual": 10,
        },
    ),
    # 13 gelu; 5 chains ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add; 5 of Sigmoid and Mul; 2 of 3 softmax
    # are attention. The 3 norms after convolutions are scales and shifts of these, each with silu.
    "PP-OCRv6_rec_small": Reader(
        (48, 96),
        {
            "gelu": 13,
            "layer_norm": 5,
            "silu": 5,
            "hard_sigmoid": 5,
            "attention": 2,
            "softmax": 1,
            "matmul": 13 - 2 * 2,
            "batch_norm_inference": 0,
            "hard_swish": 0,
            "erf": 0,
            "pow": 0,
        },
        {
            "fused_conv_bias_act": 20,
            "fused_conv_bias_act gelu": 13,
            "fused_conv_bias_act relu": 10,
            "fused_conv_bias_act residual": 11,
            "fused_conv_bias_act silu": 3,
        },
    ),
    # 18 chains Add 3, Clip, Mul, Div 6; 9 gates x / 5 + 1 / 2.
    "ch_ppocr_mobile_v2.0_cls_mobile": Reader(
        (48, 192),
        {"hard_swish": 18, "clamp": 9, "hard_sigmoid": 0, "batch_norm_inference": 0, "relu": 15},
        {
            "fused_conv_bias_act": 13,
            "fused_conv_bias_act hard_swish": 18,
            "fused_conv_bias_act relu": 15,
            "fused_conv_bias_act residual": 7,
        },
        1e-4,  # The two scores, near 0, are small differences of large sums.
    ),
}


PROBABILITIES = 1e-4
"""Less exact than the scores: off by what those are off, and ONNX Runtime's sigmoid by 1e-7 of 1."""


def page(height: int, width: int) -> Array:
    """Lines of blocks, dark on white."""
    rng = np.random.default_rng(0)
    blocks = np.kron(rng.uniform(size=(height // 8, width // 4)) > 0.5, np.ones((8, 4)))
    blocks[np.arange(height) % 16 < 6] = 0
    grey = np.where(blocks > 0, -0.9, 0.9) + 0.05 * rng.standard_normal((height, width))
    return np.broadcast_to(grey, (1, 3, height, width)).astype(np.float32)


@pytest.mark.parametrize("name", READERS)
def test_text_reader(name: str, tmp_path: Path):
    onnx: Any = importlib.import_module("onnx")
    reader = READERS[name]
    message = onnx.load(packaged("rapidocr", "models", f"{name}.onnx"))
    show_scores(message)
    onnx.save(message, tmp_path / "model.onnx")
    model = imported(tmp_path / "model.onnx", {"x": page(*reader.size)})
    probabilities, scores = model.outputs
    limits = {probabilities: PROBABILITIES, scores: reader.scores}
    raised = found(through(model, "cuda", "raise"))
    assert {title: raised[title] for title in reader.raised} == reader.raised
    for form, module in forms(model).items():
        assert_gives(model, module, limits)
        if form == "cuda":
            assert those_of(found(module), "conv", "fused_conv_bias_act") == reader.fused
        if form == "cpu":
            assert those_of(found(module), "conv", "fused_conv_bias_act") == {"conv": sum(reader.fused.values())}


def test_norms_and_products_of_the_line_reader():
    """Of 5 norms 4 follow a sum; of 9 products outside attention all have a bias, 2 of them silu."""
    path = packaged("rapidocr", "models", "PP-OCRv6_rec_small.onnx")
    program = from_onnx(path)
    for target in ("cuda", "cpu"):
        counts = found(through(Model(program.module, "rlx", {}, {}, {}), target, "fuse"))
        wanted = ("attention", "layer_norm", "fused_residual_ln", "matmul", "fused_matmul_bias_act")
        assert those_of(counts, *wanted) == {
            "attention": 2,
            "fused_matmul_bias_act": 7,
            "fused_matmul_bias_act silu": 2,
            "fused_residual_ln": 4,
            "layer_norm": 1,
        }
