"""What object code is made of: vectors where loops allow them, calls of the C library alone, and chips by name."""

import re
import sys

import pytest
from native import RUNTIME, llvm_module
from test_native_arithmetic import cast_loop, float_loop
from test_native_memory import PROGRAM
from tools import need_module, need_program
from xdsl.parser import Parser

from rlx_passes.codegen.llvm_ir import llvm_ir
from rlx_passes.codegen.llvm_object import assembly, converts_half, machine_of, object_code, optimized_ir
from rlx_passes.core.errors import CodegenError, ToolMissing
from rlx_passes.core.toolchain import MLIR_TRANSLATE, run
from rlx_passes.registry.context import fresh_context

PARALLEL = '"scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({\n  ^bb0(%i: index):'
END = "scf.reduce\n  }) : (index, index, index) -> ()"

KERNELS = f"""
func.func @sums(%x: memref<?x512xf32>, %y: memref<?xbf16>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %n = memref.dim %x, %c0 : memref<?x512xf32>
  {PARALLEL}
    %zero = arith.constant 0.0 : f32
    %s = scf.for %j = %c0 to %c512 step %c1 iter_args(%acc = %zero) -> (f32) {{
      %a = memref.load %x[%i, %j] : memref<?x512xf32>
      %t = arith.addf %acc, %a fastmath<reassoc> : f32
      scf.yield %t : f32
    }}
    %b = arith.truncf %s : f32 to bf16
    memref.store %b, %y[%i] : memref<?xbf16>
  {END}
  func.return
}}
func.func @maps(%x: memref<?x512xf32>, %w: memref<512xf16>, %y: memref<?x512xbf16>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %n = memref.dim %x, %c0 : memref<?x512xf32>
  {PARALLEL}
    scf.for %j = %c0 to %c512 step %c1 {{
      %a = memref.load %x[%i, %j] : memref<?x512xf32>
      %b = memref.load %w[%j] : memref<512xf16>
      %c = arith.extf %b : f16 to f32
      %d = arith.maximumf %a, %c : f32
      %e = arith.fptosi %d : f32 to i32
      %f = arith.sitofp %e : i32 to f32
      %g = arith.truncf %f : f32 to bf16
      memref.store %g, %y[%i, %j] : memref<?x512xbf16>
    }}
  {END}
  func.return
}}
"""

LIBRARY = {"memcpy", "memset", "memmove", "fma", "fmaf"}
ROUNDING = {f"{name}{end}" for name in ("floor", "ceil", "rint", "trunc") for end in ("", "f")}
"""What chips before SSE 4.1 have no instructions for."""


def test_loops_use_vectors_without_looking_at_pointers_first():
    need_module("llvmlite")
    text = llvm_ir(llvm_module(KERNELS))
    code = optimized_ir(text, "x86-64-v3")
    kernels = ("sums_kernel_0.body", "maps_kernel_1.body")
    sums, maps = (code[code.index(f"void @{kernel}(i64") :].partition("\n}")[0] for kernel in kernels)
    assert "fadd reassoc <8 x float>" in sums
    assert all(part in maps for part in ("fpext <8 x half>", "@llvm.maximum.v8f32", "freeze <8 x i32>"))
    assert "memcheck" not in code
    assert "<16 x float>" not in optimized_ir(text, "x86-64-v4")


@pytest.mark.parametrize("chip", ["x86-64-v2", "generic", "aarch64-unknown-linux-gnu:neoverse-n1"])
def test_object_code_calls_the_c_library_alone(chip: str):
    """The helpers of compilers for floats that a chip lacks, whose names begin with underscores, are not there."""
    need_module("llvmlite")
    half = converts_half(chip)
    assert half == chip.startswith("aarch64")
    narrow = [cast_loop(a, b) for a, b in (("f16", "f32"), ("f64", "bf16"), ("f16", "i64"), ("i32", "f16"))]
    text = llvm_ir(llvm_module("".join([KERNELS, float_loop("bf16"), float_loop("f64"), *narrow]), half=half))
    code = assembly(text, chip, RUNTIME)
    called = set(re.findall(r"\s(?:callq|jmp|bl|b)\s+([a-z_]\w*)(?:@PLT)?\s", code))
    ours = {"aligned_alloc", "free", "rlx_alloc", "rlx_free", "rlx_parallel"}
    own = set(re.findall(r"^\"?([\w.]+)\"?:", code, re.M))
    assert called - own - ours <= LIBRARY | ROUNDING
    assert (called & ROUNDING == set()) == (chip != "generic")


def test_what_the_pass_prints_reads_back():
    for text in (KERNELS, float_loop("f16")):
        module = llvm_module(text)
        assert llvm_ir(Parser(fresh_context(), str(module)).parse_module()) == llvm_ir(module)


def test_mlir_takes_the_ops_for_its_own():
    need_program(*MLIR_TRANSLATE.programs)
    for text in (KERNELS, float_loop("bf16"), PROGRAM.read_text()):
        translated = run(MLIR_TRANSLATE, ["--mlir-to-llvmir"], str(llvm_module(text)).encode())
        assert b"define" in translated


def test_equal_text_is_compiled_once():
    need_module("llvmlite")
    text = llvm_ir(llvm_module(cast_loop("i8", "i16")))
    assert object_code(text, "host") is object_code(text, "host")
    assert object_code(text, "generic") is not object_code(text, "host")


def test_chips():
    need_module("llvmlite")
    assert machine_of("host").cpu
    assert machine_of("haswell").cpu == "haswell"
    assert machine_of("aarch64-unknown-linux-gnu") == ("aarch64-unknown-linux-gnu", "generic", "")
    for chip in ("haswel", "x; y", "riscv64-unknown-linux-gnu:nothing"):
        with pytest.raises(
            CodegenError, match=f"^'{chip}' is no name of a CPU; say 'host', 'portable', 'generic', or one"
        ):
            machine_of(chip)


def test_what_llvm_cannot_read_is_said_in_one_line():
    need_module("llvmlite")
    with pytest.raises(CodegenError, match=r"^LLVM cannot read this module: .*expected top-level entity") as error:
        object_code("nonsense", "host")
    assert "\n" not in str(error.value)


def test_without_llvmlite(monkeypatch: pytest.MonkeyPatch):
    from rlx_passes.codegen import llvm_object

    llvm_object._binding.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    with pytest.raises(ToolMissing, match=r"^the Python package 'llvmlite' is needed for target cpu: pip install"):
        object_code("; never compiled", "host")
