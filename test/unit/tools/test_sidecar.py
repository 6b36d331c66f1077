"""`--sidecar=FILE`: large constants in a file that the text refers to."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from tools import need_program
from xdsl.context import Context
from xdsl.dialects.arith import Arith, ConstantOp
from xdsl.dialects.builtin import (
    Builtin,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    IndexType,
    IntegerType,
    ModuleOp,
    Signedness,
    TensorType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from rlx_dialect.constants import array_of
from rlx_passes.core.sidecar import SMALLEST, Sidecar
from rlx_passes.tools.rlx_import import main as import_main
from rlx_passes.tools.rlx_opt import main
from rlx_passes.weights.reading import read_params

Capture = pytest.CaptureFixture[str]

ELEMENTS: Sequence[Attribute] = (
    *(f16, bf16, f32, f64, Float8E4M3FNType(), Float8E5M2Type(), i1, IndexType(), ComplexType(f32)),
    *(IntegerType(width) for width in (8, 16, 32, 64)),
    *(IntegerType(width, Signedness.UNSIGNED) for width in (8, 32)),
)
FUSED = """
func.func @f(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %w = arith.constant W : tensor<64x64xf32>
  %b = arith.constant B : tensor<64xf32>
  %h = arith.constant H : tensor<f32>
  %0 = rlx.matmul %x, %w : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
  %2 = rlx.activation relu %1 : tensor<4x64xf32>
  %3 = rlx.binary mul %2, %h : (tensor<4x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  func.return %3 : tensor<4x64xf32>
}
"""


def constant(element: Attribute, seed: int = 0, count: int = 640) -> DenseIntOrFPElementsAttr[Any]:
    """A constant with bits at random: NaNs with payloads are among them."""
    size: int = cast(Any, element).compile_time_size
    bits = np.random.default_rng(seed).integers(0, 2 if element == i1 else 256, count * size, np.uint8)
    return DenseIntOrFPElementsAttr(cast(Any, TensorType(element, [count // 10, 10])), BytesAttr(bits.tobytes()))


def text_of(*constants: Attribute) -> str:
    return str(ModuleOp([ConstantOp(cast(Any, each)) for each in constants])) + "\n"


def filled(text: str) -> str:
    numbers = np.random.default_rng(3).standard_normal(64 * 64, np.float32)
    for name, held in (("W", numbers), ("B", numbers[:64])):
        text = text.replace(f"constant {name} ", f'constant dense<"0x{held.tobytes().hex().upper()}"> ')
    return text.replace("constant H ", "constant dense<5.000000e-01> ")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opt(*arguments: str) -> None:
    assert main(arguments) == 0


def error(capsys: Capture, *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) == 1
    return capsys.readouterr().err.splitlines()[0]


def referring(text: str, sidecar: str = "c.bin") -> str:
    """The text with its constants in a file; what it was read from and what it is in are files beside each other."""
    Path("whole.mlir").write_text(text)
    opt("whole.mlir", f"--sidecar={sidecar}", "-o", "short.mlir")
    return Path("short.mlir").read_text()


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
def test_bytes_come_back_as_they_were(element: Attribute):
    before = constant(element, count=1280)
    file = Sidecar("c.bin")
    module = ModuleOp([ConstantOp(before)])
    file.add(module)
    file.write()
    with Path("short.mlir").open("w") as stream:
        file.printer(stream).print_op(module)
    assert len(Path("short.mlir").read_text()) < 200
    size = len(before.data.data)
    name = re.findall(r"dense_resource<(rlx_sidecar_(\d+)_[0-9a-f]{64})>", Path("short.mlir").read_text())
    assert [int(length) for _, length in name] == [size]
    after = Sidecar("c.bin").constant(name[0][0], before.get_type())
    assert after.data.data == before.data.data
    assert (after, hash(after), str(after)) == (before, hash(before), str(before))
    opt("short.mlir", "--sidecar=c.bin", "-o", "again.mlir")
    assert Path("again.mlir").read_text() == Path("short.mlir").read_text() + "\n"


def test_vectors_and_constants_within_others():
    vector = DenseIntOrFPElementsAttr(cast(Any, VectorType(f32, [640])), constant(f32).data)
    text = f'"test.op"() {{a = [{vector}, {{b = {constant(f16)}}}]}} : () -> ()\n'
    Path("whole.mlir").write_text(text)
    opt("whole.mlir", "--allow-unregistered-dialect", "--sidecar=c.bin", "-o", "short.mlir")
    assert Path("short.mlir").read_text().count("dense_resource<rlx_sidecar_") == 2
    opt("whole.mlir", "--allow-unregistered-dialect", "-o", "as_before.mlir")
    Path("gone.mlir").write_text(Path("short.mlir").read_text())
    opt("gone.mlir", "--allow-unregistered-dialect", "--sidecar=c.bin", "-o", "short2.mlir")
    assert Path("short2.mlir").read_text() == Path("short.mlir").read_text()


def test_small_constants_and_splats_stay_in_the_text():
    at, below = constant(f32, count=SMALLEST // 4 // 10 * 10 + 10), constant(f32, count=SMALLEST // 4 // 10 * 10)
    one = BytesAttr(np.ones(6400, np.float32).tobytes())
    splat = DenseIntOrFPElementsAttr(cast(Any, TensorType(f32, [6400])), one)
    text = referring(text_of(at, below, splat))
    assert text.count("dense_resource") == 1
    assert "dense<1.000000e+00> : tensor<6400xf32>" in text


def test_without_the_option_nothing_changes(capsys: Capture):
    text = text_of(constant(f32))
    Path("whole.mlir").write_text(text)
    opt("whole.mlir")
    assert capsys.readouterr().out == text


def test_the_constants_are_mapped_and_values_are_views_of_the_file():
    name = re.findall("rlx_sidecar_[0-9a-f_]+", referring(text_of(constant(f32))))[0]
    read = Sidecar("c.bin").constant(name, TensorType(f32, [64, 10]))
    assert isinstance(read.data.data, memoryview)
    values = array_of(read)
    assert values.base is not None
    assert np.shares_memory(values, np.frombuffer(read.data.data, np.uint8))


def test_equal_constants_share_a_place_and_programs_share_a_file():
    first, second = constant(f32), constant(f32, seed=1)
    one = referring(text_of(first, first))
    assert Path("c.bin").stat().st_size < 2 * 2560
    Path("one.mlir").write_text(one)
    other = referring(text_of(second))
    assert len(Sidecar("c.bin").blobs) == 2
    for text, constants in ((one, (first, first)), (other, (second,))):
        Path("short.mlir").write_text(text)
        module = Parser(context(), text_of(*constants)).parse_module()
        names = re.findall("rlx_sidecar_[0-9a-f_]+", text)
        found = [Sidecar("c.bin").constant(name, TensorType(f32, [64, 10])) for name in names]
        assert [op.properties["value"] for op in module.ops] == found


def context() -> Context:
    result = Context()
    result.load_dialect(Builtin)
    result.load_dialect(Arith)
    return result


def test_the_file_that_is_read_may_be_the_one_that_is_written():
    text = referring(filled(FUSED))
    before = Path("c.bin").read_bytes()
    opt("short.mlir", "--sidecar=c.bin", "-o", "short.mlir")
    assert Path("short.mlir").read_text() == text
    assert Path("c.bin").read_bytes() == before
    Path("more.mlir").write_text(text_of(constant(f64, count=130)))
    inode = Path("c.bin").stat().st_ino
    opt("more.mlir", "--sidecar=c.bin", "-o", "more.mlir")
    assert Path("c.bin").stat().st_ino != inode
    for each in ("short.mlir", "more.mlir"):
        opt(each, "--sidecar=c.bin", "-o", "again.mlir")


def test_passes_see_the_values():
    text = filled(FUSED)
    passes = ("--rlx-fusion=target=rocm", "--rlx-canonicalize")
    short = referring(text)
    assert short.count("dense_resource") == 1
    opt("whole.mlir", *passes, "-o", "fused.mlir")
    opt("short.mlir", *passes, "--sidecar=c.bin", "-o", "fused_short.mlir")
    opt("fused.mlir", "--sidecar=other.bin", "-o", "expected.mlir")
    assert "rlx.fused_matmul_bias_act" in Path("expected.mlir").read_text()
    assert Path("fused_short.mlir").read_text() == Path("expected.mlir").read_text()


def test_other_tools_read_the_text(capsys: Capture):
    text = referring(text_of(constant(f32)))
    assert str(Parser(context(), text).parse_module()) + "\n" == text
    capsys.readouterr()
    found = subprocess.run([need_program("mlir-opt-22"), "short.mlir"], capture_output=True, text=True, check=True)
    assert re.findall("rlx_sidecar_[0-9a-f_]+", found.stdout) == re.findall("rlx_sidecar_[0-9a-f_]+", text)


def test_the_file_is_a_safetensors_file_and_each_constant_lies_where_its_elements_want_to():
    referring(text_of(*(constant(element, seed, count) for seed, (element, count) in enumerate(
        [(IntegerType(8), 1030), (f64, 130), (f16, 1030), (f32, 640)]
    ))))  # fmt: skip
    params = read_params(Path("c.bin").rename("c.safetensors"))
    assert sorted(len(params[name]) for name in params) == [1030, 1040, 2060, 2560]
    for blob in Sidecar("c.safetensors").blobs.values():
        for size in (8, 4, 2):
            if len(blob) % size == 0:
                assert np.frombuffer(blob, f"u{size}").flags.aligned
                break


def test_several_programs_in_one_text():
    text = f"{text_of(constant(f32))}// -----\n{text_of(constant(f16))}"
    Path("two.mlir").write_text(text)
    opt("two.mlir", "--split-input-file", "--sidecar=c.bin", "-o", "short.mlir")
    opt("short.mlir", "--split-input-file", "--sidecar=c.bin", "-o", "again.mlir")
    assert Path("again.mlir").read_text() == Path("short.mlir").read_text()
    assert len(Sidecar("c.bin").blobs) == 2


def test_what_is_wrong_with_a_file(capsys: Capture):
    text = referring(text_of(constant(f32)))
    name = re.findall("rlx_sidecar_[0-9a-f_]+", text)[0]
    place = f"short.mlir:2:{text.splitlines()[1].index('rlx_') + 1}: error: "
    assert error(capsys, "short.mlir") == f"{place}the constant is in a file of its own, which --sidecar=FILE names"
    asked = ("short.mlir", "--sidecar=d.bin")
    assert error(capsys, *asked) == f"{place}d.bin: no such file, which should have the constant {name}"
    whole = Path("c.bin").read_bytes()
    for data in (b"", b"text", whole[:7], whole[:100], whole[:-1], b"\xff" * 16):
        Path("d.bin").write_bytes(data)
        assert error(capsys, *asked) in (
            f"{place}d.bin: is no whole sidecar file",
            f"{place}d.bin: cannot be read: cannot mmap an empty file",
        )
        assert Path("d.bin").read_bytes() == data
    Path("d.bin").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert error(capsys, *asked) == f"{place}d.bin: the constant {name} was changed"
    referring(text_of(constant(f16)), "d.bin.other")
    Path("short.mlir").write_text(text)
    assert error(capsys, "short.mlir", "--sidecar=d.bin.other") == (
        f"{place}d.bin.other: does not have the constant {name}"
    )
    Path("short.mlir").write_text(text.replace("64x10xf32", "64x20xf32", 1))
    assert "has 2560 bytes, which tensor<64x20xf32> has not" in error(capsys, "short.mlir", "--sidecar=c.bin")


def test_a_run_that_fails_leaves_the_files(capsys: Capture):
    text = referring(text_of(constant(f32)))
    Path("bad.mlir").write_text(f"{text_of(constant(f16))}\nrlx.wrong\n")
    before = Path("c.bin").read_bytes()
    error(capsys, "bad.mlir", "--sidecar=c.bin", "-o", "short.mlir")
    assert (Path("short.mlir").read_text(), Path("c.bin").read_bytes()) == (text, before)
    assert error(capsys, "whole.mlir", "--sidecar=x", "-o", "x") == (
        "rlx-opt: error: x: is given as -o and as --sidecar, and one would be lost"
    )
    assert "no such folder: no" in error(capsys, "whole.mlir", "--sidecar=no/c.bin")
    assert sorted(path.name for path in Path().iterdir()) == ["bad.mlir", "c.bin", "short.mlir", "whole.mlir"]


def test_an_import_may_write_weights_as_constants_of_a_sidecar():
    onnx = pytest.importorskip("onnx")
    weights = onnx.numpy_helper.from_array(np.arange(640, dtype=np.float32).reshape(10, 64), "w")
    shapes = {
        name: onnx.helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", [4, 10]), ("y", [4, 64]))
    }
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    onnx.save(
        onnx.helper.make_model(onnx.helper.make_graph([node], "g", [shapes["x"]], [shapes["y"]], [weights])), "m.onnx"
    )
    assert import_main(["m.onnx", "--inline-params", "--sidecar=c.bin", "-o", "m.mlir"]) == 0
    assert "dense_resource<rlx_sidecar_2560_" in Path("m.mlir").read_text()
    opt("m.mlir", "--sidecar=c.bin", "-o", "again.mlir")


def test_the_printer_prints_what_is_not_stored_as_ever():
    module = ModuleOp([ConstantOp(constant(f32))])
    with Path("a").open("w") as a, Path("b").open("w") as b:
        Sidecar("c.bin").printer(a).print_op(module)
        Printer(b).print_op(module)
    assert Path("a").read_text() == Path("b").read_text()
