"""Normalisations: reductions over one axis, then one parallel op over the whole input."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from xdsl.dialects.builtin import bf16, f16, f32, f64, i1
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from rlx_dialect.ops import LayerNormOp, NormOp, RmsNormOp, SoftmaxOp
from rlx_dialect.shapes import normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Size, Tensor
from rlx_passes.lowerings.to_linalg.contraction import accumulate_type
from rlx_passes.lowerings.to_linalg.maps import row_map
from rlx_passes.lowerings.to_linalg.reduction import number
from rlx_passes.lowerings.to_linalg.scalars import Body, Scalar, applied
from rlx_passes.lowerings.to_linalg.shape import reshape

Read = tuple[Tensor, AffineMap]
"""An operand and where it is read."""


class Rows:
    """The slices of `input` along `axis`: values that are reduced over it, and values that go along it."""

    def __init__(self, b: LinalgBuilder, input: Tensor, axis: int, accumulate: Attribute):
        self.b, self.input, self.axis, self.accumulate = b, input, axis, accumulate
        self.whole = AffineMap.identity(input.rank)
        self.slices = row_map(input.rank, [i for i in range(input.rank) if i != axis])
        self.along = row_map(input.rank, [axis])

    @property
    def length(self) -> Size:
        """How many elements a slice has."""
        return self.b.size(self.input.value, self.axis)

    def _operands(self, inputs: Sequence[Tensor]) -> list[Read]:
        """How each input is read, by its rank: the whole, or one value a slice."""
        return [(each, self.whole if each.rank == self.input.rank else self.slices) for each in inputs]

    def _widened(self, scalars: Sequence[Scalar]) -> Iterator[Scalar]:
        """The scalars in the accumulate type; truth values stay what they are."""
        return (each if each.type == i1 else each.to(self.accumulate) for each in scalars)

    def reduce(self, inputs: Sequence[Tensor], identity: float, step: Body, *, others: Sequence[Read] = ()) -> Tensor:
        """`step(so_far, *inputs, *others)` along each slice, from `identity` on, in the accumulate type."""
        sizes = [self.b.size(self.input.value, i) for i in range(self.input.rank) if i != self.axis]
        init = self.b.full(sizes, self.accumulate, identity)

        def body(*scalars: Scalar) -> Scalar:
            *given, so_far = scalars
            return applied(step, (so_far, *self._widened(given)))

        operands = [*self._operands(inputs), *others]
        return self.b.generic(operands, init, self.slices, self.accumulate, body, accumulates=True)

    def sum(self, inputs: Sequence[Tensor], term: Body) -> Tensor:
        """The sum of `term` over each slice."""

        def add(so_far: Scalar, *given: Scalar) -> Scalar:
            return so_far + applied(term, given)

        return self.reduce(inputs, 0.0, add)

    def map(self, inputs: Sequence[Tensor], element: Attribute, body: Body, *, others: Sequence[Read] = ()) -> Tensor:
        """`body(*inputs, *others)` for each element of the whole."""
        operands = [*self._operands(inputs), *others]
        init = self.b.empty(self.b.sizes(self.input.value), element)

        def widened(*given: Scalar) -> Scalar:
            return applied(body, self._widened(given))

        return self.b.generic(operands, init, self.whole, element, widened)


def layer_norm(rows: Rows, gamma: Tensor, beta: Tensor, epsilon: float) -> Tensor:
    """The variance is taken in a second pass, around the mean."""
    x, length = rows.input, rows.length
    total = rows.sum([x], lambda x: x)

    def centred(x: Scalar, total: Scalar) -> Scalar:
        return x - total / number(total, length)

    def square(x: Scalar, total: Scalar) -> Scalar:
        difference = centred(x, total)
        return difference * difference

    squares = rows.sum([x, total], square)

    def normed(x: Scalar, total: Scalar, squares: Scalar, gamma: Scalar, beta: Scalar) -> Scalar:
        deviation = (squares / number(squares, length) + epsilon).function("sqrt")
        return centred(x, total) / deviation * gamma + beta

    vectors = [(gamma, rows.along), (beta, rows.along)]
    return rows.map([x, total, squares], x.element, normed, others=vectors)


def rms_norm(rows: Rows, gamma: Tensor, beta: Tensor, epsilon: float) -> Tensor:
    """As layer norm, without the mean."""
    x, length = rows.input, rows.length
    squares = rows.sum([x], lambda x: x * x)

    def normed(x: Scalar, squares: Scalar, gamma: Scalar, beta: Scalar) -> Scalar:
        return x / (squares / number(squares, length) + epsilon).function("sqrt") * gamma + beta

    vectors = [(gamma, rows.along), (beta, rows.along)]
    return rows.map([x, squares], x.element, normed, others=vectors)


def softmax(rows: Rows, element: Attribute) -> Tensor:
    """
    Powers of the distance to the greatest value, over their sum.

    The search for the greatest starts at the most negative finite value: a slice of -inf only gives 0 / 0 either way.
    """
    x = rows.input
    greatest = rows.reduce([x], lowest_finite(rows.accumulate), lambda so_far, x: so_far.maximum(x))
    powers = rows.map([x, greatest], rows.accumulate, lambda x, greatest: (x - greatest).exp())
    total = rows.sum([powers], lambda power: power)
    return rows.map([powers, total], element, lambda power, total: power / total)


def lowest_finite(type: Attribute) -> float:
    """The most negative number of a float type."""
    if type not in LOWEST:
        raise Refusal(f"has no form in linalg: accumulate {type} is none of {', '.join(map(str, LOWEST))}")
    return LOWEST[type]


LOWEST: Mapping[Attribute, float] = {
    f16: -65504.0,
    bf16: -float.fromhex("0x1.fep127"),
    f32: -float.fromhex("0x1.fffffep127"),
    f64: -float.fromhex("0x1.fffffffffffffp1023"),
}


def rows_of(b: LinalgBuilder, op: NormOp | SoftmaxOp) -> Rows:
    input = b.tensor(op.input)
    axis = normalize_axis(op.axis.value.data, input.rank)
    return Rows(b, input, axis, accumulate_type(op.accumulate, input.element))


def _norm(norm: Callable[[Rows, Tensor, Tensor, float], Tensor], op: NormOp, b: LinalgBuilder) -> Sequence[Tensor]:
    return [norm(rows_of(b, op), b.tensor(op.gamma), b.tensor(op.beta), op.epsilon.value.data)]


def _rms_norm(op: RmsNormOp, b: LinalgBuilder) -> Sequence[Tensor]:
    (normed,) = _norm(rms_norm, op, b)
    if op.flatten is None:
        return [normed]
    return [reshape(b, normed, b.result_sizes(op))]


def _softmax(op: SoftmaxOp, b: LinalgBuilder) -> Sequence[Tensor]:
    rows = rows_of(b, op)
    return [softmax(rows, rows.input.element)]


LOWERINGS: Lowerings = {
    LayerNormOp: partial(_norm, layer_norm),
    RmsNormOp: _rms_norm,
    SoftmaxOp: _softmax,
}
