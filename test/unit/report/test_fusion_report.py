"""The fusion report: what is counted, what changed, and the two text forms."""

import json
from dataclasses import fields, replace

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.canonicalize import CanonicalizePass

from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.core.errors import InputError
from rlx_passes.pipeline.builder import Fuse
from rlx_passes.pipeline.target import load_target
from rlx_passes.registry.context import fresh_context
from rlx_passes.report.counts import count
from rlx_passes.report.fusion_report import FusionReport, reporting
from rlx_passes.report.snapshot import snapshot
from rlx_passes.rewriting.miss import MissRecord, Reason
from rlx_passes.switches import environment

MLP = """
func.func @mlp(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>, %unused: tensor<2xf32>)
    -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation silu %1 : tensor<4x16xf32>
  %3 = rlx.binary mul %2, %2 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %3 : tensor<4x16xf32>
}
"""


def parse(text: str) -> ModuleOp:
    return parse_module(fresh_context(), text)


def test_counts_arguments_and_ops_without_terminators():
    counts = count(parse(MLP))
    assert counts["nodes"] == 8
    assert counts["rlx.matmul"] == 1
    assert counts["rlx.activation silu"] == 1
    assert counts["rlx.binary"] == 2
    assert counts["rlx.binary mul"] == 1
    assert counts["func.return"] == 0


def test_donated_inputs_are_told():
    text = MLP.replace("%x: tensor<4x8xf32>", "%x: tensor<4x16xf32> {rlx.donate = 0 : i64}").replace("8x", "16x")
    report = FusionReport.scan(parse(text.replace("x8xf32", "x16xf32")))
    assert report.donated == ("@mlp arg0 -> out0",)
    assert str(report).endswith("donated inputs:\n  @mlp arg0 -> out0")
    assert FusionReport.from_json(json.loads(json.dumps(report.to_json()))) == report


def test_ops_in_nested_regions_count():
    text = """
    func.func @f(%c: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = scf.if %c -> (tensor<2xf32>) {
        %1 = rlx.activation relu %x : tensor<2xf32>
        scf.yield %1 : tensor<2xf32>
      } else {
        scf.yield %x : tensor<2xf32>
      }
      func.return %0 : tensor<2xf32>
    }"""
    assert count(parse(text))["nodes"] == 4


def test_run_with_report():
    module = parse(MLP)
    same, report = Fuse("rocm").run_with_report(module)
    assert same is module
    assert (report.nodes_before, report.nodes_after) == (8, 6)
    assert (report.matmul_before, report.matmul_after) == (1, 0)
    assert report.fused_matmul_bias_act == 1
    assert (report.silu, report.mul) == (0, 1)
    assert report.changed_by == ("rlx-fuse-matmul-bias-act",)
    assert report.passes_run >= 3
    assert [miss.reason for miss in report.missed if miss.pattern == "matmul_bias_act"] == []
    assert report.unused_arguments == ("@mlp unused",)
    assert report.summary_line == (
        "nodes=8→6 matmul=1→0 fused_mm_act=1 fused_swiglu=0 elementwise_region=0 "
        "missed_mm_act=0 missed_swiglu=0 missed_shared_mm=0"
    )
    assert str(replace(report, missed=())) == f"fusion report:\n  {report.summary_line}"


def test_misses_come_from_the_guards():
    _, report = Fuse("rocm").run_with_report(parse(MLP.replace("add %0, %b", "mul %0, %b")))
    assert report.missed_of("matmul_bias_act") == 1
    assert report.missed[0].reason is Reason.NOT_CONSUMED_BY
    assert "missed_mm_act=1" in report.summary_line
    lines = str(report).splitlines()
    assert lines[2] == "missed patterns:"
    assert lines[3] == f"  {report.missed[0]}"


def test_what_is_not_claimed_is_a_miss_and_stays():
    """The report changes nothing in the program; with fusion off it has no such miss."""
    target = load_target("rocm").with_claims(frozenset({"FusedResidualLN", "ElementwiseRegion"}))
    plain, reported = parse(MLP), parse(MLP)
    Fuse(target).run(plain)
    _, report = Fuse(target).run_with_report(reported)
    assert str(reported) == str(plain)
    assert [(miss.pattern, miss.detail) for miss in report.misses if miss.reason is Reason.NOT_CLAIMED] == [
        ("matmul_bias_act", "FusedMatMulBiasAct")
    ]
    assert "missed_mm_act=1" in report.summary_line
    _, skipped = Fuse(target).skip_fusion().run_with_report(parse(MLP))
    assert skipped.misses == ()


def test_json_holds_every_field():
    missed = (
        MissRecord("matmul_bias_act", "rlx.matmul", "a.mlir:3:8", Reason.MULTI_USE, ("rlx.activation",), "twice"),
    )
    report = FusionReport.analyze({"nodes": 3}, parse(MLP), missed, ("cse",), 2)
    data = json.loads(json.dumps(report.to_json()))
    assert data["nodes_before"] == 3
    assert data["changed_by"] == ["cse"]
    assert data["missed"] == [
        {
            "pattern": "matmul_bias_act",
            "root": "rlx.matmul",
            "location": "a.mlir:3:8",
            "code": Reason.MULTI_USE.code,
            "reason": "multi-use",
            "blockers": ["rlx.activation"],
            "detail": "twice",
        }
    ]
    assert data.keys() == {field.name for field in fields(FusionReport)}
    assert FusionReport.from_json(data) == report


def test_json_that_is_none_of_a_report():
    data = FusionReport.scan(parse(MLP)).to_json()
    with pytest.raises(InputError, match=r"missing or unknown: nodes_after$"):
        FusionReport.from_json({key: value for key, value in data.items() if key != "nodes_after"})
    miss: dict[str, object] = {
        "pattern": "p",
        "root": "r",
        "location": "",
        "code": "RLX-F999",
        "blockers": [],
        "detail": "",
    }
    with pytest.raises(InputError, match="no reason has the code RLX-F999"):
        FusionReport.from_json({**data, "missed": [miss]})


def test_scan_is_the_same_before_and_after():
    report = FusionReport.scan(parse(MLP))
    assert report.nodes_before == report.nodes_after == 8
    assert report.summary_line.startswith("nodes=8→8 matmul=1→1 ")


def test_a_pass_that_changes_nothing_is_not_listed():
    module = parse(MLP)
    with reporting(module) as recorder:
        CanonicalizePass().apply(fresh_context(), module)
        recorder.after_pass(CanonicalizePass(), module)
    assert recorder.report().changed_by == ()


@pytest.mark.parametrize("change", ["attribute", "operand", "removal"])
def test_snapshot_sees(change: str):
    module = parse(MLP)
    before = snapshot(module)
    assert snapshot(module) == before
    matmul, add, silu, mul = list(module.walk())[2:6]
    if change == "attribute":
        silu.properties["kind"] = mul.properties["kind"]
    elif change == "operand":
        mul.operands[1] = add.results[0]
    else:
        mul.results[0].replace_all_uses_with(silu.results[0])
        mul.detach()
        mul.erase()
    assert snapshot(module) != before
    assert matmul.results[0].uses


def test_the_whole_report_on_request(capsys: pytest.CaptureFixture[str]):
    Fuse("rocm").run(parse(MLP))
    assert capsys.readouterr().err == ""
    with environment.overriding(RLX_FUSION_REPORT="1"):
        Fuse("rocm").run(parse(MLP))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("report for rocm: 1 of ")
    assert "  1 fused_matmul_bias_act" in lines
