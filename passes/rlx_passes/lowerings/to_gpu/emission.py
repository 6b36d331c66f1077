"""The ops of a host function, for the steps that it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from xdsl.dialects import arith, func, gpu, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnrealizedConversionCastOp,
    i32,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from rlx_dialect.dims import Size
from rlx_dialect.dtypes import dtype_of
from rlx_passes.lowerings.to_gpu.complexes import buffer_of_parts
from rlx_passes.lowerings.to_gpu.kernel import flat_type
from rlx_passes.lowerings.to_gpu.kernels import KERNELS
from rlx_passes.lowerings.to_gpu.sizes import HostBuilder
from rlx_passes.lowerings.to_gpu.steps import Branch, Check, Launch, Let, Loop, Read, Scope, Step
from rlx_passes.lowerings.to_gpu.storage import Kept
from rlx_passes.lowerings.to_gpu.views import View, memref_type, row_major


class HostText:
    """Writes the host function for `loops`, made from `given`; `views` says the sizes of buffers."""

    def __init__(
        self,
        loops: func.FuncOp,
        given: func.FuncOp,
        constants: Sequence[str],
        views: Mapping[SSAValue, View],
        storage: Kept,
    ) -> None:
        self.given, self.views, self.storage = given, views, storage
        sources = given.body.block.args
        inputs = loops.body.block.args[: len(sources)]
        self.body = Block(arg_types=[self._type(argument) for argument in inputs])
        self.whole: dict[SSAValue, SSAValue] = dict(zip(inputs, self.body.args, strict=True))
        self.flat: dict[SSAValue, SSAValue] = {}
        self.top = HostBuilder(self.body, dict(zip(sources, self.body.args, strict=True)))
        self.homes: Mapping[SSAValue, Scope] = {}
        self.scope: Scope = ()
        self.builders: dict[Scope, HostBuilder] = {(): self.top}
        for argument, name in zip(loops.body.block.args[len(inputs) :], constants, strict=True):
            self.whole[argument] = self.top(memref.GetGlobalOp(name, self._type(argument)))

    def function(self, steps: Iterable[Step], returned: Sequence[View], homes: Mapping[SSAValue, Scope]) -> func.FuncOp:
        """The host function that does `steps` and returns those of `returned`; `homes` are where buffers are made."""
        self.homes = {**homes, **{view.base: () for view in returned}}
        self._fill(self.top, steps)
        results: list[SSAValue] = []
        for view, type_ in zip(returned, self.given.function_type.outputs, strict=True):
            element = memref_type(buffer := self._buffer(view.base)).element_type
            declared = MemRefType(element, cast("TensorType[Attribute]", type_).get_shape())
            results.append(_reshaped(self.top, buffer, view.shape, declared))
        self.body.add_op(func.ReturnOp(*results))
        type_ = FunctionType.from_lists([each.type for each in self.body.args], [each.type for each in results])
        host = func.FuncOp(
            self.given.sym_name.data,
            type_,
            Region(self.body),
            self.given.sym_visibility,
            arg_attrs=_with_dtypes(self.given.arg_attrs, self.given.function_type.inputs.data, self.storage),
            res_attrs=_with_dtypes(self.given.res_attrs, self.given.function_type.outputs.data, self.storage),
        )
        host.attributes.update(self.given.attributes)
        return host

    # Buffers, made in the innermost loop around all that touches them, if they were so before.

    def _home(self, base: SSAValue) -> HostBuilder:
        return self.builders[self.homes.get(base, ())]

    def _type(self, value: SSAValue) -> MemRefType:
        """The packed type of a buffer in the host function."""
        element = memref_type(value).element_type
        return MemRefType(self.storage.get(element, element), memref_type(value).get_shape())

    def _buffer(self, base: SSAValue) -> SSAValue:
        if base not in self.whole:
            type_ = self._type(base)
            shape = zip(self.views[base].shape, type_.get_shape(), strict=True)
            home = self._home(base)
            sizes = [home.size(size) for size, n in shape if n == DYNAMIC_INDEX]
            self.whole[base] = home(memref.AllocOp(sizes, [], type_))
        return self.whole[base]

    def _flattened(self, base: SSAValue) -> SSAValue:
        if base not in self.flat:
            type_ = flat_type(base, self.storage)
            count = self.views[base].size
            home = self._home(base)
            flat = _reshaped(home, self._buffer(base), [1 if count == 0 else count], type_)
            parts = buffer_of_parts(type_)
            self.flat[base] = flat if parts == type_ else home(UnrealizedConversionCastOp.get([flat], [parts]))
        return self.flat[base]

    # Steps.

    def _fill(self, b: HostBuilder, steps: Iterable[Step]) -> None:
        for step in steps:
            match step:
                case Launch():
                    self._launch(b, step)
                case Check():
                    b.check(step.relation, step.message)
                case Branch():
                    truth = self._truth(b, step.condition)
                    then, otherwise = (Region(self._block(b, each)) for each in (step.then, step.otherwise))
                    b.block.add_op(scf.IfOp(truth, (), then, otherwise))
                case Read():
                    element = b(memref.LoadOp.get(self._flattened(step.buffer), [b.size(0)]))
                    b.numbers[step.name] = b(arith.IndexCastOp(element, IndexType()))
                case Let():
                    self._let(b, step)
                case Loop():
                    self._loop(b, step)

    def _launch(self, b: HostBuilder, step: Launch) -> None:
        grid = [b.size(n) for n in (*step.grid.blocks, 1)]
        block = [b.size(n) for n in (step.grid.block, 1, 1)]
        operands = [self._flattened(base) for base in step.buffers] + [b.size(size) for size in step.sizes]
        kernel = SymbolRefAttr(KERNELS, ArrayAttr([StringAttr(step.kernel)]))
        b.block.add_op(gpu.LaunchFuncOp(kernel, grid, block, kernelOperands=operands))

    def _let(self, b: HostBuilder, step: Let) -> None:
        size = b.size(step.size)
        if step.name not in b.variables:
            variable = memref.AllocaOp.get(IndexType(), shape=[])
            self.body.insert_op_before(variable, first) if (first := self.body.first_op) else self.top(variable)
            b.variables[step.name] = variable.memref
        b(memref.StoreOp.get(size, b.variables[step.name], []))

    def _truth(self, b: HostBuilder, condition: SSAValue) -> SSAValue:
        """What is read back from a buffer of one element."""
        zero = b(arith.ConstantOp(IntegerAttr(0, i32)))
        return b(arith.CmpiOp(b(memref.LoadOp.get(self._flattened(condition), [b.size(0)])), zero, "ne"))

    def _block(self, b: HostBuilder, steps: Iterable[Step]) -> Block:
        inner = b.inside(Block(), {})
        self._fill(inner, steps)
        inner.block.add_op(scf.YieldOp())
        return inner.block

    def _loop(self, b: HostBuilder, step: Loop) -> None:
        body = Block(arg_types=[IndexType()])
        inside = b.inside(body, {step.name: body.args[0]})
        outer, self.scope = self.scope, (*self.scope, step.name)
        self.builders[self.scope] = inside
        self._fill(inside, step.body)
        self.scope = outer
        if step.rounds is not None:
            body.add_op(scf.YieldOp())
            b.block.add_op(scf.ForOp(b.size(0), b.size(step.rounds), b.size(1), (), body))
            return
        body.add_op(scf.YieldOp(inside(arith.AddiOp(body.args[0], inside.size(1)))))
        first = Block(arg_types=[IndexType()])
        before = b.inside(first, {step.name: first.args[0]})
        self._fill(before, step.before)
        assert step.condition is not None, "a loop without a number of rounds"
        first.add_op(scf.ConditionOp(self._truth(before, step.condition), first.args[0]))
        b.block.add_op(scf.WhileOp([b.size(0)], [IndexType()], Region(first), Region(body)))


def _reshaped(b: HostBuilder, value: SSAValue, shape: Sequence[Size], type_: MemRefType) -> SSAValue:
    """`value` of `shape` as `type_`, the same memory."""
    if value.type == type_:
        return value
    types = type_.get_shape()
    sizes = [b.size(size) if n == DYNAMIC_INDEX else n for size, n in zip(shape, types, strict=True)]
    strides = [
        step if isinstance(step, int) and DYNAMIC_INDEX not in types[axis + 1 :] else b.size(step)
        for axis, step in enumerate(row_major(shape))
    ]
    return b(memref.ReinterpretCastOp.from_dynamic(value, [0], sizes, strides, type_))


def _with_dtypes(
    given: ArrayAttr[DictionaryAttr] | None, types: Sequence[Attribute], storage: Kept
) -> ArrayAttr[DictionaryAttr]:
    """The attributes of arguments or results; an element type that is kept as another one is named."""
    dicts = list(given.data) if given else [DictionaryAttr({}) for _ in types]
    for i, type_ in enumerate(types):
        element = cast("TensorType[Attribute]", type_).element_type if isinstance(type_, TensorType) else None
        if element is not None and element in storage:
            dicts[i] = DictionaryAttr({"rlx.dtype": StringAttr(dtype_of(element).name), **dicts[i].data})
    return ArrayAttr(dicts)
