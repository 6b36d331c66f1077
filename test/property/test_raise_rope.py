"""Rotary embeddings in random spellings become one op of the same values; turned otherwise they become none."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import context, random_inputs
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import Activation, RopeStyle, RopeTable
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import GatedResidualOp, RopeOp
from rlx_dialect.reference import run
from rlx_dialect.shapes import shaped
from rlx_dialect.signature import find_function
from rlx_passes import build_pipeline
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.registry.composite import flatten

BATCH, HEADS, PLACES, WIDTH = 2, 3, 5, 8


@dataclass(frozen=True)
class Spelling:
    """One way to write a rotary embedding."""

    style: str
    layout: str
    n_rot: int
    summed: bool
    """`x * cos + rotated * sin`, or the two elements of each pair apart."""
    strided: bool
    """The first and second elements of gptj's pairs by strides, or by a reshape to pairs."""
    table: str
    """`full` and `half` are given, `repeated` and `computed` made of halves."""
    batched: bool
    swapped: bool
    """Products and sums in the other order."""
    negative_first: bool
    """The negated half by a subtraction, or by a negation and a sum."""
    wrong: str = ""
    """What keeps it from being a rotation: `sign`, `pairs`, `rest`, `sine`."""


SPELLINGS = st.builds(
    Spelling,
    style=st.sampled_from(("neox", "gptj")),
    layout=st.sampled_from(("bhsd", "bshd", "hsd", "sd")),
    n_rot=st.sampled_from((WIDTH, 4, 6)),
    summed=st.booleans(),
    strided=st.booleans(),
    table=st.sampled_from(("full", "half", "repeated", "computed")),
    batched=st.booleans(),
    swapped=st.booleans(),
    negative_first=st.booleans(),
)


