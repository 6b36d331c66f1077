"""Pooling at its edges, its gradient by central differences, and the product that `rlx.im2col` makes of a conv."""

from collections.abc import Sequence

import numpy as np
import pytest
from one_op import evaluate, normal, slopes
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import PoolKind, SpatialLayout
from rlx_dialect.builder import Graph
from rlx_dialect.ops import ConvConfig, ConvOp, Im2ColOp, MaxPoolBackwardOp, PoolConfig, PoolOp
from rlx_dialect.reference import Array
from rlx_dialect.shapes import ShapeError

CONFIGS: dict[str, tuple[PoolConfig, tuple[int, ...]]] = {
    "plain": (PoolConfig((3,)), (2, 3, 7)),
    "steps": (PoolConfig((3, 2), (2, 1), (1, 0), (1, 1), (1, 2)), (1, 2, 6, 5)),
    "ceil": (PoolConfig((3, 3), (2, 2), (1, 1), (1, 1), ceil=True), (1, 2, 6, 5)),
    "three_dims": (PoolConfig((2, 2, 2), (1, 2, 1)), (1, 1, 3, 4, 3)),
    "cut": (PoolConfig((2,), (1,), (-1,), (2,)), (1, 2, 6)),
    "last_unread": (PoolConfig((2,), (3,)), (1, 2, 7)),
}
"""A window with the dims of an input, channels first."""


def pooled(kind: PoolKind, x: Array, config: PoolConfig, plain: bool = False) -> Array:
    return evaluate(lambda v: PoolOp(kind, v[0], config), x, plain=plain)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", CONFIGS)
def test_gradient_of_max(name: str, plain: bool):
    config, dims = CONFIGS[name]
    x = normal(dims, seed=1)
    dy = normal(pooled(PoolKind.MAX, x, config).shape, seed=2)
    expected = slopes(lambda x: np.nan_to_num(pooled(PoolKind.MAX, x, config), neginf=0), x, dy, 1e-7)
    got = evaluate(lambda v: MaxPoolBackwardOp(*v, config=config), x, dy, plain=plain)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    last = config._replace(layout=SpatialLayout.CHANNELS_LAST)
    sides = np.moveaxis(x, 1, -1), np.moveaxis(dy, 1, -1)
    got = evaluate(lambda v: MaxPoolBackwardOp(*v, config=last), *sides, plain=plain)
    np.testing.assert_allclose(np.moveaxis(got, -1, 1), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 5.0, 5.0, 2.0], [0, 2, 2, 0]),
        ([np.nan, 5.0, np.nan, 2.0], [1, 0, 3, 0]),
        ([-np.inf, -np.inf, -np.inf, 0.0], [1, 1, 0, 2]),
    ],
    ids=["ties", "nan", "infinite"],
)
def test_which_element_is_the_largest(values: list[float], expected: list[float], plain: bool):
    """Windows over elements 0 and 1, 1 and 2, 2 and 3, with gradients 1, 1 and 2."""
    x = np.array(values).reshape(1, 1, 4)
    dy = np.array([1.0, 1.0, 2.0]).reshape(1, 1, 3)
    got = evaluate(lambda v: MaxPoolBackwardOp(*v, config=PoolConfig((2,))), x, dy, plain=plain)
    np.testing.assert_array_equal(got[0, 0], expected)


def test_pads_are_never_the_largest():
    x, dy = np.full((1, 1, 2), -np.inf), np.ones((1, 1, 3))
    got = evaluate(lambda v: MaxPoolBackwardOp(*v, config=PoolConfig((2,), (), (1,), (1,))), x, dy)
    np.testing.assert_array_equal(got[0, 0], [2, 1])


def test_windows_of_pads():
    x, config = np.ones((1, 1, 2), np.float32), PoolConfig((1,), (), (1,), (0,))
    assert pooled(PoolKind.MAX, x, config)[0, 0].tolist() == [-np.inf, 1, 1]
    assert np.isnan(pooled(PoolKind.AVG, x, config)[0, 0, 0])
    assert pooled(PoolKind.MAX, x.astype(np.int8), config)[0, 0].tolist() == [-128, 1, 1]


