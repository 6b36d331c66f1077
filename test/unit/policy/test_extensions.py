"""What other packages add: the sample of `examples/out_of_tree`, and extensions that are not as they should be."""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest

from rlx_dialect.decompose import in_our_ops
from rlx_dialect.kinds import KINDS, Form, kind_of
from rlx_dialect.reference import run
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.core.errors import ExtensionError, RlxError
from rlx_passes.pipeline.builder import Fuse
from rlx_passes.pipeline.entries import fk_passes_after_elementwise_regions, fuse_passes
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.target import builtin_targets, load_target, target_files
from rlx_passes.policy import extensions
from rlx_passes.policy.conditions import Row, claims
from rlx_passes.policy.extensions import Extension, register, registered
from rlx_passes.policy.policy import POLICY, all_rows, claimable, placed
from rlx_passes.registry.context import fresh_context
from rlx_passes.report.fusion_report import FusionReport
from rlx_passes.tools.rlx_opt import main
from rlx_passes.universe import all_passes
from rlx_sample import EXTENSION
from rlx_sample.reasons import SampleReason

ROOT = Path(__file__).parents[3]
FUSE = "sample-fuse-squared-difference"
PLACE = "rlx-mark-elementwise-regions"
PROGRAM = """
func.func @error(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary sub %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = rlx.binary mul %0, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}
"""
NO_SQUARE = PROGRAM.replace("mul %0, %0", "mul %0, %x")


@pytest.fixture(name="sample")
def _sample() -> Iterator[Extension]:
    with registered(EXTENSION):
        yield EXTENSION


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> str:
    path = tmp_path / "error.mlir"
    path.write_text(PROGRAM)
    return str(path)


def test_a_row_may_stand_beside_one_that_comes_later():
    fused = EXTENSION.rows[0]
    second = replace(fused, name="sample-second", before="", after=fused.name)
    with registered(replace(EXTENSION, rows=(second, fused))):
        names = [row.name for row in placed(POLICY)]
    assert names.index("sample-second") == names.index(FUSE) + 1
    assert names.index(PLACE) == names.index(FUSE) + 2


def test_nothing_is_left_of_an_extension_that_goes():
    before = all_rows(), claimable(), tuple(KINDS), tuple(target_files())
    with registered(EXTENSION):
        assert len(all_rows()) == len(POLICY) + 1
    assert (all_rows(), claimable(), tuple(KINDS), tuple(target_files())) == before
    assert FUSE not in all_passes()


@pytest.mark.usefixtures("sample")
def test_the_lists_of_other_targets_stay():
    for name in builtin_targets():
        assert FUSE not in [row.name for row in fuse_passes(name).rows]


@pytest.mark.usefixtures("sample")
def test_the_pass_has_its_place_and_the_options_of_its_claim():
    names = [spec.name for spec in fuse_passes("sample").specs()]
    assert names[names.index(FUSE) + 1 :][0] == "rlx-mark-batch-slice-regions"
    assert names[names.index(FUSE) - 1] == "rlx-fuse-shared-input-matmul"
    (spec,) = [spec for spec in fuse_passes("sample").specs() if spec.name == FUSE]
    assert str(spec) == f"{FUSE}{{dtypes=f32}}"
    marked = fk_passes_after_elementwise_regions(frozenset(), FusionOptions(), load_target("sample"))
    assert FUSE not in [row.name for row in marked.rows]
    assert all_rows()[[row.name for row in all_rows()].index(FUSE) + 1].name == "rlx-mark-elementwise-regions"


def test_after_a_pass():
    row = Row("sample-fuse-late", claims("SquaredDifference"), after="rlx-fuse-batch-preprocess")
    with registered(replace(EXTENSION, rows=(row,))):
        options = FusionOptions()
        marked = fk_passes_after_elementwise_regions(frozenset(), options, load_target("sample"))
        names = [row.name for row in marked.rows]
        assert names[names.index("rlx-fuse-batch-preprocess") + 1] == "sample-fuse-late"


