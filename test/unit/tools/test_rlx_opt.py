"""rlx-opt as a user meets it: flags, streams, exit codes, and no traceback whatever the input."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlx_passes.core.spec import parse_pipeline
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.tools.rlx_opt import main

ROOT = Path(__file__).parents[3]

MLP = """func.func @mlp(%x: tensor<4x8xf32> {rlx.input = "x"}, %w: tensor<8x16xf32> {rlx.param = "w"},
               %b: tensor<16xf32> {rlx.param = "b"}) -> (tensor<4x16xf32> {rlx.output = "y"}) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation gelu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}
"""


@pytest.fixture
def mlp(tmp_path: Path) -> str:
    file = tmp_path / "mlp.mlir"
    file.write_text(MLP)
    return str(file)


Capture = pytest.CaptureFixture[str]


def fails(capsys: Capture, *arguments: str) -> str:
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err


def test_result_to_stdout_and_summary_to_stderr(capsys: Capture, mlp: str):
    assert main([mlp, "--rlx-fusion=target=rocm"]) == 0
    out, err = capsys.readouterr()
    assert "rlx.fused_matmul_bias_act %x, %w, %b activation(gelu)" in out
    assert out.startswith("builtin.module {\n")
    assert out.endswith("}\n")
    assert err == (
        "nodes=6→4 matmul=1→0 fused_mm_act=1 fused_swiglu=0 elementwise_region=0 "
        "missed_mm_act=0 missed_swiglu=0 missed_shared_mm=0\n"
    )


def test_misses_are_counted(capsys: Capture, tmp_path: Path):
    file = tmp_path / "a.mlir"
    file.write_text(
        MLP.replace(
            "func.return %2 : tensor<4x16xf32>", "func.return %2, %0 : tensor<4x16xf32>, tensor<4x16xf32>"
        ).replace('(tensor<4x16xf32> {rlx.output = "y"})', "(tensor<4x16xf32>, tensor<4x16xf32>)")
    )
    assert main([str(file), "--rlx-fusion=target=rocm"]) == 0
    assert "matmul=1→1 fused_mm_act=0" in (err := capsys.readouterr().err)
    assert "missed_mm_act=1" in err


def test_print_pass_pipeline_reads_nothing_and_parses_back(capsys: Capture):
    flags = ["no-such-file", "--cse", "--rlx-fusion=target=cpu pack-attention=true", "--canonicalize"]
    assert main([*flags, "--print-pass-pipeline"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("cse,rlx-lower-")
    assert text.endswith(",canonicalize\n")
    asked = parse_pipeline("cse,rlx-fusion{target=cpu pack-attention=true},canonicalize")
    assert list(create_passes(parse_pipeline(text.strip()))) == list(flatten(create_passes(asked)))


def test_the_flat_string_does_the_same(capsys: Capture, mlp: str):
    main(["--rlx-fusion=target=cpu", "--print-pass-pipeline"])
    flat = capsys.readouterr().out.strip()
    main([mlp, "--rlx-fusion=target=cpu"])
    fused = capsys.readouterr().out
    assert main([mlp, f"--pass-pipeline=builtin.module({flat})"]) == 0
    assert capsys.readouterr().out == fused


def test_fusing_twice_changes_nothing(capsys: Capture, mlp: str, tmp_path: Path):
    once, twice = tmp_path / "once.mlir", tmp_path / "twice.mlir"
    assert main([mlp, "--rlx-fusion=target=cpu", "-o", str(once)]) == 0
    assert main([str(once), "--rlx-fusion=target=cpu", "-o", str(twice)]) == 0
    assert once.read_bytes() == twice.read_bytes()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("rlx.matmul", "rlx.matmull", 3, 8, "unknown op 'rlx.matmull'; did you mean 'rlx.matmul'"),
        ("rlx.matmul", "rxl.matmul", 3, 8, "unknown op 'rxl.matmul': no dialect 'rxl'"),
        ("return %2", "return %3", 6, 15, "value %3 is used but not defined"),
        ("add %0", "add %2", 4, 8, "operand #0 of 'rlx.binary' does not dominate this use"),
        ("%x, %w :", "%x %w :", 3, 22, "expected ','"),
    ],
)
def test_faults_are_placed(capsys: Capture, tmp_path: Path, old: str, new: str, line: int, column: int, message: str):
    file = tmp_path / "bad.mlir"
    file.write_text(MLP.replace(old, new, 1))
    first, shown, caret, *_ = fails(capsys, str(file)).split("\n")
    assert first.startswith(f"{file}:{line}:{column}: error: ")
    assert message.lower() in first.lower().replace('"', "'")
    assert shown == file.read_text().split("\n")[line - 1]
    assert caret.startswith(" " * (column - 1) + "^")


def test_wrong_result_type(capsys: Capture, tmp_path: Path):
    file = tmp_path / "bad.mlir"
    file.write_text(
        MLP.replace("x16xf32>) -> tensor<4x16xf32>\n  %1", "x16xf32>) -> tensor<4x17xf32>\n  %1").replace(
            "add %0, %b : (tensor<4x16xf32>, tensor<16xf32>)", "add %b, %b : (tensor<16xf32>, tensor<16xf32>)"
        )
    )
    err = fails(capsys, str(file), "--rlx-fusion=target=cpu")
    assert f"{file}:3:8: error: " in err
    assert "rlx.matmul" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.mlir"], "none.mlir: no such file"),
        (["."], ".: is a directory, not a file"),
        (["--rlx-fusoin=target=cpu"], "unknown flag or pass '--rlx-fusoin'; did you mean '--rlx-fusion'"),
        (["--frobnicate"], "unknown flag or pass '--frobnicate'"),
        (["a.mlir", "b.mlir"], "more than one input: 'b.mlir'"),
        (["-p"], "-p needs a pipeline"),
        (["--rlx-fusion=target=rocn"], "unknown target 'rocn'; known: cpu, cuda, metal, mlx, rocm, tpu, wgpu; did you"),
        (["--rlx-fusion"], "pass 'rlx-fusion' needs either target= or target-file="),
        (["--rlx-fusion=target=cpu merge-env=maybe"], "takes true or false, not 'maybe'"),
        (["--rlx-fusion=target-file=none.toml"], "none.toml: cannot read the target file"),
        (["--rlx-pipeline=target=cpu stage=al"], "takes one of import, raise, fuse, lower, codegen, not 'al'"),
        (["--rlx-fuse-matmul-bias-act=epilogues=rely"], "epilogues"),
        (["-p", "cse,(canonicalize)"], "expected the name of a pass"),
        (["--mlir-print-ir-after=csee", "none.mlir"], "unknown pass 'csee' to print around; did you mean 'cse'"),
        (["-o", "nowhere/out.mlir", "none.mlir"], "no such folder: nowhere"),
        (["--rlx-fusion=targett=cpu"], "'rlx-fusion' has no option 'targett'; did you mean 'target' or 'target-file'?"),
        (["--rlx-fusion=qqqq=cpu"], "'rlx-fusion' has no option 'qqqq' (rlx-opt --list-passes lists them)"),
        (["-o", ".", "none.mlir"], ".: is a directory, not a file to write"),
    ],
)
def test_usage_errors(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
):
    monkeypatch.chdir(tmp_path)
    err = fails(capsys, *arguments)
    assert err.startswith("rlx-opt: error: ")
    assert message in err


def test_fusing_stablehlo_says_what_is_missing(capsys: Capture, tmp_path: Path):
    file = tmp_path / "add.mlir"
    file.write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  func.return %0 : tensor<2xf32>\n}\n"
    )
    said = "remark: nothing fuses in StableHLO: put --convert-stablehlo-to-rlx --rlx-raise before --rlx-fusion"
    for passes, missing in (
        (["--rlx-fusion=target=cpu"], True),
        (["--convert-stablehlo-to-rlx", "--rlx-raise", "--rlx-fusion=target=cpu"], False),
    ):
        assert main([str(file), *passes]) == 0
        assert (said in capsys.readouterr().err) is missing


def test_not_utf8(capsys: Capture, tmp_path: Path):
    file = tmp_path / "bytes.mlir"
    file.write_bytes(b"// fine\n\xff\xfe")
    assert f"{file}:2: not UTF-8 text: byte 0xff at offset 8" in fails(capsys, str(file))


@pytest.mark.parametrize("text", ["", "\n\n", "// only a comment\n", "\ufeff"])
def test_empty_input_is_an_empty_module(capsys: Capture, monkeypatch: pytest.MonkeyPatch, text: str):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["--rlx-fusion=target=cpu"]) == 0
    assert capsys.readouterr().out == "builtin.module {\n}\n"


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f(",
        "builtin.module { builtin.module {",
        '"builtin.module"() ({}) : () -> ()',
        "func.func @f() -> tensor<2xf32> { func.return }",
        "%0 = arith.constant dense<[1.0, 2.0]> : tensor<3xf32>",
        "\x00",
        "%0 = rlx.activation nothing %0 : tensor<2xf32>",
        "func.func @f(%x: tensor<2xf32>) { func.return %x#7 : tensor<2xf32> }",
        'func.func @f(%x: tensor<2xf32>) { "rlx.matmul"(%x) : (tensor<2xf32>) -> () func.return }',
        'func.func @f(%x: tensor<2xf32>) { %0 = "rlx.activation"(%x) {kind = 3 : i32} '
        ": (tensor<2xf32>) -> tensor<2xf32> func.return }",
        "(" * 2000,
        "!x = !x",
        "#a = dense<0xZZ> : tensor<f32>",
        "arith.constant 99999999999999999999999 : i8",
    ],
)
def test_garbage_is_an_error_with_a_place(capsys: Capture, tmp_path: Path, text: str):
    file = tmp_path / "garbage.mlir"
    file.write_text(text)
    err = fails(capsys, str(file), "--rlx-fusion=target=cpu")
    assert "error: " in err
    assert "internal error" not in err


def test_deep_nesting_is_an_error_not_a_crash(capsys: Capture, tmp_path: Path):
    file = tmp_path / "deep.mlir"
    file.write_text("builtin.module {" * 2000 + "}" * 2000)
    assert "nested too deeply" in fails(capsys, str(file))


def test_output_file_is_whole_or_not_at_all(capsys: Capture, mlp: str, tmp_path: Path):
    out = tmp_path / "out.mlir"
    out.write_text("before")
    bad = tmp_path / "bad.mlir"
    bad.write_text("func.func")
    fails(capsys, str(bad), "-o", str(out))
    assert out.read_text() == "before"
    assert main([mlp, "-o", str(out)]) == 0
    assert out.read_text().startswith("builtin.module {")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.mlir", "mlp.mlir", "out.mlir"]
    assert out.stat().st_mode & 0o777 == bad.stat().st_mode & 0o777


def test_timing_and_statistics_go_to_stderr(capsys: Capture, mlp: str):
    assert main([mlp, "--rlx-fusion=target=rocm", "--mlir-timing", "--mlir-pass-statistics", "--verify-each"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("builtin.module {")
    assert "rlx-fuse-matmul-bias-act" in err
    assert "total" in err
    assert "       5        3       -2  rlx-fuse-matmul-bias-act" in err


def test_listings(capsys: Capture):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("rlx-opt ")
    assert main(["--show-dialects"]) == 0
    shown = capsys.readouterr().out
    assert " rlx," in shown
    assert "stablehlo" in shown
    assert main(["--list-targets"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        *("cpu", "cuda", "metal", "mlx", "rocm", "tpu", "wgpu")
    ]
    assert main(["--list-passes"]) == 0
    listed = capsys.readouterr().out
    assert "rlx-fusion\n    The gated fusion list of a target." in listed
    assert "canonicalize" in listed


def run(code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join([str(ROOT), str(ROOT / "passes")])
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run([sys.executable, *([code] if code.startswith("-") else ["-c", code]), *arguments],
                          capture_output=True, text=True, env=environment, check=False)  # fmt: skip


HEAVY = "sorted({'numpy', 'jax', 'ml_dtypes', 'iree', 'mlx', 'xdsl'} & sys.modules.keys())"


def test_version_is_fast_to_say():
    code = f"import sys; from rlx_passes.tools.rlx_opt import main; main(['--version']); print({HEAVY})"
    assert run(code).stdout.splitlines()[1] == "[]"


def test_fusing_loads_no_numpy(mlp: str):
    code = (
        "import sys; from rlx_passes.tools.rlx_opt import main; "
        f"main([sys.argv[1], '-o', '/dev/null', '--rlx-fusion=target=cpu']); print({HEAVY})"
    )
    assert run(code, mlp).stdout == "['xdsl']\n"


def test_universe_loads_no_dialect():
    code = (
        "import sys, rlx_passes.universe; "
        "print([m for m in sys.modules if m.startswith(('rlx_dialect', 'rlx_passes.fusion', 'numpy'))])"
    )
    assert run(code).stdout == "[]\n"


def test_broken_pipe_is_quiet(mlp: str):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "rlx_passes.tools.rlx_opt", mlp]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "passes")])}
    finished = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(writer)
    assert finished.stderr == b""
    assert finished.returncode == 1


@pytest.mark.parametrize(
    ("redirect", "message"),
    [
        (">&-", "rlx-opt: error: standard output is closed: there is nowhere to write to (-o FILE)"),
        (">/dev/full", "rlx-opt: error: standard output: No space left on device"),
        ("-o /dev/full", "rlx-opt: error: /dev/full: cannot be written: No space left on device"),
        ("- <&-", "rlx-opt: error: standard input is closed: name a file to read"),
    ],
)
def test_streams_that_cannot_be_used(mlp: str, redirect: str, message: str):
    file = "" if redirect.startswith("- ") else mlp
    command = ["sh", "-c", f'"$0" -m rlx_passes.tools.rlx_opt {file} {redirect}', sys.executable]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "passes")])}
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert finished.stderr == message + "\n"
    assert finished.returncode == 1


@pytest.mark.parametrize("text", ["a" * 1_000_000, 'module attributes {a = "' + "b" * 1_000_000 + '"} {} rlx.wrong'])
def test_messages_about_long_lines_are_short(capsys: Capture, tmp_path: Path, text: str):
    file = tmp_path / "long.mlir"
    file.write_text(text)
    err = fails(capsys, str(file))
    assert len(err) < 5000
    shown, caret = err.splitlines()[1:]
    assert len(shown) <= 200
    assert shown[caret.index("^") :].startswith(("a", "rlx.wrong"))


def test_the_signature_by_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """`--params`, `--inputs` and `--names` are options of the pass that imports, before or after it."""
    path = tmp_path / "p.mlir"
    path.write_text(
        "func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { func.return %b : tensor<4xf32> }\n"
    )
    wanted = 'func.func @f(%a: tensor<4xf32> {rlx.input = "x"}, %b: tensor<4xf32> {rlx.param = "w"})'
    for flags in (["--params=1-"], ["--inputs=x"], ["--params", "w"]):
        for importer in ("--convert-stablehlo-to-rlx", "--rlx-pipeline=target=cpu stage=fuse"):
            assert main([str(path), *flags, importer, "--names=x,w"]) == 0
            assert wanted in capsys.readouterr().out
    assert main([str(path), "--rlx-raise", "--params=1-"]) == 1
    assert "--params is for the import of StableHLO" in capsys.readouterr().err
