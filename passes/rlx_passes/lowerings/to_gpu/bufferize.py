"""From linalg on tensors to parallel loops over memrefs, by mlir-opt."""

from collections.abc import Iterator
from typing import cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, builtin, cf, complex, func, memref, scf, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    ModuleOp,
    TensorType,
    f32,
)
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.ir.affine import AffineMap

from rlx_dialect.constants import is_splat
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes.core.errors import Refusal
from rlx_passes.core.toolchain import mlir_opt
from rlx_passes.lowerings.to_linalg.scalars import is_complex

_TO_LOOPS = (
    "inline",
    # No CSE before bufferization: two users of one fill would each get a copy of it, though each could fill its own.
    "func.func(linalg-generalize-named-ops,linalg-fuse-elementwise-ops,canonicalize)",
    "eliminate-empty-tensors",
    "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map "
    "allow-return-allocs-from-loops}",
    "func.func(convert-linalg-to-parallel-loops,lower-affine)",
    "canonicalize,cse",
)
_FUSE = ("func.func(scf-parallel-loop-fusion)", "canonicalize,cse")
"""Neighbouring loops over one range become one kernel: a product with its start value and its epilogue, say."""


class Constants:
    """
    Tensor constants taken out of a module.

    They travel as extra arguments of their function, so that no tool prints or parses their bytes: `values[f]` are the
    constants of function `f`, in the order of its last arguments.
    """

    def __init__(self) -> None:
        self.values: dict[str, list[DenseIntOrFPElementsAttr]] = {}

    def copy(self) -> "Constants":
        """The same constants, of which others may then be more."""
        other = Constants()
        other.values = {name: list(values) for name, values in self.values.items()}
        return other

    @staticmethod
    def extract(module: ModuleOp) -> "Constants":
        """Take the tensor constants out of `module`, in place. One with equal elements becomes a fill."""
        found = Constants()
        for function in _functions(module):
            found._extract_from(function)
        return found

    def _extract_from(self, function: func.FuncOp) -> None:
        mine: list[DenseIntOrFPElementsAttr] = []
        for op in list(function.walk()):
            if not isinstance(op, arith.ConstantOp) or not isinstance(op.result.type, TensorType):
                continue
            type_ = cast("TensorType[Attribute]", op.result.type)  # pyright: ignore[reportUnknownMemberType]
            if not isinstance(op.value, DenseIntOrFPElementsAttr):
                raise Refusal(f"a constant of kind '{op.value.name}' cannot be compiled; write it as dense<...>")
            if is_splat(op.value) or 0 in type_.get_shape():
                _replace_by_fill(op, op.value, type_)
                continue
            argument = function.body.block.insert_arg(type_, len(function.body.block.args))
            op.result.replace_all_uses_with(argument)
            op.detach()
            op.erase()
            mine.append(op.value)
        self.values[function.sym_name.data] = mine
        function.update_function_type()
        given = list(function.arg_attrs.data) if function.arg_attrs else []
        given += [DictionaryAttr({})] * (len(function.body.block.args) - len(given))
        # Arguments are the caller's: bufferization must copy before it writes.
        read_only = {"bufferization.writable": BoolAttr.from_bool(False)}
        function.arg_attrs = builtin.ArrayAttr(DictionaryAttr({**one.data, **read_only}) for one in given)

    def extract_again(self, loops: ModuleOp) -> None:
        """Take those that mlir-opt made out of loops over memrefs, in place."""
        made: dict[str, DenseIntOrFPElementsAttr] = {}
        for op in list(loops.ops):
            if isinstance(op, memref.GlobalOp) and isinstance(op.initial_value, DenseIntOrFPElementsAttr):
                made[op.sym_name.data] = op.initial_value
                op.detach()
        for function in _functions(loops):
            for op in list(function.walk()):
                if isinstance(op, memref.GetGlobalOp) and (value := made.get(op.name_.string_value())) is not None:
                    argument = function.body.block.insert_arg(op.memref.type, len(function.body.block.args))
                    op.memref.replace_all_uses_with(argument)
                    op.detach()
                    self.values[function.sym_name.data].append(value)


def _replace_by_fill(op: arith.ConstantOp, value: DenseIntOrFPElementsAttr, type_: "TensorType[Attribute]") -> None:
    block = op.parent
    if block is None:
        return
    empty = tensor.EmptyOp([], type_)
    block.insert_ops_before([empty], op)
    filled = empty.tensor
    if value.data.data:
        scalar, fill = _complex_fill(value, empty) if is_complex(type_.element_type) else _fill(value, empty)
        block.insert_ops_before([scalar, fill], op)
        filled = fill.results[0]
    op.result.replace_all_uses_with(filled)
    op.detach()
    op.erase()


def _fill(value: DenseIntOrFPElementsAttr, empty: tensor.EmptyOp) -> tuple[Operation, Operation]:
    scalar = arith.ConstantOp(next(iter(value.iter_attrs())))
    return scalar, FillOp([scalar.result], [empty.tensor], [empty.tensor.type])


def _complex_fill(value: DenseIntOrFPElementsAttr, empty: tensor.EmptyOp) -> tuple[Operation, Operation]:
    """Written out, as xDSL's fill takes no complex numbers."""
    first, second = np.frombuffer(value.data.data, np.float32)[:2]
    scalar = complex.ConstantOp.from_floats((float(first), float(second)), f32)
    type_: TensorType[Attribute] = empty.tensor.type
    rank = len(type_.get_shape())
    body = Block([YieldOp(scalar.complex)], arg_types=[type_.element_type])
    whole = AffineMapAttr(AffineMap.identity(rank))
    parallel = [IteratorTypeAttr(IteratorType.PARALLEL)] * rank
    return scalar, GenericOp([], [empty.tensor], Region(body), [whole], parallel, [type_])


def _functions(module: ModuleOp) -> Iterator[func.FuncOp]:
    for op in list(module.ops):
        if isinstance(op, func.FuncOp) and op.body.blocks:
            yield op


def to_loops(text: str, *, fuse: bool) -> ModuleOp:
    """
    A module of loops over memrefs that does what `text`, linalg on tensors without tensor constants, does.

    With `fuse`, neighbouring parallel loops that may become one do.
    """
    return parse_generic(mlir_opt(text, ",".join((*_TO_LOOPS, *(_FUSE if fuse else ())))))


def parse_generic(text: str) -> ModuleOp:
    """The module that mlir-opt printed; ops that xDSL does not have stay unregistered."""
    context = Context(allow_unregistered=True)
    for dialect in (builtin.Builtin, arith.Arith, cf.Cf, complex.Complex, func.Func, memref.MemRef, scf.Scf):
        context.load_dialect(dialect)
    module = RlxParser(context, text).parse_module()
    for op in module.walk():
        if isinstance(op, arith.TruncIOp):
            op.properties.pop("overflowFlags", None)  # xDSL's op does not have it
    return module


def constant_bytes(value: DenseIntOrFPElementsAttr, stored: Attribute) -> bytes:
    """The elements of a constant as the bytes of a buffer of `stored` elements."""
    element = value.get_element_type()
    if element == builtin.i1:
        return (np.frombuffer(value.data.data, np.uint8) != 0).astype(np.int32).tobytes()
    if element == stored:
        return value.data.data
    return np.frombuffer(value.data.data, numpy_dtype(element)).astype(numpy_dtype(stored)).tobytes()