def test_nan_is_passed_on():
    x = np.array([[[1, np.nan, 2, 3]]], np.float32)
    for plain in (False, True):
        assert np.isnan(pooled(PoolKind.MAX, x, PoolConfig((2,)), plain)[0, 0]).tolist() == [True, True, False]


def test_means_of_halves_are_summed_wide():
    x = np.full((1, 1, 4096), 100, np.float16)
    assert pooled(PoolKind.AVG, x, PoolConfig((4096,)))[0, 0, 0] == 100
    assert pooled(PoolKind.AVG, x, PoolConfig((4096,)), plain=True)[0, 0, 0] == 100


@pytest.mark.parametrize("layout", SpatialLayout)
def test_im2col_makes_a_product_of_a_convolution(layout: SpatialLayout):
    x, weight = normal((2, 3, 6, 7), seed=1), normal((4, 3, 3, 2), seed=2)
    steps = (2, 1), (1, 0), (1, 2), (1, 2)
    convolved = evaluate(lambda v: ConvOp(*v, config=ConvConfig(*steps)), x, weight)
    last = layout is SpatialLayout.CHANNELS_LAST
    image = np.moveaxis(x, 1, -1) if last else x
    columns = evaluate(lambda v: Im2ColOp(v[0], PoolConfig((3, 2), *steps, layout=layout)), image)
    columns = np.moveaxis(columns, -1, 1) if last else columns
    product = np.einsum("mc,ncij->nmij", weight.reshape(4, -1), columns)
    np.testing.assert_allclose(product, convolved, rtol=1e-12, atol=1e-12)


def test_a_kernel_that_does_not_fit():
    g = Graph()
    with pytest.raises(ShapeError, match=r"kernel must have an entry for each of the 2 spatial dims, got \[2\]"):
        g.pool(PoolKind.MAX, g.input("x", (1, 2, 3, 4)), (2,))


@pytest.mark.parametrize(
    ("kind", "include_pad", "expected"),
    [(PoolKind.MAX, False, -np.inf), (PoolKind.AVG, False, np.nan), (PoolKind.AVG, True, 0.0)],
)
def test_an_empty_input_between_pads(kind: PoolKind, include_pad: bool, expected: float):
    config = PoolConfig((2,), (), (1,), (1,))
    for plain in (False, True):
        got = evaluate(
            lambda v: PoolOp(kind, v[0], config, count_include_pad=include_pad), np.ones((2, 3, 0)), plain=plain
        )
        np.testing.assert_array_equal(got, np.full((2, 3, 1), expected))


def test_plain_forms_keep_an_unknown_batch():
    x, config = normal((2, 3, 6), seed=1), PoolConfig((2,), (2,), (1,), (1,))
    dy = normal((2, 3, 4), seed=2)
    for op, arrays in ((MaxPoolBackwardOp, (x, dy)), (Im2ColOp, (x,))):

        def make(values: Sequence[SSAValue], op: type[MaxPoolBackwardOp | Im2ColOp] = op) -> Operation:
            return op(*values, config=config)

        whole = evaluate(make, *arrays)
        np.testing.assert_array_equal(evaluate(make, *arrays, plain=True, unknown=[0]), whole)


@pytest.mark.parametrize("size", [6, 0])
def test_a_pool_keeps_unknown_channels(size: int):
    x, config = normal((2, 3, 6), seed=1)[..., :size], PoolConfig((2,), (2,), (1,), (1,))
    whole = pooled(PoolKind.MAX, x, config)
    got = evaluate(lambda v: PoolOp(PoolKind.MAX, v[0], config), x, plain=True, unknown=[0, 1])
    np.testing.assert_array_equal(got, whole)
