"""The conversion: functions of rlx ops become functions of linalg, tensor, arith and math ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_dialect.constants import array_of, dense, is_splat
from rlx_dialect.dtypes import dtype_of
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.arith_machine import CPU_LINALG, Natives
from rlx_passes.lowerings.forms import GPU_KERNELS, LINALG, LoweringPass, advice
from rlx_passes.lowerings.relations import state_relations
from rlx_passes.lowerings.to_linalg import (
    attention,
    contraction,
    control_flow,
    elementwise,
    fused,
    gradients,
    normalization,
    picking,
    reduction,
    scattering,
    shape,
    windows,
)
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Tensor
from rlx_passes.rewriting.conversion import Conversion, name_of, on_copy

BoolStorage = Literal["i1", "i32"]

CHAPTERS = (
    elementwise,
    contraction,
    reduction,
    normalization,
    shape,
    attention,
    fused,
    gradients,
    windows,
    picking,
    scattering,
    control_flow,
)
LOWERINGS: Lowerings = {op: lowering for chapter in CHAPTERS for op, lowering in chapter.LOWERINGS.items()}
"""Every op that has a lowering of its own; a fused op without one goes through its decomposition."""

KEPT = frozenset(("arith", "complex", "func", "linalg", "math", "scf", "tensor"))
"""The dialects whose ops may be in the result as they are."""


@dataclass(frozen=True)
class ConvertRlxToLinalgPass(LoweringPass):
    """
    Lower every function to linalg on tensors.

    `bool_storage` is the element type of tensors of truth values: `i32` where a target cannot keep `i1` in memory.
    """

    name = "convert-rlx-to-linalg"
    form = LINALG

    bool_storage: BoolStorage = "i1"

    @classmethod
    def forms(cls) -> frozenset[type[Operation]]:
        return frozenset(LOWERINGS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, partial(lower_to_linalg, bool_storage=self.bool_storage, program=op))


def lower_to_linalg(
    module: ModuleOp,
    *,
    bool_storage: BoolStorage = "i1",
    natives: Natives = CPU_LINALG,
    program: ModuleOp | None = None,
) -> None:
    """
    Replace the functions of `module` by functions over linalg, tensor, arith and math ops, in place.

    Names, argument and result attributes stay. Element types lose their signedness, and i1 becomes `bool_storage` in
    tensors; an argument or result whose element type changes says so: `rlx.dtype = "ui8"`. `natives` are the functions
    of whatever compiles the result, `program` is what `module` is a copy of. Raises `Refusal` for an op that has no
    lowering.
    """
    advised = partial(advice, (LINALG, GPU_KERNELS), program=program)
    conversion = Conversion({**LOWERINGS, func.FuncOp: _function}, LINALG, _is_kept, advised)
    checks = state_relations(module)
    lowering = Lowering(module.body.block, conversion, wide_truth=bool_storage == "i32", natives=natives, checks=checks)
    lowering.convert(module.body.block)


def _is_kept(op: Operation) -> bool:
    return name_of(op).partition(".")[0] in KEPT


@dataclass
class Lowering(LinalgBuilder):
    """Relates values of the program to lowered ones by a map, since their types differ."""

    carries_names = carries_attributes = False

    def lower(self, op: Operation) -> Sequence[SSAValue]:
        """Convert `op`, with code that ends a run whose sizes do not fit it."""
        left = [relation for relation in self.checks.get(op, ()) if not self.check(relation, op)]
        values = super().lower(op)
        for relation in left:
            self.check(relation, op)
        return values

    def values_of(self, given: Sequence[Tensor]) -> Sequence[SSAValue]:
        return [each.value for each in given]

    def value(self, old: SSAValue) -> SSAValue:
        return self.values[old]

    def fitted(self, value: SSAValue, declared: Attribute, *, new: bool) -> SSAValue:
        return self.adapt(value, declared)

    def bind(self, old: SSAValue, new: SSAValue) -> None:
        self.values[old] = self.adapt(new, self.type_of(old.type))

    def retire(self, op: Operation) -> None:
        """Ops of a function stay in it, where others look at them, and go with it."""
        if isinstance(op, func.FuncOp):
            super().retire(op)

    def keep(self, op: Operation) -> None:
        """`op` itself, on the lowered operands; a constant is written in the type that tensors keep."""
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr):
            new: Operation = arith.ConstantOp(_constant(op.value, self), self.type_of(op.result.type))
        elif isinstance(op, tensor.DimOp) and (axis := _known_axis(op)) is not None:
            self.values[op.result] = self.as_index(self.size(self.values[op.source], axis))
            return
        else:
            new = type(op).create(
                operands=[self.values[operand] for operand in op.operands],
                result_types=[self.type_of(type) for type in op.result_types],
                properties=dict(op.properties),
                attributes=dict(op.attributes),
                regions=[self.region(region) for region in op.regions],
            )
        new.location = op.location
        self.add(new)
        for old, value in zip(op.results, new.results):
            value.name_hint = old.name_hint
            self.values[old] = value

    def region(self, region: Region) -> Region:
        """A region whose blocks hold the lowered ops of the blocks of `region`."""
        blocks = [Block(arg_types=[self.type_of(arg.type) for arg in block.args]) for block in region.blocks]
        for block, new in zip(region.blocks, blocks):
            for old_arg, arg in zip(block.args, new.args):
                arg.name_hint = old_arg.name_hint
                self.values[old_arg] = arg
            self.inside(new).convert(block)
        return Region(blocks)


def _function(function: func.FuncOp, b: Lowering) -> Sequence[Tensor]:
    types = function.function_type
    inputs = [b.type_of(type) for type in types.inputs]
    outputs = [b.type_of(type) for type in types.outputs]
    lowered = func.FuncOp(
        function.sym_name.data,
        (inputs, outputs),
        b.region(function.body),
        function.sym_visibility,
        arg_attrs=_with_dtypes(function.arg_attrs, types.inputs.data, inputs),
        res_attrs=_with_dtypes(function.res_attrs, types.outputs.data, outputs),
    )
    lowered.attributes, lowered.location = dict(function.attributes), function.location
    b.add(lowered)
    return ()


def _constant(value: DenseIntOrFPElementsAttr, b: LinalgBuilder) -> DenseIntOrFPElementsAttr:
    type = value.get_type()
    lowered = b.type_of(type)
    if lowered == type:
        return value
    array = array_of(value)
    if is_splat(value):
        array = array.ravel()[:1]
    target = cast("TensorType[Attribute]", lowered)
    width = dtype_of(target.element_type).name.replace("i", "int")
    return dense(target, array.astype(width))


def _known_axis(op: tensor.DimOp) -> int | None:
    index = op.index.owner
    if isinstance(index, arith.ConstantOp) and isinstance(index.value, IntegerAttr):
        return index.value.value.data
    return None


def _with_dtypes(
    given: ArrayAttr[DictionaryAttr] | None, types: Sequence[Attribute], lowered: Sequence[Attribute]
) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of arguments or results, with the dtype of the program where tensors keep another."""
    if tuple(types) == tuple(lowered):
        return given
    dicts = list(given.data) if given else [DictionaryAttr({}) for _ in types]
    for i, (type, new) in enumerate(zip(types, lowered)):
        if type != new:
            try:
                name = dtype_of(cast("TensorType[Attribute]", type).element_type).name
            except ValueError as error:
                raise Refusal(f"takes or gives {type}: {error}", "cast it") from error
            dicts[i] = DictionaryAttr({**dicts[i].data, "rlx.dtype": StringAttr(name)})
    return ArrayAttr(dicts)
