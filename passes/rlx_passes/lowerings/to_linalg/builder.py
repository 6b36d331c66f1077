"""The vocabulary of the patterns: tensors with the types they stand for, sizes, and the linalg ops built from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple, Self, cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from rlx_dialect.relations import Relation
from rlx_dialect.shapes import broadcast_dims
from rlx_passes.lowerings.arith_machine import CPU_LINALG, Natives
from rlx_passes.lowerings.relations import Checks
from rlx_passes.lowerings.to_linalg.elements import load, store
from rlx_passes.lowerings.to_linalg.maps import (
    Contraction,
    broadcast_map,
    reassociation,
    row_map,
    static_product,
)
from rlx_passes.lowerings.to_linalg.scalars import Body, Number, applied, constant, is_complex, signless
from rlx_passes.lowerings.to_linalg.sizes import Size, SizeBuilder, Sizes, dim_of, tensor_type

PARALLEL = IteratorTypeAttr(IteratorType.PARALLEL)
REDUCTION = IteratorTypeAttr(IteratorType.REDUCTION)


class Tensor(NamedTuple):
    """A lowered value, and the element type that it stands for, which still knows its signedness."""

    value: SSAValue
    element: Attribute

    @property
    def dims(self) -> tuple[int, ...]:
        return tensor_type(self.value).get_shape()

    @property
    def rank(self) -> int:
        return len(self.dims)


@dataclass
class LinalgBuilder(SizeBuilder):
    """
    Builds ops at the end of `block`. `wide_truth` stores truth values as i32; `natives` says what functions become.
    """

    wide_truth: bool = False
    natives: Natives = CPU_LINALG
    checks: Checks = field(default_factory=dict[Operation, Sequence[Relation]])

    def inside(self, block: Block) -> Self:
        """A builder for a block within this one's, which sees all values and sizes known so far."""
        known = (self.values, dict(self._sizes), dict(self._indices))
        return type(self)(block, self.conversion, *known, self.wide_truth, self.natives, self.checks)

    # Values and types.

    def stored(self, element: Attribute) -> Attribute:
        """The element type of tensors that hold `element`."""
        return i32 if element == i1 and self.wide_truth else signless(element)

    def type_of(self, type: Attribute) -> Attribute:
        """The type of the lowered form of a value of `type`; only tensors change theirs."""
        if not isinstance(type, TensorType):
            return type
        type = cast("TensorType[Attribute]", type)
        element = self.stored(type.element_type)
        return type if element == type.element_type else TensorType(element, type.get_shape(), type.encoding)

    def tensor(self, value: SSAValue) -> Tensor:
        """The lowered form of a tensor of the program."""
        return Tensor(self.values[value], tensor_type(value).element_type)

    def adapt(self, result: SSAValue, type: Attribute) -> SSAValue:
        """`result` as `type`, which may know more or fewer of its sizes."""
        if result.type == type or not isinstance(type, TensorType):
            return result
        cast_op = tensor.CastOp(result, cast("TensorType[Attribute]", type))
        return self._note(self.emit(cast_op), self.sizes(result))

    def with_dim(self, input: Tensor, axis: int, dim: int) -> Tensor:
        """`input`, whose type says that `axis` has size `dim`."""
        dims = list(input.dims)
        dims[axis] = dim
        return Tensor(self.adapt(input.value, TensorType(self.stored(input.element), dims)), input.element)

    def broadcast_sizes(self, tensors: Sequence[Tensor]) -> Sizes:
        """The sizes that the tensors broadcast to by NumPy's rule; one known to any of them is static."""
        return tuple(map(self.made, reduce(broadcast_dims, (self.dims(each.value) for each in tensors))))

    # Fresh tensors.

    def empty(self, sizes: Sequence[Size], element: Attribute) -> SSAValue:
        """A tensor to be written, of elements that stand for `element`."""
        type = TensorType(self.stored(element), [dim_of(size) for size in sizes])
        op = tensor.EmptyOp([size for size in sizes if not isinstance(size, int)], type)
        return self._note(self.emit(op), sizes)

    def full(self, sizes: Sequence[Size], element: Attribute, value: Number) -> SSAValue:
        """A tensor whose elements are all `value`."""
        stored = self.stored(element)
        scalar = constant(self.block, element if signless(element) == stored else stored, value).value
        if is_complex(stored):
            # xDSL's fill takes none, and IREE splats them only in some places.
            one = tensor.FromElementsOp.build(operands=[[scalar]], result_types=[TensorType(stored, [])])
            single, whole = Tensor(self.emit(one), element), AffineMap.identity(len(sizes))
            read = [(single, AffineMap(len(sizes), 0, ()))]
            return self.generic(read, self.empty(sizes, element), whole, element, lambda x: x).value
        op = linalg.FillOp([scalar], [self.empty(sizes, element)])
        return self._note(self.emit(op), sizes)

    # Linalg ops.

    def generic(
        self,
        inputs: Sequence[tuple[Tensor, AffineMap]],
        init: SSAValue,
        init_map: AffineMap,
        element: Attribute,
        body: Body,
        *,
        accumulates: bool = False,
    ) -> Tensor:
        """
        A `linalg.generic` with one result, of elements that stand for `element`.

        A loop that `init_map` leaves out is a reduction; with `accumulates` the body takes the value so far as its last
        scalar. Over nothing no op is built.
        """
        if 0 in Tensor(init, element).dims or (accumulates and any(0 in each.dims for each, _ in inputs)):
            return Tensor(init, element)
        values = [each.value for each, _ in inputs]

        def fill(block: Block) -> SSAValue:
            arguments = [load(block, block.args[i], each.element, self.natives) for i, (each, _) in enumerate(inputs)]
            if accumulates:
                arguments.append(load(block, block.args[-1], element, self.natives))
            return store(applied(body, arguments), element, tensor_type(init).element_type)

        return Tensor(self.generated(values, [map for _, map in inputs], init, init_map, fill), element)

    def generated(
        self,
        values: Sequence[SSAValue],
        maps: Sequence[AffineMap],
        init: SSAValue,
        init_map: AffineMap,
        fill: Callable[[Block], SSAValue],
    ) -> SSAValue:
        """A `linalg.generic` whose body yields what `fill` gives."""
        loops = init_map.num_dims
        kept = {i for i in range(loops) if AffineExpr.dimension(i) in init_map.results}
        block = Block(arg_types=[tensor_type(value).element_type for value in (*values, init)])
        block.add_op(linalg.YieldOp(fill(block)))
        op = linalg.GenericOp(
            values,
            [init],
            Region(block),
            [AffineMapAttr(map) for map in (*maps, init_map)],
            [PARALLEL if i in kept else REDUCTION for i in range(loops)],
            [init.type],
        )
        return self._note(self.emit(op), self.sizes(init))

    def elementwise(
        self, inputs: Sequence[Tensor], element: Attribute, body: Body, sizes: Sequence[Size] | None = None
    ) -> Tensor:
        """`body` for each element of the inputs, broadcast by NumPy's rule; of `sizes` where they are given."""
        sizes = self.broadcast_sizes(inputs) if sizes is None else sizes
        maps = [broadcast_map(each.dims, [dim_of(size) for size in sizes]) for each in inputs]
        init = self.empty(sizes, element)
        return self.generic(list(zip(inputs, maps)), init, AffineMap.identity(len(sizes)), element, body)

    def copy(self, input: Tensor, sizes: Sequence[Size]) -> Tensor:
        """The input stretched to `sizes`; no element is read as what it stands for."""
        stored = self.stored(input.element)
        result = self.elementwise([Tensor(input.value, stored)], stored, lambda x: x, sizes)
        return Tensor(result.value, input.element)

    def reduce(self, input: Tensor, axes: Sequence[int], element: Attribute, identity: Number, body: Body) -> Tensor:
        """
        `body(x, so_far)` over `axes`, which are dropped.

        The value so far is kept as `element`, from `identity` on.
        """
        kept = [axis for axis in range(input.rank) if axis not in axes]
        init = self.full([self.size(input.value, axis) for axis in kept], element, identity)
        whole = AffineMap.identity(input.rank)
        return self.generic([(input, whole)], init, row_map(input.rank, kept), element, body, accumulates=True)

    def contract(self, lhs: Tensor, rhs: Tensor, loops: Contraction, accumulate: Attribute) -> Tensor:
        """The sum over the products of lhs and rhs, in `accumulate`; the loops are named in `loops`."""
        names = loops.names
        known: dict[str, Size] = {}
        for each, axes in ((lhs, loops.lhs), (rhs, loops.rhs)):
            for axis, name in enumerate(axes):
                if not isinstance(known.get(name), int):
                    known[name] = self.size(each.value, axis)
        maps = [
            row_map(len(names), [names.index(name) for name in axes]) for axes in (loops.lhs, loops.rhs, loops.result)
        ]
        init = self.full([known[name] for name in loops.result], accumulate, 0)
        return self.generic(
            [(lhs, maps[0]), (rhs, maps[1])],
            init,
            maps[2],
            accumulate,
            lambda a, b, so_far: so_far + a.to(accumulate) * b.to(accumulate),
            accumulates=True,
        )

    def matrix_product(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        """`lhs @ rhs` of two matrices, in their own element type."""
        sizes = (self.size(lhs.value, 0), self.size(rhs.value, 1))
        init = self.full(sizes, lhs.element, 0)
        if 0 in (*lhs.dims, *rhs.dims):
            return Tensor(init, lhs.element)
        op = linalg.MatmulOp([lhs.value, rhs.value], [init])
        return Tensor(self._note(self.emit(op), sizes), lhs.element)

    def cast(self, input: Tensor, element: Attribute) -> Tensor:
        """Each element as `element`."""
        if input.element == element:
            return input
        return self.elementwise([input], element, lambda x: x.to(element))

    def transpose(self, input: Tensor, permutation: Sequence[int]) -> Tensor:
        """Axis i of the result is axis `permutation[i]` of the input."""
        if tuple(permutation) == tuple(range(input.rank)):
            return input
        init = self.empty([self.size(input.value, axis) for axis in permutation], input.element)
        if is_complex(input.element):  # which xDSL's op does not take
            places = [AffineExpr.dimension(permutation.index(axis)) for axis in range(input.rank)]
            moved = AffineMap(input.rank, 0, tuple(places))
            return self.generic([(input, moved)], init, AffineMap.identity(input.rank), input.element, lambda x: x)
        attr = DenseArrayBase.from_list(i64, list(permutation))
        op = linalg.TransposeOp(input.value, init, attr, init.type)
        return Tensor(self._note(self.emit(op), self.sizes(init)), input.element)

    def insert(self, source: SSAValue, target: SSAValue, offsets: Sequence[Size]) -> SSAValue:
        """`target` with `source`, of the same rank, written at `offsets`."""
        lists = [offsets, self.sizes(source), [1] * len(offsets)]
        names = ("static_offsets", "static_sizes", "static_strides")
        op = tensor.InsertSliceOp(
            operands=[source, target, *([size for size in each if not isinstance(size, int)] for each in lists)],
            result_types=[target.type],
            properties={
                name: DenseArrayBase.from_list(i64, [dim_of(size) for size in each]) for name, each in zip(names, lists)
            },
        )
        return self.emit(op)

    # Views.

    def collapse(self, input: Tensor, groups: Sequence[Sequence[int]]) -> Tensor:
        """Each group of neighbouring axes as one; without groups all axes have size 1 and go."""
        if len(groups) == input.rank:
            return input
        dims = [static_product([input.dims[axis] for axis in group]) for group in groups]
        type = TensorType(tensor_type(input.value).element_type, dims)
        op = tensor.CollapseShapeOp(
            operands=[input.value], result_types=[type], properties={"reassociation": reassociation(groups)}
        )
        result = self.emit(op)
        for axis, group in enumerate(groups):
            own = [each for each in group if input.dims[each] != 1]
            if len(own) == 1 and (size := self._sizes.get((input.value, own[0]))) is not None:
                self._sizes[result, axis] = size
        return Tensor(result, input.element)

    def expand(self, input: Tensor, groups: Sequence[Sequence[Size]]) -> Tensor:
        """Axis i of the input as the axes of `groups[i]`; a rank 0 input becomes `groups[0]`, all of size 1."""
        sizes = [size for group in groups for size in group]
        if len(sizes) == input.rank:
            return input
        if input.rank == 0:
            return self.copy(input, sizes)
        numbers = iter(range(len(sizes)))
        positions = [[next(numbers) for _ in group] for group in groups]
        static = [dim_of(size) for size in sizes]
        type = TensorType(tensor_type(input.value).element_type, static)
        dynamic = [size for size in sizes if not isinstance(size, int)]
        op = tensor.ExpandShapeOp(input.value, dynamic, reassociation(positions), static, type)
        return Tensor(self._note(self.emit(op), sizes), input.element)

    def squeeze(self, input: Tensor, axes: Sequence[int]) -> Tensor:
        """The input without `axes`, which have size 1."""
        groups: list[list[int]] = []
        pending: list[int] = []
        for axis in range(input.rank):
            pending.append(axis)
            if axis not in axes:
                groups.append(pending)
                pending = []
        if groups:
            groups[-1] += pending
        return self.collapse(input, groups)

    def unsqueeze(self, input: Tensor, axes: Sequence[int]) -> Tensor:
        """The input with axes of size 1 put in, at the positions `axes` of the result."""
        rank = input.rank + len(axes)
        source = iter(self.sizes(input.value))
        groups: list[list[Size]] = [[]]
        filled = False
        for axis in range(rank):
            if axis in axes:
                groups[-1].append(1)
                continue
            if filled:
                groups.append([])
            groups[-1].append(next(source))
            filled = True
        return self.expand(input, groups)


Lowering = Callable[[Any, LinalgBuilder], Sequence[Tensor]]
"""From an op, of the class it is listed under, to the lowered form of each of its results."""

Lowerings = Mapping[type[Operation], Lowering]
