"""What a run loads: what it needs, and nothing else. Each program runs in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects import test
from xdsl.irdl import IRDLOperation

from rlx_dialect.chapters import chapters, defined
from rlx_dialect.declared import compiled, syntax
from rlx_dialect.kinds import kind_name
from rlx_dialect.ops import ALL_OPS, MatMulOp, kind_and_chapter, op_named, places
from rlx_passes.registry.context import fresh_context

MATMUL = """
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %c = arith.constant dense<0.5> : tensor<4x16xf32>
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %c : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}
"""


def loaded(*arguments: str) -> set[str]:
    """The modules that a run of the tool leaves loaded."""
    code = (
        "import sys; from rlx_passes.tools.rlx_opt import main; assert main(sys.argv[1:]) == 0; "
        "print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stderr.split())


@pytest.fixture
def file(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    path = tmp_path / "program.mlir"
    path.write_text(request.param)
    return str(path)


def test_the_version_needs_no_xdsl():
    assert not loaded("--version") & {"numpy", "xdsl", "argparse", "dataclasses", "importlib.metadata"}


@pytest.mark.parametrize("file", ["builtin.module {}"], indirect=True)
def test_an_empty_module_needs_no_dialect_and_no_pass(file: str):
    found = loaded(file)
    assert not found & {"numpy", "importlib.metadata", "xdsl.passes", "rlx_passes.policy.policy"}
    assert not {name for name in found if name.startswith("rlx_dialect.ops.")}


@pytest.mark.parametrize("file", [MATMUL], indirect=True)
def test_a_program_loads_the_chapters_of_its_ops(file: str):
    found = loaded(file)
    assert not found & {"numpy", "importlib.metadata", "xdsl.passes", "rlx_passes.policy.policy"}
    assert "rlx_dialect.ops.contraction" in found
    assert "rlx_dialect.ops.quantization" not in found


@pytest.mark.parametrize("file", [MATMUL], indirect=True)
def test_a_fusion_run_loads_what_it_fuses(file: str):
    found = loaded("--rlx-raise", "--rlx-fusion=target=cpu", file)
    unread = {"numpy", "json", "xdsl.dialects.tensor", "xdsl.interpreter", "rlx_dialect.ops.spectral"}
    assert not found & {*unread, "importlib.metadata"}
    assert "rlx_passes.fusion.fuse_matmul_bias_act" in found


def test_the_text_of_the_chapters_tells_what_they_define():
    classes, ops = places()
    found = {cls: chapter.__name__ for chapter in chapters("rlx_dialect.ops") for cls in defined(chapter, object)}
    assert {name: f"rlx_dialect.ops.{chapter}" for name, chapter in classes.items()} == {
        cls.__name__: chapter for cls, chapter in found.items()
    }
    own = [cls for cls in found if issubclass(cls, IRDLOperation) and hasattr(cls, "name")]
    assert set(ALL_OPS) == set(own)
    assert ops == {cls.name: cls.__name__ for cls in own}
    for cls in own:
        assert kind_and_chapter(cls.name) == (
            kind_name(cls),
            getattr(cls, "CHAPTER", found[cls][16:].replace("_", " ")),
        )
    assert op_named("rlx.matmul") is MatMulOp
    assert op_named("rlx.nothing") is None


def test_every_declared_format_compiles():
    with_format = [op for op in ALL_OPS if syntax(op)]
    assert len(with_format) > 100
    for op in with_format:
        compiled(op)


def test_a_dialect_is_whole_after_one_of_its_ops():
    context = fresh_context()
    assert context.get_optional_op("rlx.matmul") is MatMulOp
    assert [op for op in context.loaded_ops if op.name.startswith("rlx.")] == [MatMulOp]
    copy = context.clone()
    for each in (context, copy):
        assert each.get_optional_dialect("rlx") is not None
        assert {op.name for op in each.loaded_ops if op.name.startswith("rlx.")} == {op.name for op in ALL_OPS}
        assert each.get_optional_op("rlx.matmul") is MatMulOp
    assert set(copy.registered_dialect_names) == set(context.registered_dialect_names)


def test_a_dialect_that_a_caller_brings_is_loaded():
    context = fresh_context()
    context.load_dialect(test.Test)
    assert context.get_optional_op("test.op") is test.TestOp
    assert context.get_optional_op("nothing.at_all") is None
