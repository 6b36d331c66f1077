"""Kernels to one SPIR-V module with an entry point each: what wgpu runs, and what Metal source is made from."""

import math as reals
import struct
from collections.abc import Sequence
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, builtin, gpu, math, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue, Use
from xdsl.parser import Parser

from rlx_passes.codegen.gpu_binary import CLEAN
from rlx_passes.core.errors import CodegenError
from rlx_passes.core.printing import generic_text
from rlx_passes.core.toolchain import MLIR_TRANSLATE, checked, mlir_opt, run

_CAPABILITIES = {"i64": "Int64", "f64": "Float64"}
_MAGIC = b"\x03\x02\x23\x07"


def spirv_module(module: ModuleOp) -> bytes:
    """
    The SPIR-V binary of the kernels of `module`, which holds one `gpu.module`; changes `module`.

    Buffers are storage buffers of set 0, bound in the order of the kernel's arguments; its sizes are i32 in one more.
    """
    types: set[str] = set()
    for op in module.walk():
        if isinstance(op, gpu.FuncOp):
            _set_workgroup_size(op)
            _pack_sizes(op)
            _keep_starts(op)
            _hide_floats(op)
        if op.name.startswith("math.") and op.results[0].type == f64:
            raise CodegenError(f"{op.name} on f64 has no form in SPIR-V: cast to f32 before it")
        types |= {str(result.type) for result in op.results}
    capabilities = ",".join(["Shader", *(name for type_, name in _CAPABILITIES.items() if type_ in types)])
    lowered = mlir_opt(
        generic_text(module),
        f"{CLEAN},spirv-attach-target{{ver=v1.3 caps={capabilities} exts=SPV_KHR_storage_buffer_storage_class}},"
        "map-memref-spirv-storage-class{client-api=vulkan},gpu.module(convert-math-to-spirv),"
        "convert-gpu-to-spirv{use-64bit-index=false},spirv.module(spirv-lower-abi-attrs,spirv-update-vce)",
    )
    code = run(MLIR_TRANSLATE, ("--no-implicit-module", "--serialize-spirv"), _spirv_op(lowered).encode())
    return checked(MLIR_TRANSLATE, code, _MAGIC)


def _spirv_op(text: str) -> str:
    """
    The one `spirv.module` inside the module that mlir-opt printed, which keeps the `gpu.module` beside it.

    Cut out by the printer's indentation: parsing half a megabyte to print it again would take most of the compile time.
    """
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith('  "spirv.module"(')]
    if len(starts) != 1:
        raise CodegenError(f"mlir-opt left {len(starts)} SPIR-V modules of the kernels where one was expected")
    end = next(i for i in range(starts[0], len(lines)) if lines[i].startswith("  })"))
    return "\n".join(lines[starts[0] : end + 1])


def _set_workgroup_size(kernel: gpu.FuncOp) -> None:
    size = kernel.attributes["known_block_size"]
    if not isinstance(size, DenseArrayBase):
        raise CodegenError("a kernel without a known block size cannot become SPIR-V")
    sizes = ", ".join(str(each) for each in size.get_values())
    kernel.attributes["spirv.entry_point_abi"] = _attribute(f"#spirv.entry_point_abi<workgroup_size = [{sizes}]>")


def _pack_sizes(kernel: gpu.FuncOp) -> None:
    """A shader has no arguments but buffers: one holds the sizes."""
    block = kernel.body.block
    sizes = [argument for argument in block.args if argument.type == IndexType()]
    if not sizes:
        return
    packed = block.insert_arg(MemRefType(i32, [len(sizes)]), len(block.args))
    ops: list[Operation] = []
    for i, size in enumerate(sizes):
        at = arith.ConstantOp(IntegerAttr(i, IndexType()))
        read = memref.LoadOp.get(packed, [at.result])
        ops += [at, read, arith.IndexCastOp(read.res, IndexType())]
        size.replace_all_uses_with(ops[-1].results[0])
        block.erase_arg(size)
    block.insert_ops_before(ops, next(iter(block.ops)))
    kernel.properties["function_type"] = FunctionType.from_lists([each.type for each in block.args], [])


