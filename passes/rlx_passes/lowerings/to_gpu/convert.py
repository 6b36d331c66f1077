"""The conversion: functions of loops over memrefs become host functions that only allocate, launch and return."""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import func, gpu, memref
from xdsl.dialects.builtin import (
    AnyDenseElement,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region

from rlx_passes.core.errors import Refusal
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.to_gpu.bufferize import Constants, constant_bytes, to_loops
from rlx_passes.lowerings.to_gpu.holdable import check_holdable
from rlx_passes.lowerings.to_gpu.host import Carried, HostFunction
from rlx_passes.lowerings.to_gpu.interchange import parallel_first
from rlx_passes.lowerings.to_gpu.kernels import KERNELS, Kernels
from rlx_passes.lowerings.to_gpu.storage import Kept, kept_types
from rlx_passes.lowerings.to_gpu.unshare import unshare_fills
from rlx_passes.policy.fusion_target import Storage
from rlx_passes.rewriting.conversion import name_of


def linalg_to_gpu(module: ModuleOp, storage: Storage) -> None:
    """
    Replace the functions of `module`, linalg on tensors, by host functions and a `gpu.module @kernels`, in place.

    A host function keeps name, argument and result attributes; its types are memrefs, of the element types that
    `storage` keeps (`rlx.dtype = "i1"` on an argument that is kept as another type). It holds `memref.alloc`,
    `memref.get_global` (constants), `memref.reinterpret_cast` (the same memory under another shape), `gpu.launch_func`
    and the return. Equal kernels exist once.

    Sizes known only at run time are index arithmetic on `memref.dim` of arguments, and index arguments of kernels after
    their buffers; `cf.assert` checks what they have to be. `scf.if`, `scf.for` and `scf.while` without tensors among
    their results stand around launches; conditions are read back from buffers of one element.

    Raises `Refusal` for sizes that elements of tensors decide.
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
    constants = constants.copy()
    constants.extract_again(loops)
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
        functions.append(_host_function(op, given[name], names, kernels, storage))
    new = [*globals_, *functions]
    if kernels.functions:
        new.append(gpu.ModuleOp(cast(SymbolRefAttr, StringAttr(KERNELS)), Region(Block(kernels.functions))))
    return new, kernels.most_buffers


def _host_function(
    loops: func.FuncOp, given: func.FuncOp, constants: Sequence[str], kernels: Kernels, storage: Kept
) -> func.FuncOp:
    """Written again once it shows which sizes change from round to round."""
    growing: frozenset[Carried] = frozenset()
    while True:
        mark = kernels.mark()
        host = HostFunction(loops.clone(), given, constants, kernels, storage, growing)
        built = host.build()
        if host.found <= growing:
            return built
        growing |= host.found
        kernels.forget(mark)


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
