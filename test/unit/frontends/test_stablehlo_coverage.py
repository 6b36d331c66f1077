"""The table of StableHLO ops says what the rules do."""

import re
from collections import defaultdict
from pathlib import Path

from xdsl.ir import Operation

from rlx_dialect.ops import RlxOp
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.dialects.stablehlo import CHLO, STABLEHLO
from rlx_passes.frontends.stablehlo import KINDS, RULES
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import import_ops
from rlx_passes.frontends.stablehlo.coverage import BODY, stablehlo_coverage, stablehlo_section
from rlx_passes.reading.dialects import tool_context
from rlx_passes.rewriting.conversion import Emitter, Rule

LIT = Path(__file__).parents[2] / "filecheck" / "frontends" / "stablehlo"
TABLE = {row.op: row for row in stablehlo_coverage()}


def test_every_op_has_a_row():
    assert {op.name for op in (*STABLEHLO.operations, *CHLO.operations)} <= set(TABLE)
    assert all(bool(row.becomes) != bool(row.stays) for row in TABLE.values())
    assert all(TABLE[op.name].becomes for op in KINDS)


def test_some_rows():
    assert TABLE["stablehlo.add"].becomes == ("rlx.binary",)
    assert TABLE["stablehlo.while"].becomes == ("rlx.while",)
    assert TABLE["stablehlo.fft"].becomes == ("rlx.fft", "rlx.irfft", "rlx.rfft", "rlx.transpose")
    assert TABLE["stablehlo.scatter"].becomes == ("rlx.activation", "rlx.general_scatter")
    assert TABLE["stablehlo.rng"].stays == "draws from a state that is not in the program"
    assert TABLE["stablehlo.all_reduce"].stays == "is run by several devices together"


def test_what_rules_emit_is_in_the_table():
    """Every RLX op that an import of the lit files makes of an op is in its row."""
    made: dict[str, set[str]] = defaultdict(set)

    def recorded(rule: Rule) -> Rule:
        def record(op: Operation, emit: Emitter):
            before = set(emit.block.ops)
            values = rule(op, emit)
            made[op.name] |= {new.name for new in emit.block.ops if isinstance(new, RlxOp) and new not in before}
            return values

        return record

    for path in sorted(path for path in LIT.glob("*.mlir") if not path.stem.startswith("convert_stablehlo_to_rlx_")):
        text = re.sub(r"(?m)^//.*$", "", path.read_text())
        module = parse_module(tool_context(), text, path.name)
        import_ops(module, {op: recorded(rule) for op, rule in RULES.items()}, lambda op, reason: None)
    assert len(made) > 50
    for op, names in made.items():
        row = TABLE[op].becomes
        assert BODY in row or names <= set(row), (op, names, row)


def test_the_section_names_each_op_once():
    lines = stablehlo_section()
    named = [line.split("`")[1] for line in lines if line.startswith("| `")]
    assert sorted(named) == sorted(TABLE)
