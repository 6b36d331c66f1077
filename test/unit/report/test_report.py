"""The report: what is measured, what is listed and what is only counted, how much of it, as text and as JSON."""

import json

import pytest
from schema import faults, report_schema
from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute

from rlx_passes.compiler import compile
from rlx_passes.core.spec import parse_pipeline
from rlx_passes.pipeline.builder import Fuse
from rlx_passes.pipeline.reports import recording_of
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse as parse_source
from rlx_passes.reading.source import Source
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.context import fresh_context
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.report.model import Report
from rlx_passes.report.parts import LINES, PLACES
from rlx_passes.report.places import Origin
from rlx_passes.report.work import Work
from rlx_passes.rewriting.miss import Reason


def parse(text: str) -> ModuleOp:
    return parse_source(tool_context(), Source("f.mlir", text))


def report_of(text: str, pipeline: str) -> Report:
    asked = create_passes(parse_pipeline(pipeline))
    recording = recording_of(asked)
    recording.run(tuple(flatten(asked)), fresh_context(), parse(text))
    return recording.report()


def function(body: str, arguments: str = "") -> str:
    inputs = f"%x: tensor<4x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16xf32>{arguments}"
    return f"""func.func @f({inputs}) -> tensor<4x16xf32> {{
      {body}
    }}"""


DOT = "%{0} = rlx.matmul %{1}, %w : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>\n"
BIAS = "%{0} = rlx.binary add %{1}, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>\n"
SUM = "%{0} = rlx.binary add %{1}, %x : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>\n"
COLUMN = "%{0} = rlx.binary add %{1}, %c : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>\n"
RETURN = "func.return %{0} : tensor<4x16xf32>"
MATMUL_BIAS_ACT = "rlx-fuse-matmul-bias-act"


def layers(number: int, op: str) -> str:
    body = "".join(DOT.format(f"m{i}", f"a{i}") + op.format(f"a{i + 1}", f"m{i}") for i in range(number))
    return function(body.replace("%a0,", "%x,") + RETURN.format(f"a{number}"), ", %c: tensor<4x1xf32>")


def test_work_counts_launches_bytes_and_flops():
    work = Work.of(parse(function(DOT.format("m", "x") + BIAS.format("a", "m") + RETURN.format("a"))))
    dot, add = 4 * (64 + 256 + 64), 4 * (64 + 16 + 64)
    assert work == Work(ops=2, launches=2, bytes=dot + add, flops=2 * 64 * 16 + 64)


def test_a_cache_that_is_given_up_is_not_moved():
    text = """func.func @f(%x: tensor<1x8xf32>, %c: tensor<64x8xf32> {rlx.donate = 0 : i64}, %i: tensor<i64>)
        -> tensor<64x8xf32> {
      %0 = rlx.dynamic_update_slice %c, %x starts(%i, %i)
          : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<64x8xf32>
      %1 = rlx.dynamic_update_slice %0, %x starts(%i, %i)
          : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<64x8xf32>
      func.return %1 : tensor<64x8xf32>
    }"""
    moved = 2 * 4 * (8 + 64 * 8 * 2 + 4)
    assert Work.of(parse(text)).bytes == moved
    assert Work.of(parse(text), in_place=True).bytes == 2 * 2 * 4 * 8
    kept = text.replace("rlx.donate = 0 : i64", "")
    assert Work.of(parse(kept), in_place=True).bytes == moved
    one = text.replace("return %1", "return %0")
    assert Work.of(parse(one), in_place=True).bytes == 2 * 4 * 8 + moved // 2
    assert report_of(text, "rlx-fusion{target=cpu}").after.bytes == 2 * 2 * 4 * 8


def test_views_and_constants_launch_nothing():
    text = """func.func @f(%x: tensor<4x16xf32>) -> tensor<16x4xf32> {
      %c = arith.constant dense<1.0> : tensor<2xf32>
      %0 = rlx.transpose %x [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
      func.return %0 : tensor<16x4xf32>
    }"""
    assert Work.of(parse(text)) == Work(ops=2)


