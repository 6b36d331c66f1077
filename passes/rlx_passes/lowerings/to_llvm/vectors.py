"""Rules of `vector`, for vectors with one static dim."""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.llvm import ExtractElementOp
from rlx_passes.lowerings.to_llvm.arithmetic import flags_of, fused_product
from rlx_passes.lowerings.to_llvm.code import Code, Number
from rlx_passes.lowerings.to_llvm.lowering import Lowering, Rule
from rlx_passes.lowerings.to_llvm.narrow import is_narrow
from rlx_passes.lowerings.to_llvm.types import element_of, held, is_vector, like, stored

_FLOAT_KINDS = {
    "add": "fadd",
    "mul": "fmul",
    "minnumf": "fmin",
    "maxnumf": "fmax",
    "minimumf": "fminimum",
    "maximumf": "fmaximum",
}
_JOIN = {"minnumf": "minnum", "maxnumf": "maxnum", "minimumf": "minimum", "maximumf": "maximum"}
_INTEGER_KINDS = {
    "add": "add",
    "mul": "mul",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "minsi": "smin",
    "maxsi": "smax",
    "minui": "umin",
    "maxui": "umax",
}
_INTEGER_OPS: dict[str, type[Operation]] = {
    "add": llvm.AddOp,
    "mul": llvm.MulOp,
    "and": llvm.AndOp,
    "or": llvm.OrOp,
    "xor": llvm.XOrOp,
}


def splat(code: Code, value: SSAValue, type_: VectorType[Any]) -> SSAValue:
    """A vector of `type_` whose elements are all `value`."""
    none = code.emit(llvm.UndefOp, (), type_)
    first = code.emit(llvm.InsertElementOp, (none, value, code.integer(0)), type_)
    mask = DenseArrayBase.from_list(i32, [0] * type_.get_shape()[0])
    return code.emit(llvm.ShuffleVectorOp, (first, none), type_, mask=mask)


def _counted(code: Code, type_: VectorType[Any]) -> SSAValue:
    """The vector 0, 1, 2, .."""
    return code.constant(DenseIntOrFPElementsAttr.from_list(type_, list(range(type_.get_shape()[0]))), type_)


def _load(low: Lowering, op: vector.LoadOp) -> None:
    view, type_ = low.view(op.base), op.result.type
    held(type_)
    address = view.address(low.code, low.numbers(op.indices))
    value = low.code.load(address, stored(type_), view.alignment)
    low.set(op.result, low.code.compare("ne", value, 0) if element_of(type_) == i1 else value)


def _store(low: Lowering, op: vector.StoreOp) -> None:
    view, value, type_ = low.view(op.base), low.ssa(op.vector), op.vector.type
    address = view.address(low.code, low.numbers(op.indices))
    if element_of(type_) == i1:
        value = low.code.unary(llvm.ZExtOp, value, stored(type_))
    low.code.store(value, address, view.alignment)


def _masked_load(low: Lowering, op: vector.MaskedLoadOp) -> None:
    view = low.view(op.base)
    address = view.address(low.code, low.numbers(op.indices))
    operands = (address, low.ssa(op.mask), low.ssa(op.pass_thru))
    low.set(op.result, low.code.intrinsic("masked.load", operands, held(op.result.type)))


def _masked_store(low: Lowering, op: vector.MaskedStoreOp) -> None:
    view = low.view(op.base)
    address = view.address(low.code, low.numbers(op.indices))
    low.code.intrinsic("masked.store", (low.ssa(op.value_to_store), address, low.ssa(op.mask)), None)


def _mask(low: Lowering, op: vector.CreateMaskOp) -> None:
    """The first elements, as many as the operand says."""
    code, type_ = low.code, cast("VectorType[Any]", op.mask_vector.type)
    held(type_)
    places = cast("VectorType[Any]", like(type_, i64))
    count = splat(code, low.ssa(op.mask_dim_sizes[0]), places)
    low.set(op.mask_vector, code.compare("slt", _counted(code, places), count))


