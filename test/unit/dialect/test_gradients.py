"""Gradients against central differences of the forward op, both in float64."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_dialect.attributes import (
    Activation,
    AdaNormKind,
    AttentionLayout,
    AttentionOperand,
    MaskedRows,
    MaskKind,
    RopeStyle,
    RopeTable,
)
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import AttentionConfig
from rlx_dialect.reference import Array, run

Build = Callable[[Graph, dict[str, Tensor]], Tensor]
EPSILON = 1e-3


@dataclass(frozen=True)
class Gradient:
    """A forward op, its gradient by `by`, where `g` is that of the result, and the shapes of the operands."""

    forward: Build
    backward: Build
    by: tuple[str, ...]
    shapes: Mapping[str, tuple[int, ...]]


def module_of(build: Build, inputs: Mapping[str, Array]) -> ModuleOp:
    g = Graph("f")
    tensors = {name: g.input(name, x.shape, "i1" if x.dtype == bool else "f64") for name, x in inputs.items()}
    g.output("y", build(g, tensors))
    return g.module()


def evaluate(build: Build, inputs: Mapping[str, Array]) -> Array:
    return run(module_of(build, inputs), "f", inputs)["y"]


def evaluate_plain(build: Build, inputs: Mapping[str, Array]) -> Array:
    """The same with every composite op taken apart."""
    module = module_of(build, inputs)
    for op in list(module.walk()):
        if (plain := decompose(op)) is not None:
            Rewriter.insert_op(plain.ops, InsertPoint.before(op))
            Rewriter.replace_op(op, [], plain.results)
    module.verify()
    return run(module, "f", inputs)["y"]


def operands(shapes: Mapping[str, tuple[int, ...]], seed: int) -> dict[str, Array]:
    """Random values; a variance is positive, a mask `m` is of truth values, its first row all hidden."""
    rng = np.random.default_rng(seed)
    values: dict[str, Array] = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    if "variance" in values:
        values["variance"] = np.abs(values["variance"]) + 0.3
    if "m" in values:
        values["m"] = np.asarray(values["m"] < 0.5)
        values["m"][0] = False
    return values


def random(like: Array, seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal([int(d) for d in like.shape])


def numeric(build: Build, inputs: dict[str, Array], by: str, gradient: Array, step: float = 1e-5) -> Array:
    """Central differences of `sum(forward * gradient)` by the operand `by`."""
    result = np.zeros_like(inputs[by])
    for at in np.ndindex(*result.shape):
        sides: list[float] = []
        for sign in (1, -1):
            moved = inputs[by].copy()
            moved[at] += sign * step
            sides.append(float((evaluate(build, inputs | {by: moved}) * gradient).sum()))
        result[at] = (sides[0] - sides[1]) / (2 * step)
    return result


NORM = {"x": (2, 3, 4), "gamma": (4,), "beta": (4,)}
MIDDLE = {"x": (2, 3, 4), "gamma": (3,), "beta": (3,)}
GROUPS = {"x": (2, 4, 3), "gamma": (4,), "beta": (4,)}
BATCH = {"x": (2, 3, 4), "gamma": (3,), "beta": (3,), "mean": (3,), "variance": (3,)}
ADA = {"x": (2, 3, 4), "scale": (2, 1, 4), "shift": (4,)}
GATED = {"x": (2, 3, 4), "update": (2, 3, 4), "gate": (3, 1)}
ROPE = {"x": (2, 3, 2, 6), "cos": (3, 2), "sin": (3, 2)}
FULL = {"x": (2, 2, 3, 6), "cos": (2, 3, 4), "sin": (2, 3, 4)}


def layer_norm(g: Graph, t: dict[str, Tensor]) -> Tensor:
    return g.layer_norm(t["x"], t["gamma"], t["beta"], EPSILON)


def rms_norm(g: Graph, t: dict[str, Tensor]) -> Tensor:
    return g.rms_norm(t["x"], t["gamma"], t["beta"], EPSILON)


def middle_rms_norm(g: Graph, t: dict[str, Tensor]) -> Tensor:
    return g.rms_norm(t["x"], t["gamma"], t["beta"], EPSILON, 1)


def middle_layer_norm(g: Graph, t: dict[str, Tensor]) -> Tensor:
    return g.layer_norm(t["x"], t["gamma"], t["beta"], EPSILON, 1)


def group_norm(g: Graph, t: dict[str, Tensor]) -> Tensor:
    return g.group_norm(t["x"], t["gamma"], t["beta"], 2, EPSILON)


def batch_norm(g: Graph, t: dict[str, Tensor]) -> Tensor:
    return g.batch_norm_inference(*(t[name] for name in BATCH), epsilon=EPSILON, axis=1)


def gated(g: Graph, t: dict[str, Tensor]) -> Tensor:
    return g.gated_residual(t["x"], t["update"], t["gate"])


def ada(norm: AdaNormKind) -> Gradient:
    return Gradient(
        lambda g, t: g.ada_layer_norm(t["x"], t["scale"], t["shift"], EPSILON, norm),
        lambda g, t: g.ada_layer_norm_backward(t["x"], t["scale"], t["shift"], t["g"], EPSILON, norm),
        ("x", "scale", "shift"),
        ADA,
    )


def rope(shapes: Mapping[str, tuple[int, ...]], axis: int, style: RopeStyle, table: RopeTable) -> Gradient:
    return Gradient(
        lambda g, t: g.rope(t["x"], t["cos"], t["sin"], axis=axis, n_rot=4, style=style, table=table),
        lambda g, t: g.rope_backward(t["g"], t["cos"], t["sin"], axis=axis, n_rot=4, style=style, table=table),
        ("x",),
        shapes,
    )


def cumsum(g: Graph, x: Tensor, exclusive: bool, reverse: bool) -> Tensor:
    """A prefix sum on axis 1 of `[.., 4, ..]` as a product with a triangle."""
    triangle = np.tril(np.ones((4, 4)), -1 if exclusive else 0)
    return g.matmul(g.constant(triangle.T.copy() if reverse else triangle), x)


def prefix(exclusive: bool, reverse: bool) -> Gradient:
    return Gradient(
        lambda g, t: cumsum(g, t["x"], exclusive, reverse),
        lambda g, t: g.cumsum_backward(t["g"], 1, exclusive=exclusive, reverse=reverse),
        ("x",),
        {"x": (2, 4, 3)},
    )


def gather(axis: int) -> Gradient:
    def indices(g: Graph) -> Tensor:
        return g.constant(np.array([[1, 0, 1], [1, 1, 0]], np.int32))

    return Gradient(
        lambda g, t: g.gather(t["x"], indices(g), axis),
        lambda g, t: g.gather_backward(t["g"], indices(g), (2, 3, 4)[axis], axis),
        ("x",),
        {"x": (2, 3, 4)},
    )


def activation(kind: Activation) -> Gradient:
    """Positive values where the kind wants them."""
    positive = kind in (Activation.LOG, Activation.SQRT, Activation.RSQRT, Activation.RECIP)

    def moved(g: Graph, x: Tensor) -> Tensor:
        return x * x + 0.5 if positive else x

    def backward(g: Graph, t: dict[str, Tensor]) -> Tensor:
        inner = g.activation_backward(kind, moved(g, t["x"]), t["g"])
        return inner * (t["x"] * 2) if positive else inner

    return Gradient(lambda g, t: g.activation(kind, moved(g, t["x"])), backward, ("x",), {"x": (9,)})


def cross_entropy(labels: bool) -> Gradient:
    def targets(g: Graph) -> Tensor:
        shares = np.array([[[0.5, 2.0, 0.0], [1.0, 0.25, 0.0]], [[0.0, 0.0, 1.0], [0.1, 0.1, 0.1]]])
        return g.constant(np.array([[2, 0, 1], [3, 3, 0]], np.int64) if labels else shares.repeat(2, 1))

    def forward(g: Graph, t: dict[str, Tensor]) -> Tensor:
        loss = g.softmax_cross_entropy_with_logits if labels else g.softmax_cross_entropy
        return loss(t["x"], targets(g), 1)

    return Gradient(
        forward,
        lambda g, t: g.softmax_cross_entropy_backward(t["x"], targets(g), t["g"], 1),
        ("x",),
        {"x": (2, 4, 3)},
    )


RULES: dict[str, Gradient] = {
    "relu": Gradient(lambda g, t: g.relu(t["x"]), lambda g, t: g.relu_backward(t["x"], t["g"]), ("x",), {"x": (9,)}),
    "layer_norm_input": Gradient(
        layer_norm, lambda g, t: g.layer_norm_backward_input(t["x"], t["gamma"], t["g"], EPSILON), ("x",), NORM
    ),
    "layer_norm_middle_input": Gradient(
        middle_layer_norm,
        lambda g, t: g.layer_norm_backward_input(t["x"], t["gamma"], t["g"], EPSILON, 1),
        ("x",),
        MIDDLE,
    ),
    "layer_norm_gamma": Gradient(
        layer_norm, lambda g, t: g.layer_norm_backward_gamma(t["x"], t["g"], EPSILON), ("gamma",), NORM
    ),
    "rms_norm_input": Gradient(
        rms_norm, lambda g, t: g.rms_norm_backward_input(t["x"], t["gamma"], t["g"], EPSILON), ("x",), NORM
    ),
    "rms_norm_middle_gamma": Gradient(
        middle_rms_norm,
        lambda g, t: g.rms_norm_backward_gamma(t["x"], t["g"], EPSILON, 1),
        ("gamma",),
        MIDDLE,
    ),
    "rms_norm_beta": Gradient(rms_norm, lambda g, t: g.rms_norm_backward_beta(t["g"]), ("beta",), NORM),
    "rms_norm_middle_beta": Gradient(
        middle_rms_norm, lambda g, t: g.rms_norm_backward_beta(t["g"], 1), ("beta",), MIDDLE
    ),
    "group_norm_input": Gradient(
        group_norm,
        lambda g, t: g.group_norm_backward_input(t["x"], t["gamma"], t["g"], 2, EPSILON),
        ("x",),
        GROUPS,
    ),
    "group_norm_gamma": Gradient(
        group_norm, lambda g, t: g.group_norm_backward_gamma(t["x"], t["g"], 2, EPSILON), ("gamma",), GROUPS
    ),
    "group_norm_beta": Gradient(group_norm, lambda g, t: g.group_norm_backward_beta(t["g"]), ("beta",), GROUPS),
    "batch_norm_input": Gradient(
        batch_norm,
        lambda g, t: g.batch_norm_inference_backward_input(t["gamma"], t["variance"], t["g"], EPSILON, 1),
        ("x",),
        BATCH,
    ),
    "batch_norm_gamma": Gradient(
        batch_norm,
        lambda g, t: g.batch_norm_inference_backward_gamma(t["x"], t["mean"], t["variance"], t["g"], EPSILON, 1),
        ("gamma",),
        BATCH,
    ),
    "batch_norm_beta": Gradient(
        batch_norm, lambda g, t: g.batch_norm_inference_backward_beta(t["g"], 1), ("beta",), BATCH
    ),
    "ada_layer_norm": ada(AdaNormKind.LAYER_NORM),
    "ada_rms_norm": ada(AdaNormKind.RMS_NORM),
    "gated_residual": Gradient(
        gated,
        lambda g, t: g.gated_residual_backward(t["x"], t["update"], t["gate"], t["g"]),
        ("x", "update", "gate"),
        GATED,
    ),
    "rope_neox": rope(ROPE, 1, RopeStyle.NEOX, RopeTable.HALF),
    "rope_gptj": rope(ROPE, -3, RopeStyle.GPTJ, RopeTable.HALF),
    "rope_neox_full": rope(FULL, 2, RopeStyle.NEOX, RopeTable.FULL),
    "rope_gptj_full": rope(FULL, 2, RopeStyle.GPTJ, RopeTable.FULL),
    "cross_entropy_shares": cross_entropy(labels=False),
    "cross_entropy_labels": cross_entropy(labels=True),
    **{f"gather_{axis}": gather(axis) for axis in (0, 1, 2)},
    **{f"cumsum_{e}_{r}": prefix(e, r) for e in (False, True) for r in (False, True)},
    **{f"activation_{kind}": activation(kind) for kind in Activation},
}


@pytest.mark.parametrize("name", RULES)
def test_gradient(name: str):
    rule = RULES[name]
    inputs = operands(rule.shapes, seed=3)
    gradient = random(evaluate(rule.forward, inputs), seed=7)
    got = evaluate(rule.backward, inputs | {"g": gradient})
    np.testing.assert_allclose(evaluate_plain(rule.backward, inputs | {"g": gradient}), got, rtol=1e-11, atol=1e-11)
    parts = [numeric(rule.forward, inputs, by, gradient) for by in rule.by]
    expected = parts[0] if len(parts) == 1 else np.concatenate([part.ravel() for part in parts])
    np.testing.assert_allclose(got, expected, rtol=2e-7, atol=2e-7)


PACKED = {"q": (2, 3, 8), "k": (2, 4, 4), "v": (2, 4, 6)}
HEADS = {"q": (2, 2, 3, 2), "k": (2, 2, 3, 2), "v": (2, 2, 3, 2)}
SPREAD = {"q": (2, 3, 2, 2), "k": (2, 4, 2, 2), "v": (2, 4, 2, 2)}
ATTENTIONS: dict[str, tuple[AttentionConfig, AttentionLayout, MaskKind | None, dict[str, tuple[int, ...]]]] = {
    "groups": (AttentionConfig.make(4, 2, kv_heads=2, v_head_dim=3), AttentionLayout.BSM, None, PACKED),
    "keys_uniform": (AttentionConfig.make(2, 2), AttentionLayout.BSHD, MaskKind.KEYS, SPREAD | {"m": (2, 4)}),
    "keys_zero": (
        AttentionConfig.make(2, 2, masked_rows=MaskedRows.ZERO, causal_offset="end", softcap=0.7),
        *(AttentionLayout.BHSD, MaskKind.KEYS, HEADS | {"m": (2, 3)}),
    ),
    "bias_window": (
        AttentionConfig.make(2, 2, scale=0.9, window_left=1, window_right=1),
        *(AttentionLayout.BHSD, MaskKind.BIAS, HEADS | {"bias": (2, 1, 3)}),
    ),
    "rank_2": (AttentionConfig.make(2, 2, causal_offset=0), AttentionLayout.BSM, None, {n: (3, 4) for n in "qkv"}),
}
NAMES = {AttentionOperand.QUERY: "q", AttentionOperand.KEY: "k", AttentionOperand.VALUE: "v"}


@pytest.mark.parametrize("name", ATTENTIONS)
def test_attention(name: str):
    config, layout, kind, shapes = ATTENTIONS[name]

    def mask(t: dict[str, Tensor]) -> Tensor | None:
        return t.get("m", t.get("bias"))

    def forward(g: Graph, t: dict[str, Tensor]) -> Tensor:
        return g.attention(t["q"], t["k"], t["v"], config, layout=layout, mask=mask(t), mask_kind=kind)

    inputs = operands(shapes, seed=5)
    gradient = random(evaluate(forward, inputs), seed=9)
    all_equal = shapes["q"] == shapes["k"] == shapes["v"]
    found: list[Array] = []
    for wrt, by in NAMES.items():

        def backward(g: Graph, t: dict[str, Tensor], wrt: AttentionOperand = wrt) -> Tensor:
            return g.attention_backward(
                *(wrt, t["q"], t["k"], t["v"], t["g"], config), layout=layout, mask=mask(t), mask_kind=kind
            )

        found.append(evaluate(backward, inputs | {"g": gradient}))
        plain = evaluate_plain(backward, inputs | {"g": gradient})
        np.testing.assert_allclose(plain, found[-1], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(found[-1], numeric(forward, inputs, by, gradient), rtol=2e-7, atol=2e-7)

    def backward_all(g: Graph, t: dict[str, Tensor]) -> Tensor:
        return g.attention_backward_all(
            *(t["q"], t["k"], t["v"], t["g"], config), layout=layout, mask=mask(t), mask_kind=kind
        )

    if all_equal:
        np.testing.assert_array_equal(evaluate(backward_all, inputs | {"g": gradient}), np.concatenate(found))


def test_gradients_of_a_row_without_keys_are_nan_where_its_value_is():
    config = AttentionConfig.make(1, 2, masked_rows=MaskedRows.NAN)
    q, mask = np.ones((1, 2, 2)), np.zeros((1, 2), bool)

    def backward(g: Graph, t: dict[str, Tensor]) -> Tensor:
        x = t["q"]
        return g.attention_backward(
            *(AttentionOperand.QUERY, x, x, x, x, config),
            layout=AttentionLayout.BSM,
            mask=t["m"],
            mask_kind=MaskKind.KEYS,
        )

    assert np.isnan(evaluate(backward, {"q": q, "m": mask})).all()
    assert np.isnan(evaluate_plain(backward, {"q": q, "m": mask})).all()


def test_relu_passes_the_gradient_at_nan():
    x, gradient = np.array([np.nan, 0.0, -0.0, 1.0]), np.array([2.0, 3.0, 4.0, np.nan])
    got = evaluate(lambda g, t: g.relu_backward(t["x"], t["g"]), {"x": x, "g": gradient})
    np.testing.assert_array_equal(got, [2.0, 0.0, 0.0, np.nan])


@pytest.mark.parametrize("kind", [kind for kind in Activation if kind is not Activation.RELU])
def test_derivatives_pass_nan_on(kind: Activation):
    inputs = {"x": np.array([np.nan]), "g": np.ones(1)}
    got = evaluate(lambda g, t: g.activation_backward(kind, t["x"], t["g"]), inputs)
    assert np.isnan(got).all()


@pytest.mark.parametrize("kind", ["silu", "sigmoid", "tanh", "softplus", "mish", "log_sigmoid", "gelu", "gelu_approx"])
def test_derivatives_stay_finite_far_out(kind: str):
    inputs = {"x": np.array([-1e3, 1e3]), "g": np.ones(2)}
    got = evaluate(lambda g, t: g.activation_backward(Activation(kind), t["x"], t["g"]), inputs)
    assert np.isfinite(got).all()
