"""Loops over memrefs compiled to object code and called on arrays, with a runtime of one thread."""

import ctypes
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from rlx_passes.codegen.llvm_ir import llvm_ir
from rlx_passes.codegen.llvm_object import object_code
from rlx_passes.lowerings.to_llvm.convert import ASSERTIONS, RlxConvertToLlvmPass
from rlx_passes.registry.context import fresh_context
from rlx_passes.runtime.objects import Code

RUNTIME = """
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
define noalias ptr @rlx_alloc(i64 %bytes) {
  %more = add i64 %bytes, 64
  %whole = and i64 %more, -64
  %pointer = call ptr @aligned_alloc(i64 64, i64 %whole)
  ret ptr %pointer
}
define void @rlx_free(ptr %pointer) {
  call void @free(ptr %pointer)
  ret void
}
define void @rlx_parallel(ptr %kernel, ptr %env, i64 %count, i64 %grain) {
  %half = sdiv i64 %count, 2
  call void %kernel(ptr %env, i64 %half, i64 %count)
  call void %kernel(ptr %env, i64 0, i64 %half)
  ret void
}
"""
"""The later rounds run first, so that a test sees rounds that wait for each other."""

COUNTING = (
    RUNTIME[: RUNTIME.index("define noalias")]
    + """
@live = global i64 0
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i64 @rlx_live() {
  %count = load i64, ptr @live
  ret i64 %count
}
define noalias ptr @rlx_alloc(i64 %bytes) {
  %more = add i64 %bytes, 128
  %whole = and i64 %more, -64
  %pointer = call ptr @aligned_alloc(i64 64, i64 %whole)
  call void @llvm.memset.p0.i64(ptr %pointer, i8 85, i64 %whole, i1 false)
  store i64 %bytes, ptr %pointer
  %old = load i64, ptr @live
  %new = add i64 %old, 1
  store i64 %new, ptr @live
  %given = getelementptr i8, ptr %pointer, i64 64
  ret ptr %given
}
define void @rlx_free(ptr %given) {
  %pointer = getelementptr i8, ptr %given, i64 -64
  %bytes = load volatile i64, ptr %pointer
  call void @llvm.memset.p0.i64(ptr %given, i8 119, i64 %bytes, i1 true)
  %old = load i64, ptr @live
  %new = sub i64 %old, 1
  store i64 %new, ptr @live
  call void @free(ptr %pointer)
  ret void
}
"""
    + RUNTIME[RUNTIME.index("define void @rlx_parallel") :]
)
"""The same that counts, and makes what is read too early or too late a wrong number."""


def llvm_module(program: str | ModuleOp, *, half: bool = True, fma: bool = True) -> ModuleOp:
    """The module of the llvm dialect that the loops of a program become, verified."""
    context = fresh_context()
    module = Parser(context, program).parse_module() if isinstance(program, str) else program.clone()
    module.verify()
    RlxConvertToLlvmPass(half, fma).apply(context, module)
    module.verify()
    return module


class Native:
    """The functions of a program of loops as native code."""

    def __init__(
        self,
        program: str | ModuleOp,
        chip: str = "host",
        *,
        half: bool = True,
        fma: bool = True,
        runtime: str = RUNTIME,
    ):
        source = Parser(fresh_context(), program).parse_module() if isinstance(program, str) else program
        self._types = {op.sym_name.data: op.function_type for op in source.ops if isinstance(op, FuncOp)}
        module = llvm_module(source, half=half, fma=fma)
        texts = cast("ArrayAttr[StringAttr]", module.attributes.get(ASSERTIONS, ArrayAttr([])))
        self.messages = [each.data for each in texts]
        self.ir = llvm_ir(module)
        self._code = Code(object_code(self.ir, chip, runtime), "the code of a test", {})

    def __call__(self, name: str, *arrays: "np.ndarray[Any, Any]") -> "tuple[int, list[np.ndarray[Any, Any]]]":
        """What the function returns, and copies of the memrefs of f32 that it returns; the arrays are its arguments."""
        types, words = self._types[name], list[int]()
        for array, type_ in zip(arrays, types.inputs.data, strict=True):
            assert array.flags.c_contiguous
            words += [array.ctypes.data, *_open(type_, array.shape)]
        results: list[tuple[int, Any]] = []
        for type_ in types.outputs.data:
            results.append((len(words), type_))
            words += [0, *_open(type_, (0,) * type_.get_num_dims())]  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue, reportUnknownArgumentType]
        block = (ctypes.c_int64 * max(len(words), 1))(*words)
        address = self._code.address(name)
        status = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(address)(ctypes.addressof(block))
        return status, [self._taken(block, *result) for result in results] if status == 0 else []

    def live(self) -> int:
        """How many memories have been made and not freed, by the counting runtime."""
        return ctypes.CFUNCTYPE(ctypes.c_int64)(self._code.address("rlx_live"))()

    def _taken(self, block: Any, place: int, type_: "MemRefType[Any]") -> "np.ndarray[Any, Any]":
        sizes = iter(block[place + 1 :])
        shape = [next(sizes) if size == DYNAMIC_INDEX else size for size in type_.get_shape()]
        memory = (ctypes.c_float * int(np.prod(shape))).from_address(block[place])
        array = np.ctypeslib.as_array(memory).reshape(shape).copy()
        free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._code.address("rlx_free"))
        free(block[place])
        return array


def _open(type_: Any, shape: Sequence[int]) -> list[int]:
    """The sizes of `shape` that a memref type leaves open."""
    return [size for size, declared in zip(shape, type_.get_shape(), strict=True) if declared == DYNAMIC_INDEX]