class Writer:
    """Writes one spelling."""

    def __init__(self, spelling: Spelling):
        self.how, self.g = spelling, Graph()
        sizes = {"b": BATCH, "h": HEADS, "s": PLACES, "d": WIDTH}
        self.dims = tuple(sizes[letter] for letter in spelling.layout)
        self.half = spelling.n_rot // 2
        self.batched = spelling.batched and spelling.layout[0] == "b"

    @property
    def axis(self) -> int:
        return self.how.layout.index("s")

    def halves(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The first and the second elements of all pairs."""
        g, last = self.g, len(x.shape) - 1
        if self.how.style == "neox":
            first, second = (g.narrow(x, last, start, self.half) for start in (0, self.half))
        elif self.how.strided:
            shape, steps = (*x.shape[:-1], self.half), (*(1,) * last, 2)
            first, second = (g.slice(x, (*(0,) * last, start), shape, steps) for start in (0, 1))
        else:
            split = g.reshape(x, (*x.shape[:-1], self.half, 2))
            first, second = (g.reshape(g.narrow(split, last + 1, at, 1), (*x.shape[:-1], self.half)) for at in (0, 1))
        return (second, first) if self.how.wrong == "pairs" else (first, second)

    def joined(self, first: Tensor, second: Tensor) -> Tensor:
        g, last = self.g, len(first.shape) - 1
        if self.how.style == "neox":
            return g.concat([first, second], last)
        both = g.concat([g.reshape(side, (*side.shape, 1)) for side in (first, second)], last + 1)
        return g.reshape(both, (*first.shape[:-1], 2 * self.half))

    def along(self, table: Tensor) -> Tensor:
        """The table laid along the places of x, and its batch."""
        dims = [1] * len(self.dims)
        dims[self.axis], dims[-1] = PLACES, table.shape[-1]
        if self.batched:
            dims[0] = BATCH
        return self.g.reshape(table, dims)

    def table(self, name: str) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Cosine or sine for each element, and for the first and second elements of pairs."""
        g, how = self.g, self.how
        rows = (BATCH, PLACES) if self.batched else (PLACES,)
        if how.table == "full":
            full = self.along(g.input(name, (*rows, how.n_rot)))
            return full, self.halves_of_table(full)
        half = self.along(g.input(name, (*rows, self.half)))
        if how.table == "computed":
            both = self.joined(half, half)
            full = g.activation(Activation(name), both)
            return full, self.halves_of_table(full)
        return self.joined(half, half), (half, half)

    def halves_of_table(self, full: Tensor) -> tuple[Tensor, Tensor]:
        first, second = self.halves(full)
        return (second, first) if self.how.wrong == "pairs" else (first, second)

    def times(self, x: Tensor, y: Tensor) -> Tensor:
        return y * x if self.how.swapped else x * y

    def turned(self, x: Tensor) -> Tensor:
        how = self.how
        (cos, (cos_i, cos_j)), (sin, (sin_i, sin_j)) = self.table("cos"), self.table("sin")
        i, j = self.halves(x)
        if how.wrong == "sine":
            sin = sin_i = sin_j = self.along(self.g.input("other", (*((BATCH,) if self.batched else ()), PLACES, 1)))
        if how.summed:
            rotated = self.joined(j, -i) if how.wrong == "sign" else self.joined(-j, i)
            return self.times(x, cos) + self.times(rotated, sin)
        if how.negative_first and how.wrong != "sign":
            first = self.times(i, cos_i) - self.times(j, sin_i)
        else:
            first = self.times(i, cos_i) + self.times(j if how.wrong == "sign" else -j, sin_i)
        second = self.times(j, cos_j) + self.times(i, sin_j)
        return self.joined(first, second)

    def program(self) -> ModuleOp:
        g, last, n_rot = self.g, len(self.dims) - 1, self.how.n_rot
        x = g.input("x", self.dims) * 0.5
        if n_rot == WIDTH:
            y = self.turned(x)
        else:
            rest = g.narrow(x, last, n_rot, WIDTH - n_rot)
            y = g.concat([self.turned(g.narrow(x, last, 0, n_rot)), -rest if self.how.wrong == "rest" else rest], last)
        g.output("y", y)
        return g.module()


def raised(before: ModuleOp) -> ModuleOp:
    """`before` after raising, once the values were compared."""
    after = before.clone()
    for pass_ in flatten((RaisePass(),)):
        pass_.apply(context(), after)
        after.verify()
    inputs = random_inputs(find_function(before))
    np.testing.assert_allclose(run(after, None, inputs)["y"], run(before, None, inputs)["y"], rtol=1e-5, atol=1e-6)
    return after


def ropes(module: ModuleOp) -> list[RopeOp]:
    return [op for op in module.walk() if isinstance(op, RopeOp)]


@settings(max_examples=150)
@given(SPELLINGS)
def test_one_rope_of_the_same_values(spelling: Spelling):
    writer = Writer(spelling)
    (rope,) = ropes(raised(writer.program()))
    assert (rope.pairs, rope.n_rot.value.data) == (RopeStyle(spelling.style), spelling.n_rot)
    assert rope.axis.value.data == writer.axis
    assert rope.entries is (RopeTable.HALF if spelling.table in ("half", "repeated") else RopeTable.FULL)
    assert len(shaped(rope.cos).dims) == 2 + writer.batched


@settings(max_examples=60)
@given(SPELLINGS, st.sampled_from(("sign", "pairs", "rest", "sine")))
def test_no_rope_of_what_turns_otherwise(spelling: Spelling, wrong: str):
    if wrong == "rest":
        spelling = replace(spelling, n_rot=4)
    module = raised(Writer(replace(spelling, wrong=wrong)).program())
    assert len(ropes(module)) == (wrong == "rest" and spelling.n_rot == 4)


@pytest.mark.parametrize("style", ["neox", "gptj"])
def test_no_gated_residual_of_it(style: str):
    module = Writer(Spelling(style, "bhsd", WIDTH, True, False, "full", False, False, False)).program()
    for pass_ in flatten(build_pipeline("cpu", stage="fuse", origin="rlx")):
        pass_.apply(context(), module)
    assert len(ropes(module)) == 1
    assert not any(isinstance(op, GatedResidualOp) for op in module.walk())