def _keep_starts(kernel: gpu.FuncOp) -> None:
    """What a loop without a round gives is what it starts from: MLIR leaves it open in SPIR-V."""
    for loop in list(kernel.walk()):
        if not isinstance(loop, scf.ForOp) or not loop.results or loop.parent is None:
            continue
        if all(isinstance(bound.owner, arith.ConstantOp) for bound in (loop.lb, loop.ub)):
            continue
        runs = arith.CmpiOp(loop.lb, loop.ub, "slt")
        chosen = [arith.SelectOp(runs, end, start) for end, start in zip(loop.results, loop.iter_args, strict=True)]
        for end, choice in zip(loop.results, chosen, strict=True):
            end.replace_uses_with_if(choice.result, lambda use, own=choice: use.operation is not own)
        loop.parent.insert_ops_after([runs, *chosen], loop)


def _attribute(text: str) -> Attribute:
    context = Context(allow_unregistered=True)
    context.load_dialect(builtin.Builtin)
    return Parser(context, text).parse_attribute()


def _hide_floats(kernel: gpu.FuncOp) -> None:
    """
    Add a zero that no compiler knows to be one, the block number in z, to the bits of floats about which compilers may
    know too much.

    Those are infinities and NaNs, which naga refuses, and sums added to again: compilers simplify them.
    """
    ops = list(kernel.walk())
    z = gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum.Z))
    for op in ops:
        if isinstance(op, arith.ConstantOp) and (special := _special_bits(op.value)) is not None:
            constant = arith.ConstantOp(IntegerAttr(*special))
            op.results[0].replace_all_uses_with(
                _hidden(constant.result, op.result.type, z, after=op, before=(constant,))
            )
            op.detach()
            op.erase()
        elif isinstance(op, SUMS) and op.results[0].type in (f32, f64):
            again = [use for use in op.results[0].uses if _is_added(use)]
            if again:
                bits = arith.BitcastOp(op.results[0], i64 if op.results[0].type == f64 else i32)
                value = _hidden(bits.result, op.results[0].type, z, after=op, before=(bits,))
                for use in again:
                    use.operation.operands[use.index] = value
    first = kernel.body.block.first_op
    if z.result.uses and first is not None:
        kernel.body.block.insert_op_before(z, first)


SUMS = arith.AddfOp | arith.SubfOp | math.FmaOp


def _is_added(use: Use) -> bool:
    """Whether a value is a term of a sum, and no factor."""
    return isinstance(use.operation, SUMS) and (use.index == 2 or not isinstance(use.operation, math.FmaOp))


def _hidden(
    bits: SSAValue, type_: Attribute, z: gpu.BlockIdOp, *, after: Operation, before: Sequence[Operation]
) -> SSAValue:
    """The float of these bits, made by `before` and more ops after `after`."""
    zero = arith.IndexCastOp(z.result, bits.type)
    total = arith.AddiOp(zero.result, bits)
    value = arith.BitcastOp(total.result, type_)
    if after.parent is not None:
        after.parent.insert_ops_after([*before, zero, total, value], after)
    return value.result


def _special_bits(value: Attribute) -> tuple[int, IntegerType] | None:
    """The bits of a float attribute that is no finite number, as an integer of the same width; else None."""
    if not isinstance(value, FloatAttr) or reals.isfinite(value.value.data):
        return None
    type_ = cast("FloatAttr[AnyFloat]", value).type
    if type_.bitwidth == 32:
        return struct.unpack("<i", struct.pack("<f", value.value.data))[0], i32
    if type_.bitwidth == 64:
        return struct.unpack("<q", struct.pack("<d", value.value.data))[0], i64
    return None
