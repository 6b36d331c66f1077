"""The conversion: functions of rlx ops become functions of linalg, tensor, arith and math ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region

from rlx_dialect.constants import array_of, dense, is_splat
from rlx_dialect.decompose import decompose
from rlx_dialect.dtypes import dtype_of
from rlx_dialect.ops import ControlOp, RlxOp
from rlx_passes.lowering.arith_machine import CPU, Natives
from rlx_passes.lowering.errors import LoweringError, name_of
from rlx_passes.lowering.forms import LoweringPass
from rlx_passes.lowering.to_linalg import (
    attention,
    contraction,
    elementwise,
    fused,
    gradients,
    normalization,
    picking,
    reduction,
    shape,
    windows,
)
from rlx_passes.lowering.to_linalg.builder import LinalgBuilder, Lowerings
from rlx_passes.lowering.to_linalg.control_flow import CONTROL, lower_control
from rlx_passes.lowering.to_linalg.scalars import NoScalarForm

BoolStorage = Literal["i1", "i32"]

CHAPTERS = (elementwise, contraction, reduction, normalization, shape, attention, fused, gradients, windows, picking)
LOWERINGS: Lowerings = {op: lowering for chapter in CHAPTERS for op, lowering in chapter.LOWERINGS.items()}
"""Every op that has a lowering of its own; a fused op without one goes through its decomposition."""

KEPT = frozenset(("arith", "complex", "func", "linalg", "math", "scf", "tensor"))
"""The dialects of which ops may stand in the result as they are."""


@dataclass(frozen=True)
class ConvertRlxToLinalgPass(LoweringPass):
    """
    Lower every function to linalg on tensors.

    `bool_storage` is the element type of tensors of truth values: `i32` where a target cannot keep `i1` in memory.
    """

    name = "convert-rlx-to-linalg"

    bool_storage: BoolStorage = "i1"

    @classmethod
    def forms(cls) -> frozenset[type[Operation]]:
        return frozenset(LOWERINGS) | CONTROL

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_to_linalg(op, bool_storage=self.bool_storage)


def lower_to_linalg(module: ModuleOp, *, bool_storage: BoolStorage = "i1", natives: Natives = CPU) -> None:
    """
    Replace the functions of `module` by functions over linalg, tensor, arith and math ops, in place.

    Names, argument and result attributes stay. Element types lose their signedness, and i1 becomes `bool_storage` in tensors; an argument or
    result whose element type changes says so: `rlx.dtype = "ui8"`. `natives` are the functions of whatever compiles the result. Raises
    `LoweringError` for an op that has no lowering.
    """
    for op in list(module.body.block.ops):
        if isinstance(op, func.FuncOp):
            _lower_function(op, LinalgBuilder(Block(), wide_truth=bool_storage == "i32", natives=natives))


def _lower_function(function: func.FuncOp, b: LinalgBuilder) -> None:
    types = function.function_type
    inputs = [b.lowered_type(type) for type in types.inputs]
    outputs = [b.lowered_type(type) for type in types.outputs]
    function.arg_attrs = _with_dtypes(function.arg_attrs, types.inputs.data, inputs)
    function.res_attrs = _with_dtypes(function.res_attrs, types.outputs.data, outputs)
    if function.body.blocks:
        _replace_body(function, _lower_region(function.body, b))
    function.function_type = FunctionType.from_lists(inputs, outputs)


def _replace_body(function: func.FuncOp, region: Region) -> None:
    old = function.body
    for block in list(old.blocks):
        old.detach_block(block)
        block.erase()
    function.detach_region(old)
    function.add_region(region)


def _lower_region(region: Region, outer: LinalgBuilder) -> Region:
    """A region whose blocks hold the lowered ops of the blocks of `region`."""
    lowered = [Block(arg_types=[outer.lowered_type(arg.type) for arg in block.args]) for block in region.blocks]
    for block, new in zip(region.blocks, lowered):
        for old_arg, arg in zip(block.args, new.args):
            arg.name_hint = old_arg.name_hint
            outer.values[old_arg] = arg
        b = outer.inside(new)
        for op in block.ops:
            _lower(op, b)
    return Region(lowered)


def _lower(op: Operation, b: LinalgBuilder) -> None:
    """Emit what `op` becomes, and note what its results become."""
    first = b.block.last_op
    if isinstance(op, RlxOp):
        _lower_rlx(op, b)
    elif name_of(op).partition(".")[0] in KEPT:
        _keep(op, b)
    else:
        raise LoweringError(op, f"{_in_function(op)}has no form in linalg: turn it into rlx ops first, or take it out")
    _locate(op, b.block, first)
    for result in op.results:
        if result in b.values and b.values[result].name_hint is None:
            b.values[result].name_hint = result.name_hint


def _lower_rlx(op: RlxOp, b: LinalgBuilder) -> None:
    lowering = LOWERINGS.get(type(op))
    if isinstance(op, ControlOp) and type(op) in CONTROL:
        results = lower_control(op, b, _lower)
    elif lowering is not None:
        try:
            results = [each.value for each in lowering(op, b)]
        except NoScalarForm as error:
            raise LoweringError(op, f"{_in_function(op)}has no form in linalg: {error}") from error
    else:
        parts = decompose(op)
        if parts is None:
            raise LoweringError(op, f"{_in_function(op)}has no form in linalg; choose a target that supports it")
        for part in parts.ops:
            _lower(part, b)
        results = [b.values[value] for value in parts.results]
        for part in reversed(parts.ops):
            part.erase()
    for result, value in zip(op.results, results):
        b.values[result] = b.adapt(value, b.lowered_type(result.type))


def _keep(op: Operation, b: LinalgBuilder) -> None:
    """`op` itself, on the lowered operands; a constant is written in the type that tensors keep."""
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr):
        b.values[op.result] = b.emit(arith.ConstantOp(_constant(op.value, b), b.lowered_type(op.result.type)))
        return
    if isinstance(op, tensor.DimOp) and (axis := _known_axis(op)) is not None:
        b.values[op.result] = b.as_index(b.size(b.values[op.source], axis))
        return
    regions = [_lower_region(region, b) for region in op.regions]
    copy = type(op).create(
        operands=[b.values[operand] for operand in op.operands],
        result_types=[b.lowered_type(type) for type in op.result_types],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
    )
    b.block.add_op(copy)
    for result, new in zip(op.results, copy.results):
        b.values[result] = new


def _constant(value: DenseIntOrFPElementsAttr, b: LinalgBuilder) -> DenseIntOrFPElementsAttr:
    type = value.get_type()
    lowered = b.lowered_type(type)
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


def _in_function(op: Operation) -> str:
    """The function that `op` stands in, for a message."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        parent = parent.parent_op()
    return "" if parent is None else f"in @{parent.sym_name.data} "


def _locate(op: Operation, block: Block, after: Operation | None) -> None:
    """Give the location of `op` to all ops behind `after`."""
    if isinstance(op.location, UnknownLoc):
        return
    new = block.first_op if after is None else after.next_op
    while new is not None:
        for each in new.walk():
            each.location = op.location
        new = new.next_op


def _with_dtypes(
    given: ArrayAttr[DictionaryAttr] | None, types: Sequence[Attribute], lowered: Sequence[Attribute]
) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of arguments or results, with the dtype of the program where tensors keep another."""
    if tuple(types) == tuple(lowered):
        return given
    dicts = list(given.data) if given else [DictionaryAttr({}) for _ in types]
    for i, (type, new) in enumerate(zip(types, lowered)):
        if type != new:
            name = dtype_of(cast("TensorType[Attribute]", type).element_type).name
            dicts[i] = DictionaryAttr({**dicts[i].data, "rlx.dtype": StringAttr(name)})
    return ArrayAttr(dicts)