@pytest.mark.usefixtures("sample")
def test_the_tools_know_it(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    toml = tmp_path / "own.toml"
    toml.write_text('name = "own"\nclaims = ["SquaredDifference"]\n[lower]\npass = "convert-rlx-to-linalg"\n')
    lock = tmp_path / "error.lock"
    assert main([f"--rlx-fusion=target-file={toml}", f"--fusion-lock={lock}", "--verify-rewrites", file]) == 0
    captured = capsys.readouterr()
    assert "sample.squared_difference %x, %y" in captured.out
    assert captured.err.rstrip().endswith("missed_shared_mm=0 sample.squared_difference=1")
    assert json.loads(lock.read_text())["functions"] == {"@error": {"sample.squared_difference": 1}}
    assert main([f"--rlx-fusion=target-file={toml}", "--print-pass-pipeline", file]) == 0
    assert f"{FUSE}{{dtypes=f32,f16,bf16}}" in capsys.readouterr().out
    assert main(["--check-target=sample"]) == 0
    assert main([f"--rlx-fusion=target-file={toml} disable={FUSE}", f"--fusion-lock={lock}", file]) == 1
    assert "sample.squared_difference: 1 locked, 0 now" in capsys.readouterr().err
    assert main(["--list-targets"]) == 0
    assert "sample" in capsys.readouterr().out.split()
    assert main([f"--{FUSE}", "--rlx-unfuse", file]) == 0
    assert "sample." not in capsys.readouterr().out


@pytest.mark.usefixtures("sample")
def test_the_page_says_what_is_so(file: str, capsys: pytest.CaptureFixture[str]):
    page = (ROOT / "docs" / "extending.md").read_text()
    code = (ROOT / "examples" / "out_of_tree" / "rlx_sample" / "__init__.py").read_text()
    assert indent(code[code.index("EXTENSION = ") :].rstrip(), "    ") in page
    points = (ROOT / "examples" / "out_of_tree" / "pyproject.toml").read_text()
    assert '[project.entry-points."rlx_dialect.extensions"]\nsample = "rlx_sample:EXTENSION"' in points
    command = "rlx-opt --rlx-fusion=target=sample error.mlir"
    assert f"    $ {command}\n" in page
    assert main([*command.split()[1:-1], file]) == 0
    assert indent(capsys.readouterr().err, "    ") in page


def test_what_was_there_before_stays():
    """An extension that names our kinds or another's takes nothing away when it goes; a refused one leaves nothing."""
    ours = Extension("ours", EXTENSION.universe, kinds={"MatMul": "rlx.matmul", "MySoftmax": "rlx.softmax"})
    with registered(Extension("first", EXTENSION.universe, kinds={"One": "first.one"})):
        with registered(ours), registered(Extension("second", EXTENSION.universe, kinds={"One": "first.one"})):
            pass
        assert KINDS["One"].op == "first.one"
        assert KINDS["MatMul"] is kind_of("rlx.matmul")
        assert KINDS["Softmax"] is kind_of("rlx.softmax")
    with pytest.raises(ExtensionError, match="'Softmax'"):
        register(Extension("refused", EXTENSION.universe, kinds={"New": "foo.new", "Softmax": "foo.softmax"}))
    assert not {"One", "New", "MySoftmax"} & KINDS.keys()


@pytest.mark.usefixtures("sample")
def test_what_it_means():
    module = parse_module(fresh_context(), PROGRAM)
    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.ones(8, dtype=np.float32)
    before = run(in_our_ops(module), inputs=[x, y])
    _, report = Fuse("sample").run_with_report(module)
    assert report.families == (("sample.squared_difference", 1),)
    assert FusionReport.from_json(json.loads(json.dumps(report.to_json()))) == report
    np.testing.assert_array_equal(run(in_our_ops(module), inputs=[x, y])["out0"], before["out0"])


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("lowering", ["convert-rlx-to-linalg", "convert-rlx-to-stablehlo", "convert-rlx-to-mlx"])
def test_it_lowers_through_its_plain_form(lowering: str, file: str, capsys: pytest.CaptureFixture[str]):
    assert main([f"--{FUSE}", f"--{lowering}", file]) == 0
    out = capsys.readouterr().out
    assert "rlx." not in out
    assert ('stablehlo.composite "sample.squared_difference"' in out) == ("stablehlo" in lowering)


@pytest.mark.usefixtures("sample")
def test_reasons_have_codes_of_their_own():
    module = parse_module(fresh_context(), NO_SQUARE)
    _, report = Fuse("sample").run_with_report(module)
    (miss,) = [miss for miss in report.misses if miss.pattern == "squared_difference"]
    assert miss.reason is SampleReason.NOT_A_SQUARE
    assert "SAMPLE-F001 not-a-square: The factors are different values." in str(report)
    assert FusionReport.from_json(report.to_json()) == report


@pytest.mark.usefixtures("sample")
def test_what_is_not_claimed_and_what_must_fuse():
    module = parse_module(fresh_context(), PROGRAM)
    _, report = Fuse(load_target("sample").with_claims(frozenset({"MatMul"}))).run_with_report(module)
    assert [miss.detail for miss in report.misses if miss.reason.title == "not-claimed"] == ["SquaredDifference"]
    pinned = parse_module(fresh_context(), NO_SQUARE.replace("mul %0, %x", "mul %0, %x {rlx.must_fuse}"))
    with pytest.raises(RlxError, match="SAMPLE-F001 not-a-square"):
        Fuse("sample").run(pinned)


def test_a_kind_that_no_row_is_about(tmp_path: Path):
    """A target may claim it for what its own lowering does."""
    file = tmp_path / "own.toml"
    file.write_text('name = "own"\nclaims = ["Lone"]\n')
    with registered(Extension("lone", EXTENSION.universe, kinds={"Lone": "lone.op"})):
        assert claimable()[-1] == "Lone"
        assert load_target(file).claims == {"Lone"}


@pytest.mark.usefixtures("sample")
def test_kinds():
    kind = kind_of("sample.squared_difference")
    assert kind is not None
    assert (kind.name, kind.chapter, kind.form) == ("SquaredDifference", "rlx-sample", Form.OWN)
    register(EXTENSION)
    assert extensions.installed().count(EXTENSION) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"rows": (Row("sample-x", before="rlx-fuse-swigl"),)},
            "beside 'rlx-fuse-swigl', which is no pass of the list; did",
        ),
        (
            {"rows": (Row("rlx-fuse-swiglu", before="rlx-fuse-swiglu"),)},
            "there is a pass 'rlx-fuse-swiglu' in the list",
        ),
        ({"targets": (Path("/elsewhere/cpu.toml"),)}, "there is a target 'cpu' already"),
        (
            {"rows": (Row(FUSE, claims("SquaredDifference"), "SquaredDifference", ("dtypez",), before=PLACE),)},
            f"the pass '{FUSE}' has no option 'dtypez'; did you mean 'dtypes'? (its options: dtypes)",
        ),
        (
            {"rows": (Row("rlx-canonicalize", options=("dtypes",), before=PLACE),)},
            "the pass 'rlx-canonicalize' has no option 'dtypes' (its options: ",
        ),
        (
            {"rows": (Row(FUSE, claims("SquareDifference"), before=PLACE),)},
            "is about 'SquareDifference', which is no op kind; did you mean 'SquaredDifference'",
        ),
        (
            {"rows": (Row(FUSE, claim="Sq", before=PLACE),)},
            f"'{FUSE}' is about 'Sq', which is no op kind (its kinds: SquaredDifference)",
        ),
        (
            {"rows": (Row(FUSE, yields=("swiglo",), before=PLACE),)},
            "yields to 'swiglo', and 'rlx-fuse-swiglo' is no pass of the list; did you mean 'rlx-fuse-swiglu'",
        ),
        ({"rows": (Row("sample-x", before=PLACE),)}, f"no pass 'sample-x' (its universe has: {FUSE})"),
        ({"rows": (Row("sample\nx", before=PLACE),)}, "no pass 'sample\\nx' (its universe has: "),
    ],
)
def test_what_collides(change: dict[str, object], message: str, capsys: pytest.CaptureFixture[str], file: str):
    with registered(replace(EXTENSION, **change)):
        assert main(["--rlx-fusion=target=cpu", file]) == 1
    error = capsys.readouterr().err
    assert error.startswith("rlx-opt: error: extension 'rlx-sample': ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("absent.toml", None, "cannot read the target file: "),
        ("other.toml", 'name = "sample"', 'name = "sample": must be that of the file, "other"'),
        ("other.toml", "name = 3", "name = 3: must be a string"),
    ],
)
def test_target_files(
    name: str,
    text: str | None,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    """Relative paths too: a message names the extension, since nobody wrote the path on the command line."""
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path(name).write_text(text)
    with registered(replace(EXTENSION, targets=(Path(name),))):
        assert main(["--list-targets"]) == 1
        assert f"extension 'rlx-sample': {name}: {message}" in capsys.readouterr().err
        assert main([f"--check-target={Path(name).stem}"]) == 1
        assert message in capsys.readouterr().err


def test_universe_entry_points(file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    point = EntryPoint("other", "rlx_absent:UNIVERSE", "xdsl.universe")

    def patched(group: str) -> EntryPoints:
        return EntryPoints([point]) if group == point.group else entry_points(group=group)

    monkeypatch.setattr("importlib.metadata.entry_points", patched)
    extensions.multiverse.cache_clear()
    assert main(["--of-another-package", file]) == 1
    message = "universe 'other' cannot be loaded: ModuleNotFoundError: No module named 'rlx_absent'"
    assert capsys.readouterr().err == f"rlx-opt: error: {message}\n"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("rlx_absent:EXTENSION", " cannot be loaded: ModuleNotFoundError: No module named 'rlx_absent'"),
        ("rlx_sample:EXTENSION.universe", ": rlx_sample:EXTENSION.universe is no Extension"),
        ("rlx_sample:EXTENSION", ""),
    ],
)
def test_entry_points(
    value: str, message: str, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    point = EntryPoint("sample", value, extensions.GROUP)

    def patched(group: str) -> EntryPoints:
        return EntryPoints([point]) if group == extensions.GROUP else entry_points(group=group)

    monkeypatch.setattr("importlib.metadata.entry_points", patched)
    extensions.discovered.cache_clear()
    try:
        code = main(["--rlx-fusion=target=sample", file])
        captured = capsys.readouterr()
        if message:
            assert code == 1
            assert captured.err == f"rlx-opt: error: extension 'sample'{message}\n"
        else:
            assert code == 0, captured.err
            assert "sample.squared_difference" in captured.out
    finally:
        monkeypatch.undo()
        extensions.forget(EXTENSION)
        extensions.discovered.cache_clear()
