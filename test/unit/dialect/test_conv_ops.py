"""Convolutions against their definition written as loops, and their gradients against central differences."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from one_op import evaluate, normal, slopes
from programs import text_of
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.builder import Graph
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import ConvBackwardInputOp, ConvBackwardWeightOp, ConvConfig, ConvOp, ConvTransposeOp
from rlx_dialect.reference import Array
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError

CONFIGS: dict[str, tuple[ConvConfig, tuple[int, ...], tuple[int, ...]]] = {
    "plain": (ConvConfig(), (2, 3, 7), (4, 3, 3)),
    "steps": (ConvConfig((2, 3), (1, 0), (2, 1), (1, 2)), (2, 3, 8, 9), (4, 3, 3, 2)),
    "groups": (ConvConfig((2,), (1,), (0,), groups=2), (2, 4, 7), (6, 2, 3)),
    "depthwise": (ConvConfig((1, 2), (1, 1), (1, 1), groups=3), (1, 3, 5, 6), (3, 1, 3, 3)),
    "gaps": (ConvConfig((2,), (1,), (3,), (2,), (3,)), (2, 2, 5), (3, 2, 3)),
    "cut": (ConvConfig((1, 1), (-1, 2), (1, -2), (1, 1), (2, 1)), (1, 2, 4, 5), (2, 2, 2, 3)),
    "three_dims": (ConvConfig((1, 2, 1), (0, 1, 1), (1, 0, 1)), (1, 2, 3, 4, 3), (2, 2, 2, 3, 2)),
    "last_windows_unread": (ConvConfig((3,)), (1, 1, 9), (1, 1, 2)),
}
"""A configuration with the dims of an input, channels first, and of a weight."""


def by_loops(x: Array, weight: Array, config: ConvConfig) -> Array:
    """The formula, element by element; channels first."""
    window = config.window(weight.shape[2:])
    batch, channels, *sizes = x.shape
    outputs, per_group, *kernel = weight.shape
    result = np.zeros((batch, outputs, *window.counts(sizes)))
    for n, m, *at in np.ndindex(*result.shape):
        group = m // (outputs // config.groups)
        for c, *k in product(*map(range, (per_group, *kernel))):
            places = [
                o * stride + each * dilation - low
                for o, each, stride, dilation, low in zip(at, k, window.stride, window.dilation, window.low)
            ]
            if any(place % gap for place, gap in zip(places, window.input_dilation)):
                continue
            source = tuple(place // gap for place, gap in zip(places, window.input_dilation))
            if all(0 <= place < size for place, size in zip(source, sizes)):
                result[(n, m, *at)] += x[(n, group * per_group + c, *source)] * weight[(m, c, *k)]
    assert channels == per_group * config.groups
    return result


def operands(name: str) -> tuple[ConvConfig, Array, Array]:
    config, input_dims, weight_dims = CONFIGS[name]
    return config, normal(input_dims, seed=7), normal(weight_dims, seed=8)


def conv(x: Array, weight: Array, config: ConvConfig) -> Array:
    return evaluate(lambda v: ConvOp(*v, config=config), x, weight)


@pytest.mark.parametrize("name", CONFIGS)
def test_conv_is_its_formula(name: str):
    config, x, weight = operands(name)
    expected = by_loops(x, weight, config)
    np.testing.assert_allclose(conv(x, weight, config), expected, rtol=1e-12, atol=1e-12)
    last = config._replace(layout=SpatialLayout.CHANNELS_LAST)
    got = conv(np.moveaxis(x, 1, -1), weight, last)
    np.testing.assert_allclose(np.moveaxis(got, -1, 1), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", CONFIGS)
def test_gradient_by_the_input(name: str, plain: bool):
    config, x, weight = operands(name)
    dy = normal(conv(x, weight, config).shape, seed=3)
    expected = slopes(lambda x: conv(x, weight, config), x, dy)
    got = evaluate(lambda v: ConvBackwardInputOp(*v, config=config, size=x.shape[2:]), dy, weight, plain=plain)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    last = config._replace(layout=SpatialLayout.CHANNELS_LAST)
    got = evaluate(
        lambda v: ConvBackwardInputOp(*v, config=last, size=x.shape[2:]), np.moveaxis(dy, 1, -1), weight, plain=plain
    )
    np.testing.assert_allclose(np.moveaxis(got, -1, 1), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", CONFIGS)
def test_gradient_by_the_weight(name: str, plain: bool):
    config, x, weight = operands(name)
    dy = normal(conv(x, weight, config).shape, seed=3)
    expected = slopes(lambda w: conv(x, w, config), weight, dy)
    kernel = weight.shape[2:]
    got = evaluate(lambda v: ConvBackwardWeightOp(*v, config=config, kernel=kernel), x, dy, plain=plain)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    last = config._replace(layout=SpatialLayout.CHANNELS_LAST)
    sides = np.moveaxis(x, 1, -1), np.moveaxis(dy, 1, -1)
    got = evaluate(lambda v: ConvBackwardWeightOp(*v, config=last, kernel=kernel), *sides, plain=plain)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", CONFIGS)
def test_transposed_is_the_adjoint(name: str, plain: bool):
    """`<conv(y, w), x> = <y, conv_transpose(x, w)>` for a `y` as large as the transposed result."""
    config, y, weight = operands(name)
    x = normal(conv(y, weight, config).shape, seed=3)
    back = evaluate(lambda v: ConvTransposeOp(*v, config=config), x, weight, plain=plain)
    y = normal(back.shape, seed=4)
    forward = conv(y, weight, config)
    np.testing.assert_allclose((forward * x).sum(), (y * back).sum(), rtol=1e-10)


@pytest.mark.parametrize("config", [ConvConfig(), ConvConfig(low=(2,), high=(2,))], ids=["plain", "padded"])
@pytest.mark.parametrize("dims", [(0, 2, 5), (1, 2, 0), (1, 2, 1)])
@pytest.mark.parametrize("op", [ConvTransposeOp, ConvOp])
def test_no_elements(op: type[ConvOp | ConvTransposeOp], dims: tuple[int, ...], config: ConvConfig):
    got = evaluate(lambda v: op(*v, config=config), np.ones(dims), np.ones((2, 2, 3)))
    assert (got == 0).all() or dims == (1, 2, 1)


def test_sums_of_halves_are_wide():
    x, weight = np.full((1, 4096, 1), 1, np.float16), np.full((1, 4096, 1), 1, np.float16)
    assert conv(x, weight, ConvConfig())[0, 0, 0] == 4096
    x[0, 0, 0] = 2049
    assert conv(x, weight, ConvConfig())[0, 0, 0] == np.float16(2049 + 4095)


def test_plain_forms_keep_an_unknown_batch():
    config, x, weight = operands("steps")
    dy = normal(conv(x, weight, config).shape, seed=3)

    def backward(values: Sequence[SSAValue]) -> ConvBackwardWeightOp:
        return ConvBackwardWeightOp(*values, config=config, kernel=weight.shape[2:])

    whole = evaluate(backward, x, dy)
    np.testing.assert_allclose(evaluate(backward, x, dy, plain=True, unknown=[0]), whole, rtol=1e-12, atol=1e-12)


def test_unknown_sizes_have_no_plain_form():
    x, dy = Shaped((1, 2, DYNAMIC), f32), Shaped((1, 3, DYNAMIC), f32)
    block = Block(arg_types=[x.type, dy.type])
    assert decompose(ConvBackwardWeightOp(block.args[0], block.args[1], kernel=(3,))) is None


def test_numbers_for_all_dims_or_for_each():
    def text(**given: Any) -> str:
        g = Graph()
        g.output("y", g.conv(g.input("x", (1, 4, 9, 9)), g.input("w", (4, 4, 3, 3)), **given))
        return text_of(g.module())

    assert text(stride=2, padding=1) == text(stride=(2, 2), padding=[(1, 1), (1, 1)])
    assert text(stride=1, padding=0, dilation=1) == text()
    assert "pad([1, 0], [2, 3])" in text(padding=[(1, 2), (0, 3)])


def test_a_size_that_no_dim_can_have():
    g = Graph()
    x, w = g.input("x", (1, 1, 2)), g.input("w", (1, 1, 1))
    with pytest.raises(ShapeError, match="more than the 9223372036854775807 that fit"):
        g.conv(x, w, padding=2**63 - 1)