def test_a_fused_op_counts_as_its_parts():
    text = function(DOT.format("m", "x") + BIAS.format("a", "m") + RETURN.format("a"))
    report = report_of(text, MATMUL_BIAS_ACT)
    assert report.before is not None
    assert report.after.flops == report.before.flops
    assert (report.before.launches, report.after.launches) == (2, 1)


def test_unknown_sizes_are_told():
    text = """func.func @f(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
      %0 = rlx.activation relu %x : tensor<?x16xf32>
      func.return %0 : tensor<?x16xf32>
    }"""
    report = report_of(text, MATMUL_BIAS_ACT)
    assert report.after == Work(ops=1, launches=1, unsized=1)
    assert "1 ops have one" in str(report)


def test_times_are_by_the_prices_of_the_target():
    text = function(DOT.format("m", "x") + RETURN.format("m"))
    report = report_of(text, "rlx-fusion{target=cuda}")
    assert report.nanoseconds(Work(launches=3, bytes=1600)) == 3 * 2000 + 1600 / 800
    assert report_of(text, MATMUL_BIAS_ACT).nanoseconds(report.after) is None


@pytest.mark.parametrize("op", [SUM, SUM.replace("add", "mul")], ids=["residual", "product"])
def test_f41_a_product_without_bias_is_no_candidate(op: str):
    report = report_of(layers(3, op), MATMUL_BIAS_ACT)
    assert report.missed == ()
    assert report.no_candidates == {"matmul_bias_act": 3}
    assert str(report).endswith("no candidates: matmul_bias_act 3")


def test_f41_equal_misses_are_one_line():
    report = report_of(layers(40, COLUMN), MATMUL_BIAS_ACT)
    (line,) = report.missed
    assert (line.pattern, line.reason, line.count, len(line.places)) == (
        "matmul_bias_act",
        Reason.NOT_A_ROW_VECTOR,
        40,
        PLACES,
    )
    assert " 40 times: RLX-F012" in str(report)


def test_f41_a_product_with_its_bias_is_near_even_where_it_is_returned():
    text = (
        """func.func @f(%x: tensor<4x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16xf32>)
        -> (tensor<4x16xf32>, tensor<4x16xf32>) {
    """
        + DOT.format("m", "x")
        + BIAS.format("a", "m")
        + """
      func.return %a, %m : tensor<4x16xf32>, tensor<4x16xf32>
    }"""
    )
    (line,) = report_of(text, MATMUL_BIAS_ACT).missed
    assert (line.reason, line.to_fuse) == (Reason.RETURNED, "do not return the value")
    assert [blocker.op for blocker in line.blockers] == ["func.return"]


def test_f41_near_misses_come_first():
    body = DOT.format("m", "x") + COLUMN.format("a", "m") + DOT.format("n", "a") + BIAS.format("c0", "n")
    text = function(body + RETURN.format("c0"), ", %c: tensor<4x1xf32>")
    report = report_of(text, "rlx-fusion{target=cuda claims=ElementwiseRegion}")
    assert [(line.reason, line.nearness) for line in report.missed[:2]] == [
        (Reason.NOT_CLAIMED, 0),
        (Reason.NOT_TRAILING, 1),
    ]


def test_f41_what_another_pattern_took_is_counted():
    report = report_of(layers(2, BIAS), "rlx-fuse-matmul-bias-act{dtypes=f16},rlx-fuse-matmul-bias-act")
    assert report.missed == ()
    assert report.taken == {"matmul_bias_act": 2}


