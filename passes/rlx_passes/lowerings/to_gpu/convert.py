"""The conversion: functions of loops over memrefs become host functions that only allocate, launch and return."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import cast

from xdsl.dialects import arith, func, gpu, memref, scf
from xdsl.dialects.builtin import (
    AnyDenseElement,
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from rlx_dialect.dtypes import dtype_of
from rlx_passes.core.errors import Refusal
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.to_gpu.bufferize import Constants, constant_bytes, to_loops
from rlx_passes.lowerings.to_gpu.holdable import check_holdable
from rlx_passes.lowerings.to_gpu.interchange import parallel_first
from rlx_passes.lowerings.to_gpu.kernel import Grid, KernelBuilder, flat_type
from rlx_passes.lowerings.to_gpu.storage import Kept, kept_types
from rlx_passes.lowerings.to_gpu.tile import choose_tile
from rlx_passes.lowerings.to_gpu.unshare import unshare_fills
from rlx_passes.lowerings.to_gpu.views import (
    View,
    base_view,
    element_count,
    is_view_op,
    memref_type,
    row_major,
    static_shape,
    view_of,
)
from rlx_passes.policy.fusion_target import Storage
from rlx_passes.rewriting.conversion import name_of

SCALAR = ("arith.", "math.")
"""Dialects with ops on scalars, computed by each thread that wants the value. xDSL does not know all are pure."""

KERNELS = "kernels"
"""Name of the one `gpu.module` that holds every kernel."""


def linalg_to_gpu(module: ModuleOp, storage: Storage) -> None:
    """
    Replace the functions of `module`, linalg on tensors, by host functions and a `gpu.module @kernels`, in place.

    A host function keeps name, argument and result attributes; its types are memrefs, of the element types that
    `storage` keeps (`rlx.dtype = "i1"` on an argument that is kept as another type). It holds `memref.alloc`,
    `memref.get_global` (constants), `memref.reinterpret_cast` (the same memory under another shape), `gpu.launch_func`
    and the return. Equal kernels exist once.

    Raises `Refusal` for sizes known only at run time and for control flow that a kernel cannot hold.
    """
    given = {op.sym_name.data: op.clone() for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks}
    for function in given.values():
        check_holdable(function)
    attributes = dict(module.attributes)
    constants = Constants.extract(module)
    parallel_first(module)
    unshare_fills(module)
    text = generic_text(module)
    new, most = _outline(to_loops(text, fuse=True), given, constants, kept_types(storage))
    if most > storage.max_buffers:
        new, _ = _outline(to_loops(text, fuse=False), given, constants, kept_types(storage))

    block = module.body.block
    for op in list(block.ops):
        op.detach()
        op.drop_all_references()
    block.add_ops(new)
    module.attributes.clear()
    module.attributes.update({**attributes, "gpu.container_module": UnitAttr()})


def _outline(
    loops: ModuleOp, given: Mapping[str, func.FuncOp], constants: Constants, storage: Kept
) -> tuple[list[Operation], int]:
    """The constants, host functions and kernels for a module of loops, and the most buffers that a kernel takes."""
    kernels = Kernels()
    functions: list[Operation] = []
    globals_: list[Operation] = []
    for op in list(loops.ops):
        if not isinstance(op, func.FuncOp) or op.sym_name.data not in given:
            raise Refusal(f"'{name_of(op)}' beside the functions cannot be compiled for GPUs")
        name = op.sym_name.data
        values = constants.values[name]
        names = [f"{name}_constant_{i}" for i in range(len(values))]
        globals_ += [_global(n, v, storage) for n, v in zip(names, values, strict=True)]
        functions.append(HostFunction(op, given[name], names, kernels, storage).build())
    new = [*globals_, *functions]
    if kernels.functions:
        new.append(gpu.ModuleOp(cast(SymbolRefAttr, StringAttr(KERNELS)), Region(Block(kernels.functions))))
    return new, max((len(kernel.function_type.inputs) for kernel in kernels.functions), default=0)


def _global(name: str, value: DenseIntOrFPElementsAttr, storage: Kept) -> memref.GlobalOp:
    shape = value.get_shape()
    given: Attribute = value.get_element_type()
    element = storage.get(given, given)
    type_ = MemRefType(element, shape)
    stored = DenseIntOrFPElementsAttr(
        cast("TensorType[AnyDenseElement]", TensorType(element, shape)), BytesAttr(constant_bytes(value, element))
    )
    return memref.GlobalOp.get(
        StringAttr(name), type_, stored, sym_visibility=StringAttr("private"), constant=UnitAttr()
    )


@dataclass
class Kernels:
    """The kernels of a module. Two with the same text are one, whichever functions launch them."""

    functions: list[gpu.FuncOp] = field(default_factory=list[gpu.FuncOp])
    _names: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, builder: KernelBuilder, grid: Grid) -> str:
        """The name of the kernel that `builder` holds, new or known."""
        kernel = builder.finish("kernel", grid)
        text = str(kernel)
        if text not in self._names:
            self._names[text] = f"kernel_{len(self._names)}"
            kernel.attributes["sym_name"] = StringAttr(self._names[text])
            self.functions.append(kernel)
        return self._names[text]


@dataclass(frozen=True)
class Launch:
    """One launch, before it becomes ops: `buffers` are base buffers in the order of the kernel's arguments."""

    kernel: str
    grid: Grid
    buffers: tuple[SSAValue, ...]
    reads: frozenset[SSAValue]
    writes: frozenset[SSAValue]


