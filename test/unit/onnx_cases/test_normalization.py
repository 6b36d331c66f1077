"""Norms and cross entropies against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, Unsupported, cases, check

from rlx_dialect.builder import Graph, Tensor

WEIGHTS, IGNORED, TRAINING = "weights for the classes", "an ignored class", "training"

UNSUPPORTED = {
    "test_batchnorm_example_training_mode": TRAINING,
    "test_batchnorm_epsilon_training_mode": TRAINING,
} | {
    f"test_sce_{name}{suffix}": reason
    for name, reason in {
        "none_weights": WEIGHTS,
        "mean_weight": WEIGHTS,
        "mean_weight_ii": WEIGHTS,
        "mean_weight_ii_3d": WEIGHTS,
        "mean_weight_ii_4d": WEIGHTS,
        "NCd1d2d3d4d5_mean_weight": WEIGHTS,
        "NCd1_mean_weight_negative_ii": WEIGHTS,
        "NCd1d2d3_sum_weight_high_ii": WEIGHTS,
        "mean_no_weight_ii": IGNORED,
        "mean_no_weight_ii_3d": IGNORED,
        "mean_no_weight_ii_4d": IGNORED,
        "NCd1d2d3_none_no_weight_negative_ii": IGNORED,
    }.items()
    for suffix in ("", "_log_prob")
}


def epsilon(node: Node) -> float:
    return node.attributes.get("epsilon", 1e-5)


def group_norm(g: Graph, node: Node) -> Tensor:
    groups = node.attributes["num_groups"]
    return g.group_norm(node.required(0), node.required(1), node.required(2), groups, epsilon(node))


def batch_norm(g: Graph, node: Node) -> Tensor:
    if node.attributes.get("training_mode"):
        raise Unsupported(TRAINING)
    x, gamma, beta, mean, variance = (node.required(i) for i in range(5))
    return g.batch_norm_inference(x, gamma, beta, mean, variance, epsilon(node), axis=1)


def flattened(g: Graph, node: Node) -> tuple[Tensor, Tensor, Tensor | None]:
    """Operands of a norm over all axes from `axis` on, these axes as one."""
    x, gamma, beta = node.required(0), node.required(1), node.optional(2)
    axis = node.attributes.get("axis", -1) % len(x.shape)
    return (
        g.reshape(x, (*x.shape[:axis], -1)),
        g.reshape(gamma, (-1,)),
        None if beta is None else g.reshape(beta, (-1,)),
    )


def layer_norm(g: Graph, node: Node) -> Tensor:
    x, gamma, beta = flattened(g, node)
    shift = g.zeros(gamma.shape, x.dtype) if beta is None else beta
    return g.reshape(g.layer_norm(x, gamma, shift, epsilon(node)), node.required(0).shape)


def rms_norm(g: Graph, node: Node) -> Tensor:
    x, gamma, _ = flattened(g, node)
    return g.reshape(g.rms_norm(x, gamma, g.zeros(gamma.shape, x.dtype), epsilon(node)), node.required(0).shape)


def cross_entropy(g: Graph, node: Node) -> Tensor:
    if node.optional(2) is not None:
        raise Unsupported(WEIGHTS)
    if "ignore_index" in node.attributes:
        raise Unsupported(IGNORED)
    losses = g.softmax_cross_entropy_with_logits(node.required(0), node.required(1), axis=1)
    every = tuple(range(len(losses.shape)))
    reduction = node.attributes.get("reduction", "mean")
    return losses if reduction == "none" else g.sum(losses, every) if reduction == "sum" else g.mean(losses, every)


ADAPTERS = {
    "GroupNormalization": group_norm,
    "BatchNormalization": batch_norm,
    "LayerNormalization": layer_norm,
    "RMSNormalization": rms_norm,
    "SoftmaxCrossEntropyLoss": cross_entropy,
}
MODULES = (
    *("groupnormalization", "batch_normalization", "layernormalization", "rmsnormalization"),
    "softmax_cross_entropy_loss",
)
CASES = list({case.name: case for module in MODULES for case in cases(module, *ADAPTERS)}.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, UNSUPPORTED)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
    assert set(UNSUPPORTED) <= {case.name for case in CASES}
