"""The part that the two LLVM-based GPU targets share: kernels through mlir-opt to assembly text."""

import re
from importlib.resources import files
from typing import cast

from xdsl.dialects import gpu
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, MemRefType, ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import Rewriter

from rlx_passes.core.errors import CodegenError
from rlx_passes.core.printing import generic_text
from rlx_passes.core.toolchain import mlir_opt
from rlx_passes.lowerings.to_gpu.bufferize import parse_generic

LARGEST = 2**31 - 1
CLEAN = "canonicalize,cse"
"""Run on the kernels before any conversion: they are built with plain constants and repeated index arithmetic."""


def device_library(name: str) -> bytes:
    """The content of one of the package's device libraries."""
    return (files("rlx_passes.codegen") / "device_libs" / name).read_bytes()


def assembly(kernels: ModuleOp, pipeline: str) -> str:
    """
    The assembly text of the one `gpu.binary` that `pipeline` leaves of `kernels`.

    The pipeline ends in `gpu-module-to-binary{format=isa}`. Changes `kernels`.
    """
    for kernel in kernel_functions(kernels):
        _state_sizes(kernel)
    module = parse_generic(mlir_opt(generic_text(kernels), pipeline))
    objects = [attribute for op in module.walk() for attribute in _objects(op)]
    if len(objects) != 1:
        raise CodegenError(f"mlir-opt left {len(objects)} binaries of the kernels where one was expected")
    return objects[0]


def _state_sizes(kernel: gpu.FuncOp) -> None:
    """A pointer alone stands for buffers of known sizes only; how large one that a run makes is matters to no load."""
    for argument in kernel.body.block.args:
        type_ = argument.type
        if isinstance(type_, MemRefType) and DYNAMIC_INDEX in type_.get_shape():
            element = cast("MemRefType", type_).element_type
            Rewriter.replace_value_with_new_type(argument, MemRefType(element, [LARGEST]))
    kernel.properties["function_type"] = FunctionType.from_lists([each.type for each in kernel.body.block.args], [])


def kernel_functions(module: Operation) -> tuple[gpu.FuncOp, ...]:
    """The kernels of a module, in order."""
    return tuple(op for op in module.walk() if isinstance(op, gpu.FuncOp))


def _objects(op: Operation) -> list[str]:
    if not isinstance(op, UnregisteredOp) or op.op_name.data != "gpu.binary":
        return []
    return [_string_in(op.properties.get("objects") or op.attributes["objects"])]


def _string_in(attribute: Attribute) -> str:
    """The assembly inside a `#gpu.object`, which xDSL keeps as text; strings in it are escaped as MLIR does."""
    match = re.search(r'(?:assembly|bin|offload)\s*=\s*"((?:[^"\\]|\\.)*)"', str(attribute), re.S)
    if match is None:
        raise CodegenError("mlir-opt left a GPU binary without code")
    return re.sub(r"\\(?:([0-9A-Fa-f]{2})|(.))", _unescape, match[1]).rstrip("\0")


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else match[2]