class HostFunction:
    """Turns one function of loops into its host function."""

    def __init__(
        self, loops: func.FuncOp, given: func.FuncOp, constants: Sequence[str], kernels: Kernels, storage: Kept
    ) -> None:
        self.loops, self.given, self.constants, self.kernels = loops, given, constants, kernels
        self.storage = storage
        self.views: dict[SSAValue, View] = {}
        self.launches: list[Launch] = []
        self.read_only: set[SSAValue] = set()
        self.aliases: dict[SSAValue, SSAValue] = {}
        self._serial: KernelBuilder | None = None

    def build(self) -> func.FuncOp:
        """The host function."""
        if len(self.loops.body.blocks) != 1:
            raise Refusal(f"@{self.loops.sym_name.data} has branches, which GPU launches cannot be planned for")
        block = self.loops.body.block
        for argument in block.args:
            self.views[argument] = base_view(argument)
            self.read_only.add(argument)
        returned: tuple[SSAValue, ...] = ()
        for op in list(block.ops):
            if isinstance(op, func.ReturnOp):
                returned = self._returned(op)
            else:
                self._visit(op)
        self._flush()
        return self._emit(returned, self._live(self.views[value].base for value in returned))

    def _visit(self, op: Operation) -> None:
        if isinstance(op, memref.AllocOp):
            self.views[op.memref] = base_view(op.memref)
        elif is_view_op(op):
            self.views[op.results[0]] = view_of(op, self._view(op.operands[0]))
        elif isinstance(op, memref.CopyOp):
            self._copy(self._view(op.source), self._view(op.destination))
        elif isinstance(op, scf.ParallelOp):
            self._parallel(op)
        elif isinstance(op, memref.LoadOp):
            self._scalar_load(op)
        elif isinstance(op, memref.StoreOp) or (op.regions and not op.results):
            self._serial_builder().copy(op)
        elif op.regions or not (is_side_effect_free(op) or name_of(op).startswith(SCALAR)):
            self._refuse(op)

    def _refuse(self, op: Operation) -> None:
        raise Refusal(f"'{name_of(op)}' in @{self.loops.sym_name.data} cannot become GPU launches")

    def _view(self, value: SSAValue) -> View:
        if value not in self.views:
            raise Refusal(f"@{self.loops.sym_name.data}: a buffer that is chosen at run time has no GPU launch plan")
        return self.views[value]

    # Kernels.

    def _serial_builder(self) -> KernelBuilder:
        """The kernel of one thread that collects the ops between parallel loops."""
        if self._serial is None:
            self._serial = KernelBuilder(self.views, self.storage)
        self._serial.views.update(self.views)
        return self._serial

    def _flush(self) -> None:
        if self._serial is not None:
            serial, self._serial = self._serial, None
            self._launch(serial, Grid(1))

    def _launch(self, builder: KernelBuilder, grid: Grid) -> None:
        name = self.kernels.add(builder, grid)
        self.launches.append(
            Launch(name, grid, tuple(builder.buffers), frozenset(builder.reads), frozenset(builder.writes))
        )

    def _parallel(self, op: scf.ParallelOp) -> None:
        self._flush()
        if op.initVals:
            raise Refusal("a parallel loop with a reduction cannot become a GPU launch")
        lows, highs, steps = (_constants(each) for each in (op.lowerBound, op.upperBound, op.step))
        shape = tuple(max(0, -(-(high - low) // step)) for low, high, step in zip(lows, highs, steps, strict=True))
        if 0 in shape:
            return
        tile = choose_tile(op, shape)
        inner = tuple(size // factor for size, factor in zip(shape, tile, strict=True))
        builder, grid = KernelBuilder(self.views, self.storage), Grid(element_count(inner))
        builder.add_lanes(element_count(tile))
        number = builder.thread_number(grid)
        builder.guarded(grid, number)
        at = builder.coordinates(number, inner)
        for lane, corner in zip(builder.lanes, product(*(range(factor) for factor in tile)), strict=True):
            # Neighbouring threads read neighbouring elements, so a thread's lanes lie a whole row of threads apart.
            for dim, argument in enumerate(op.body.block.args):
                start = lows[dim] + corner[dim] * inner[dim] * steps[dim]
                scaled = builder.times(at[dim], steps[dim])
                lane[argument] = scaled if start == 0 else builder.add(scaled, builder.index(start))
        builder.copy_for_lanes(list(op.body.block.ops)[:-1])
        self._launch(builder, grid)

    def _copy(self, source: View, target: View) -> None:
        self._flush()
        if source.size == 0:
            return
        builder, grid = KernelBuilder(self.views, self.storage), Grid(source.size)
        number = builder.thread_number(grid)
        builder.guarded(grid, number)
        at = builder.coordinates(number, source.shape)
        builder.store(builder.load(source, at), target, at)
        self._launch(builder, grid)

    def _scalar_load(self, op: memref.LoadOp) -> None:
        """A scalar read on the host: kernels that want it read it again, from memory that nothing writes later."""
        view = self._view(op.memref)
        if view.base in self.read_only:
            return
        self._flush()
        kept = memref.AllocOp.get(memref_type(view.base).element_type, shape=[])
        scalar = base_view(kept.memref)
        self.views[kept.memref] = scalar
        self.read_only.add(kept.memref)
        builder = KernelBuilder(self.views, self.storage)
        builder.store(builder.load(view, [builder.value(i) for i in op.indices]), scalar, [])
        self._launch(builder, Grid(1))
        again = memref.LoadOp.get(kept.memref, [])
        op.res.replace_all_uses_with(again.res)

    # The host function.

    def _returned(self, op: func.ReturnOp) -> tuple[SSAValue, ...]:
        """The values to return; a part or a permutation of a buffer is copied into a fresh one first."""
        self._flush()
        values: list[SSAValue] = []
        for value in op.arguments:
            view = self._view(value)
            if not view.is_whole(element_count(static_shape(view.base))):
                type_ = memref_type(value)
                fresh = memref.AllocOp.get(type_.element_type, shape=type_.get_shape()).memref
                self.views[fresh] = base_view(fresh)
                self._copy(view, self.views[fresh])
                value = fresh
            values.append(value)
        return tuple(values)

    def _live(self, returned: Iterable[SSAValue]) -> list[Launch]:
        """The launches that a returned buffer depends on."""
        wanted = set(returned)
        kept: list[Launch] = []
        for launch in reversed(self.launches):
            if launch.writes & wanted:
                kept.append(launch)
                wanted |= launch.reads
        return kept[::-1]

    def _emit(self, returned: Sequence[SSAValue], launches: Sequence[Launch]) -> func.FuncOp:
        inputs = self.loops.body.block.args[: len(self.given.body.block.args)]
        body = Block(arg_types=[_host_type(argument, self.storage) for argument in inputs])
        whole: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
        for argument, name in zip(self.loops.body.block.args[len(inputs) :], self.constants, strict=True):
            whole[argument] = _add(body, memref.GetGlobalOp(name, _host_type(argument, self.storage)))
        flat: dict[SSAValue, SSAValue] = {}
        numbers: dict[int, SSAValue] = {}

        def number(n: int) -> SSAValue:
            if n not in numbers:
                numbers[n] = _add(body, arith.ConstantOp(IntegerAttr(n, IndexType())))
            return numbers[n]

        def buffer(base: SSAValue) -> SSAValue:
            if base not in whole:
                whole[base] = _add(body, memref.AllocOp([], [], _host_type(base, self.storage)))
            return whole[base]

        def flattened(base: SSAValue) -> SSAValue:
            if base not in flat:
                flat[base] = _reshaped(body, buffer(base), flat_type(base, self.storage))
            return flat[base]

        for launch in launches:
            grid = [number(n) for n in (*launch.grid.blocks, 1)]
            block = [number(n) for n in (launch.grid.block, 1, 1)]
            operands = [flattened(base) for base in launch.buffers]
            kernel = SymbolRefAttr(KERNELS, ArrayAttr([StringAttr(launch.kernel)]))
            body.add_op(gpu.LaunchFuncOp(kernel, grid, block, kernelOperands=operands))
        results = [
            _reshaped(body, buffer(self.views[value].base), _host_type(value, self.storage)) for value in returned
        ]
        body.add_op(func.ReturnOp(*results))

        type_ = FunctionType.from_lists([each.type for each in body.args], [each.type for each in results])
        host = func.FuncOp(
            self.given.sym_name.data,
            type_,
            Region(body),
            self.given.sym_visibility,
            arg_attrs=_with_dtypes(self.given.arg_attrs, self.given.function_type.inputs.data, self.storage),
            res_attrs=_with_dtypes(self.given.res_attrs, self.given.function_type.outputs.data, self.storage),
        )
        host.attributes.update(self.given.attributes)
        return host


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


def _add(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def _host_type(value: SSAValue, storage: Kept) -> MemRefType:
    """The packed type of a buffer in the host function."""
    element = memref_type(value).element_type
    return MemRefType(storage.get(element, element), static_shape(value))


def _reshaped(block: Block, value: SSAValue, type_: MemRefType) -> SSAValue:
    """`value` as `type_`, the same memory."""
    if value.type == type_:
        return value
    shape = type_.get_shape()
    return _add(block, memref.ReinterpretCastOp.from_dynamic(value, [0], list(shape), list(row_major(shape)), type_))


def _constants(values: Sequence[SSAValue]) -> tuple[int, ...]:
    found: list[int] = []
    for value in values:
        owner = value.owner
        if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
            raise Refusal("a loop whose bounds are only known at run time cannot become a GPU launch")
        found.append(owner.value.value.data)
    return tuple(found)