def _broadcast(low: Lowering, op: vector.BroadcastOp) -> None:
    if is_vector(op.source.type):
        if op.source.type != op.vector.type:
            raise Refusal("makes a vector of a vector, where code takes one dim")
        return low.set(op.vector, low.of(op.source))
    type_ = cast("VectorType[Any]", held(op.vector.type))
    return low.set(op.vector, splat(low.code, low.ssa(op.source), type_))


def _position(static: DenseArrayBase[Any], dynamic: Sequence[SSAValue], low: Lowering) -> Number:
    places = static.get_values()
    if len(places) != 1:
        raise Refusal("has not one index, where code takes vectors with one dim")
    return low.number(dynamic[0]) if places[0] == DYNAMIC_INDEX else places[0]


def _extract(low: Lowering, op: vector.ExtractOp) -> None:
    place = low.code.ssa(_position(op.static_position, op.dynamic_position, low))
    low.set(op.result, low.code.emit(ExtractElementOp, (low.ssa(op.vector), place), held(op.result.type)))


def _insert(low: Lowering, op: vector.InsertOp) -> None:
    place = low.code.ssa(_position(op.static_position, op.dynamic_position, low))
    target = low.ssa(op.dest)
    low.set(op.result, low.code.emit(llvm.InsertElementOp, (target, low.ssa(op.source), place), target.type))


def _shuffle(low: Lowering, op: vector.ShuffleOp) -> None:
    mask = DenseArrayBase.from_list(i32, list(op.mask.get_values()))
    operands = (low.ssa(op.v1), low.ssa(op.v2))
    low.set(op.result, low.code.emit(llvm.ShuffleVectorOp, operands, held(op.result.type), mask=mask))


def _bitcast(low: Lowering, op: vector.BitcastOp) -> None:
    value, target = low.ssa(op.source), held(op.result.type)
    low.set(op.result, value if value.type == target else low.code.unary(llvm.BitcastOp, value, target))


def _reduction(low: Lowering, op: vector.ReductionOp) -> None:
    code, kind, flags = low.code, op.kind.data.value, flags_of(op)
    value, result = low.ssa(op.vector), op.dest
    start = None if op.acc is None else low.ssa(op.acc)
    if is_narrow(result.type):
        raise Refusal("computes in floats narrower than f32")
    scalar = held(result.type)
    if kind in _INTEGER_KINDS and not isinstance(scalar, AnyFloat):
        total = code.intrinsic(f"vector.reduce.{_INTEGER_KINDS[kind]}", (value,), scalar)
        if start is not None and kind in _INTEGER_OPS:
            total = code.binary(_INTEGER_OPS[kind], start, total)
        elif start is not None:
            total = code.intrinsic(_INTEGER_KINDS[kind], (start, total), scalar)
    elif kind in ("add", "mul"):
        first = start or code.floating(-0.0 if kind == "add" else 1.0, scalar)
        total = code.intrinsic(f"vector.reduce.{_FLOAT_KINDS[kind]}", (first, value), scalar, flags)
    elif kind in _JOIN:
        total = code.intrinsic(f"vector.reduce.{_FLOAT_KINDS[kind]}", (value,), scalar, flags)
        total = total if start is None else code.intrinsic(_JOIN[kind], (start, total), scalar, flags)
    else:
        raise Refusal(f"reduces {result.type} by '{kind}', which has no form in the llvm dialect")
    low.set(result, total)


RULES: dict[type[Operation], Rule] = {
    vector.LoadOp: _load,
    vector.StoreOp: _store,
    vector.MaskedLoadOp: _masked_load,
    vector.MaskedStoreOp: _masked_store,
    vector.CreateMaskOp: _mask,
    vector.BroadcastOp: _broadcast,
    vector.FMAOp: fused_product,
    vector.ExtractOp: _extract,
    vector.InsertOp: _insert,
    vector.ShuffleOp: _shuffle,
    vector.BitcastOp: _bitcast,
    vector.ReductionOp: _reduction,
}
