"""Convolutions as products: on memory that ends where they must not read on, and whole programs by the reference."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from native import Native
from test_products import guarded
from tolerances import agree
from tools import long, need_module
from xdsl.dialects.linalg import ops as linalg
from xdsl.parser import Parser

import rlx_passes
from rlx_dialect.attributes import Activation, BinaryKind, SpatialLayout
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import run
from rlx_passes.core.numerics import Tolerance
from rlx_passes.lowerings.to_loops.contraction import contraction_of
from rlx_passes.lowerings.to_loops.convolutions import convolution_of
from rlx_passes.lowerings.to_loops.flatten_convolutions import flatten
from rlx_passes.lowerings.to_loops.linalg_to_loops import to_loops
from rlx_passes.pipeline.chip import chip
from rlx_passes.registry.context import fresh_context
from rlx_passes.runtime.native import NativeProgram

Array = np.ndarray[Any, Any]
CHIPS = ("host", "x86-64-v2", "x86-64-v4", "aarch64")
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
TYPES = [("f32", "f32", "f32")] * 4 + [("f64", "f64", "f64"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32")]


@dataclass(frozen=True)
class Conv:
    """Sizes of the batch, the groups, the features and channels of a group; of each spatial axis those of windows."""

    sizes: tuple[int, int, int, int] = (1, 1, 8, 4)
    counts: tuple[int, ...] = (8, 8)
    kernel: tuple[int, ...] = (3, 3)
    strides: tuple[int, ...] = (1, 1)
    dilations: tuple[int, ...] = (1, 1)
    more: int = 0
    """Elements of the input behind the last window."""
    types: tuple[str, str, str] = ("f32", "f32", "f32")

    @property
    def shapes(self) -> tuple[list[int], list[int], list[int]]:
        n, g, m, c = self.sizes
        steps = zip(self.counts, self.kernel, self.strides, self.dilations, strict=True)
        inputs = [(o - 1) * s + (k - 1) * d + 1 + self.more for o, k, s, d in steps]
        return [n, g, c, *inputs], [g, m, c, *self.kernel], [n, g, m, *self.counts]

    def text(self, name: str) -> str:
        """A function of a fill and one `linalg.generic`."""
        spatial = range(len(self.counts))
        loops = ["n", "g", "m", *(f"o{i}" for i in spatial), "c", *(f"k{i}" for i in spatial)]
        read = [f"o{i} * {self.strides[i]} + k{i} * {self.dilations[i]}" for i in spatial]
        maps = [
            f"affine_map<({', '.join(loops)}) -> ({', '.join(axes)})>"
            for axes in (["n", "g", "c", *read], ["g", "m", "c", *loops[4 + len(spatial) :]], loops[: 3 + len(spatial)])
        ]
        kinds = ", ".join(['"parallel"'] * (3 + len(spatial)) + ['"reduction"'] * (1 + len(spatial)))
        x, w, out = (
            f"memref<{'x'.join(map(str, shape))}x{type}>" for shape, type in zip(self.shapes, self.types, strict=True)
        )
        total = self.types[2]
        wide = [f"%{v}w = arith.extf %{v} : {t} to {total}" for v, t in zip("xy", self.types) if t != total]
        left, right = (f"%{value}" if type == total else f"%{value}w" for value, type in zip("xy", self.types))
        return f"""func.func @{name}(%a: {x}, %b: {w}, %c: {out}) {{
          %zero = arith.constant 0.0 : {total}
          linalg.fill ins(%zero : {total}) outs(%c : {out})
          linalg.generic {{indexing_maps = [{", ".join(maps)}], iterator_types = [{kinds}]}}
            ins(%a, %b : {x}, {w}) outs(%c : {out}) {{
          ^bb0(%x: {self.types[0]}, %y: {self.types[1]}, %z: {total}):
            {" ".join(wide)}
            %p = arith.mulf {left}, {right} : {total}
            %s = arith.addf %z, %p : {total}
            linalg.yield %s : {total}
          }}
          func.return
        }}"""

    def expected(self, x: Array, w: Array) -> Array:
        """The sums, tap by tap."""
        out = np.zeros(self.shapes[2])
        for tap in np.ndindex(*self.kernel):
            spans = zip(tap, self.counts, self.strides, self.dilations, strict=True)
            part = x[(..., *(slice(k * d, k * d + (o - 1) * s + 1, s) for k, o, s, d in spans))]
            out += np.einsum("ngc...,gmc->ngm...", part.astype(np.float64), w[(..., *tap)].astype(np.float64))
        return out


def drawn(seed: int, count: int) -> Iterator[Conv]:
    """Random convolutions of one to three spatial axes: sizes that no tile divides, all kinds of groups."""
    draw = random.Random(seed)
    for _ in range(count):
        rank = draw.choice([1, 2, 2, 2, 3])
        groups = draw.choice([1, 1, 1, 3, 10])
        features = draw.choice([1, 2, draw.randint(1, 40)] if groups > 1 else [1, 7, draw.randint(1, 90)])
        channels = draw.choice([1, 2, draw.randint(1, 9)] if groups > 1 else [1, 3, draw.randint(1, 90)])
        yield Conv(
            (draw.choice([1, 1, 2]), groups, features, channels),
            tuple(draw.randint(8, 200) if rank == 1 else draw.randint(3, 15) for _ in range(rank)),
            tuple(draw.choice([1, 2, 3, 3, 5]) for _ in range(rank)),
            tuple(draw.choice([1, 1, 2, 3]) for _ in range(rank)),
            tuple(draw.choice([1, 1, 2, 3]) for _ in range(rank)),
            draw.choice([0, 0, 1, 2]),
            draw.choice(
                [("f32", "f32", "f32")] * 4 + [("f64", "f64", "f64"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32")]
            ),
        )


def check(convs: Sequence[Conv], name: str) -> None:
    """All of them as products, with the schedules of the chip of that name."""
    module = Parser(fresh_context(), "\n".join(conv.text(f"p{at}") for at, conv in enumerate(convs))).parse_module()
    assert all(convolution_of(op) for op in module.walk() if isinstance(op, linalg.GenericOp))
    flatten(module)
    module.verify()
    assert all(contraction_of(op) for op in module.walk() if isinstance(op, linalg.GenericOp))
    to_loops(module, chip(name))
    code, numbers = Native(module), np.random.default_rng(1)
    for at, conv in enumerate(convs):
        x, w, out = (
            guarded(numbers.standard_normal(shape).astype(DTYPES[type]))
            for shape, type in zip(conv.shapes, conv.types, strict=True)
        )
        expected = conv.expected(x, w)
        assert code(f"p{at}", x, w, out)[0] == 0
        bound = 2e-5 * (1 + np.sqrt(prod(conv.shapes[1][2:])))
        np.testing.assert_allclose(out, expected, rtol=0, atol=bound, err_msg=f"{conv} for {name}")


@pytest.mark.parametrize("name", CHIPS)
def test_random_convolutions(name: str):
    need_module("llvmlite")
    check(list(drawn(CHIPS.index(name), 4)), name)


@long
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_random_convolutions(seed: int):
    need_module("llvmlite")
    check(list(drawn(seed, 20)), CHIPS[seed % len(CHIPS)])


def test_convolutions_of_every_kind():
    """Blocks of channels, odd strides, one channel or feature, each alone, and elements that no window reads."""
    need_module("llvmlite")
    check(
        [
            Conv((1, 1, 37, 150), (7, 7)),
            Conv((2, 1, 19, 3), (12, 11), (7, 7), (2, 2)),
            Conv((1, 13, 1, 1), (9, 10)),
            Conv((2, 5, 1, 1), (9, 10), (3, 3), (2, 3)),
            Conv((1, 4, 3, 2), (9, 10), (3, 2), (1, 2), (2, 3)),
            Conv((1, 1, 9, 5), (37,), (3,), (1,), (1,)),
            Conv((1, 1, 9, 5), (37,), (4,), (3,), (2,), 2),
            Conv((1, 1, 30, 40), (9, 9), (1, 1)),
            Conv((1, 1, 30, 40), (9, 9), (1, 1), (2, 2), (1, 1), 1),
            Conv((1, 1, 5, 3), (4, 3, 5), (2, 3, 2), (1, 2, 1), (1, 1, 2), 1),
            Conv((1, 1, 1, 1), (9, 9)),
            Conv((1, 1, 8, 4), (1, 20), (3, 3), (2, 2), (1, 1), 1),
            Conv((1, 1, 20, 30), (9, 11), types=("bf16", "bf16", "f32")),
        ],
        "host",
    )


REFUSED = {
    "few windows": Conv(counts=(2, 3)),
    "sums of half": Conv(types=("f16", "f16", "f16")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_others_are_left_alone(case: str):
    module = Parser(fresh_context(), REFUSED[case].text("f")).parse_module()
    before = str(module)
    flatten(module)
    assert str(module) == before


Build = Callable[[Graph, Tensor], Tensor]


SUMS = {"float32": Tolerance(2e-5, 2e-5), "float16": Tolerance(2e-3, 2e-3)}


def constant(g: Graph, *dims: int, dtype: Any = np.float32) -> Tensor:
    """Weights that leave results about as large as they find them."""
    return g.constant((np.random.default_rng(3).standard_normal(dims) / np.sqrt(prod(dims[1:]))).astype(dtype))


def layers(g: Graph, x: Tensor) -> Tensor:
    """Convolutions that pad what others give, one of them read twice, with an addend."""
    first = g.fused_conv_bias_act(x, constant(g, 24, 5, 3, 3), constant(g, 24), Activation.RELU, padding=1)
    each = g.fused_conv_bias_act(first, constant(g, 24, 1, 3, 3), constant(g, 24), groups=24, padding=((2, 0), (0, 2)))
    return g.fused_conv_bias_act(each, constant(g, 24, 24, 3, 3), constant(g, 24), residual=first, padding=1)


def half(g: Graph, x: Tensor) -> Tensor:
    weights = constant(g, 24, 5, 3, 3, dtype=np.float16), constant(g, 24, dtype=np.float16)
    return g.fused_conv_bias_act(g.cast(x, "f16"), *weights, stride=2, padding=1)


def read_twice(g: Graph, x: Tensor) -> Tensor:
    sums = g.conv(g.activation(Activation.RELU, x), constant(g, 50, 5, 3, 3))
    return g.binary(BinaryKind.MUL, sums, sums)


PROGRAMS: dict[str, Build] = {
    "layers": layers,
    "half": half,
    "strides": lambda g, x: g.fused_conv_bias_act(
        x, constant(g, 70, 5, 5, 3), constant(g, 70), Activation.SILU, stride=(2, 3), padding=((2, 1), (0, 3))
    ),
    "no bias": lambda g, x: g.conv(x, constant(g, 70, 5, 3, 3), padding=((2, 0), (0, 1)), dilation=2),
    "read twice": read_twice,
    "a product": lambda g, x: g.fused_conv_bias_act(x, constant(g, 70, 5, 1, 1), constant(g, 70)),
    "gaps": lambda g, x: g.conv(x, constant(g, 9, 5, 3, 3), input_dilation=2, padding=1, stride=2),
    "a transpose": lambda g, x: g.conv_transpose(x, constant(g, 5, 9, 3, 3), stride=2, padding=1),
    "channels last": lambda g, x: g.conv(x, constant(g, 9, 30, 3, 3), padding=1, layout=SpatialLayout.CHANNELS_LAST),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_convolutions(name: str):
    """By the reference, and with the same bits by one thread and by three."""
    need_module("llvmlite")
    graph = Graph("main")
    graph.output("y", PROGRAMS[name](graph, graph.input("x", (2, 5, 31, 30))))
    module = graph.module()
    program = rlx_passes.compile(module, "cpu", origin="rlx").load({})
    assert isinstance(program, NativeProgram)
    x = np.random.default_rng(1).standard_normal((2, 5, 31, 30)).astype(np.float32)
    one, three = (np.array(program.use_threads(threads)({"x": x})["y"]) for threads in (1, 3))
    assert one.tobytes() == three.tobytes()
    agree(one, run(module, None, {"x": x})["y"], SUMS, name)