def test_f41_raising_misses_are_listed():
    text = """func.func @f(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
      %m = rlx.reduce max %y axes [1] keep_dims : tensor<4x16xf32> -> tensor<4x1xf32>
      %s = rlx.binary sub %x, %m : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
      %e = rlx.activation exp %s : tensor<4x16xf32>
      %t = rlx.reduce sum %e axes [1] keep_dims : tensor<4x16xf32> -> tensor<4x1xf32>
      %o = rlx.binary div %e, %t : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
      func.return %o : tensor<4x16xf32>
    }"""
    report = report_of(text, "rlx-raise")
    assert [(line.pattern, line.detail) for line in report.missed] == [("softmax", "the maximum of another value")]


def test_f41_the_output_is_bounded():
    body = "".join(
        f"%t{i} = rlx.activation exp %y{i} : tensor<{i + 2}x{i + 2}xf32>\n"
        f"%o{i} = rlx.binary add %t{i}, %z{i} : (tensor<{i + 2}x{i + 2}xf32>, tensor<{i + 2}x1xf32>) "
        f"-> tensor<{i + 2}x{i + 2}xf32>\n"
        for i in range(LINES + 50)
    )
    arguments = "".join(
        f", %y{i}: tensor<{i + 2}x{i + 2}xf32>, %z{i}: tensor<{i + 2}x1xf32>" for i in range(LINES + 50)
    )
    results = [f"tensor<{i + 2}x{i + 2}xf32>" for i in range(LINES + 50)]
    text = f"""func.func @f({arguments[2:]}) -> ({", ".join(results)}) {{
      {body} func.return {", ".join(f"%o{i}" for i in range(LINES + 50))} : {", ".join(results)}
    }}"""
    report = report_of(text, "rlx-mark-elementwise-regions")
    assert (len(report.missed), report.left_off) == (LINES, LINES + 100)
    assert len(str(report).splitlines()) < 80
    assert f"and {2 * LINES + 80} more lines" in str(report)


def test_f41_one_place_for_an_op_of_many():
    def at(file: str, line: int) -> FileLineColLoc:
        return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(3))

    def fused(*parts: LocationAttr) -> FusedLoc:
        return FusedLoc(ArrayAttr[Attribute](parts), NoneAttr())

    many = fused(*(at("a.mlir", line) for line in range(1, 13)))
    assert str(Origin.of(many)) == "a.mlir:1:3"
    named = NameLoc(StringAttr("jit(f)/dot"), at("net.py", 7))
    assert str(Origin.of(named)) == "net.py:7:3"
    assert str(Origin.of(fused(at("a.mlir", 2), named))) == "a.mlir:2:3 (net.py:7)"


@pytest.mark.parametrize("pipeline", [MATMUL_BIAS_ACT, "rlx-fusion{target=cuda}", "rlx-fusion{target=mlx}"])
def test_f41_the_json_is_what_the_schema_says(pipeline: str):
    data = json.loads(json.dumps(report_of(layers(3, COLUMN), pipeline).to_json()))
    schema = report_schema()
    assert faults(data, schema, schema) == []
    assert data["missed"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"format": 2}, "$.format: 2 is not 1"),
        ({"left_off": "x"}, "$.left_off: 'x' is no integer"),
        ({"more": 1}, "$: more"),
    ],
)
def test_the_schema_refuses_other_data(change: dict[str, object], fault: str):
    schema = report_schema()
    data = report_of(layers(1, BIAS), MATMUL_BIAS_ACT).to_json()
    assert faults({**data, **change}, schema, schema) == [fault]
    assert faults({}, schema, schema)[0] == "$: no format"


def test_fuse_and_compile_give_the_same_report():
    text = layers(2, BIAS)
    reports: list[Report] = []
    Fuse("cpu").run(parse(text), report=reports.append)
    pytest.importorskip("llvmlite")
    compile(parse(text), "cpu", origin="rlx", report=reports.append)
    fused, compiled = reports
    assert (compiled.target, compiled.after_before) == ("cpu", "rlx-hoist-prepare")
    assert (fused.after, fused.fused, fused.missed) == (compiled.after, compiled.fused, compiled.missed)
