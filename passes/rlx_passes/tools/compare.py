"""`--compare-targets`: one program fused for several targets, and the claim behind each difference."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.kinds import KINDS
from rlx_passes.core.errors import RlxError, UsageError
from rlx_passes.core.index import apply_all
from rlx_passes.pipeline.builder import PassList, pass_list
from rlx_passes.pipeline.row_options import DEFAULT_TUNING, row_spec
from rlx_passes.policy.conditions import Row
from rlx_passes.policy.policy import all_rows
from rlx_passes.reading.diagnostics import of_error
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.model_options import ModelOptions
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import read_source
from rlx_passes.reading.verifying import verify
from rlx_passes.switches.original import ENTRIES
from rlx_passes.tools.arguments import words
from rlx_passes.tools.output import write_output
from rlx_passes.tools.running import remark_not_imported

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from rlx_passes.report.model import Report


@dataclass(frozen=True)
class Side:
    """A target, the list of fusions that it runs, and what that did."""

    name: str
    passes: PassList
    report: "Report"

    def made(self, family: str) -> int:
        """How many ops of a family there are in the end."""
        return next((each.after for each in self.report.fused if each.family == family), 0)

    def row(self, row: Row) -> str:
        """A pass with its options, or nothing where the list is without it."""
        present = frozenset(each.name for each in self.passes.rows)
        return str(row_spec(row, self.passes.facts, present, DEFAULT_TUNING)) if row.name in present else ""


def compare(flags: argparse.Namespace, first: "Sequence[ModulePass]") -> int:
    """
    Run the passes `first` over the program, then the fusions of each target of `--compare-targets` over a copy, and
    write what differs. Raises `UsageError` unless two targets or more are named, `TargetError` for an unknown one.
    """
    names = words(flags.compare_targets)
    if len(dict.fromkeys(names)) < 2:
        raise UsageError("--compare-targets needs two targets, as in --compare-targets=cpu,cuda")
    lists = {name: pass_list(ENTRIES["fuse"], name) for name in dict.fromkeys(names)}
    if flags.report or flags.report_file:
        raise UsageError("--report is for one target, --compare-targets for several")
    if flags.split_input_file:
        raise UsageError("--compare-targets is for one program, --split-input-file for several")
    source = read_source(flags.input, ModelOptions.of(flags), flags.sidecar)
    context = tool_context(allow_unregistered=flags.allow_unregistered_dialect)
    try:
        module = parse(context, source)
        verify(module)
        apply_all(first, context, module)
        remark_not_imported(module)
        sides = [_side(name, passes, context, module.clone()) for name, passes in lists.items()]
    except RlxError as fault:
        for diagnostic in of_error(fault):
            print(diagnostic.render(source.line_at), file=sys.stderr)
        return 1
    write_output(flags.output, "\n".join(_lines(sides)) + "\n")
    return 0


def _side(name: str, passes: PassList, context: Context, module: ModuleOp) -> Side:
    recording = passes.recording()
    recording.run(passes.passes(), context, module)
    return Side(name, passes, recording.report())


def _lines(sides: Sequence[Side]) -> Iterator[str]:
    families = sorted({each.family for side in sides for each in side.report.fused})
    width = max(12, *map(len, families)) if families else 12
    yield f"{'':{width}}" + "".join(f"{side.name:>10}" for side in sides)
    for what in ("ops", "launches"):
        yield f"{what:{width}}" + "".join(f"{getattr(side.report.after, what):10}" for side in sides)
    times = [side.report.nanoseconds(side.report.after) or 0 for side in sides]
    yield f"{'time, us':{width}}" + "".join(f"{time / 1000:10.1f}" for time in times)
    for family in families:
        yield f"{family:{width}}" + "".join(f"{side.made(family):10}" for side in sides)
        if len({side.made(family) for side in sides}) > 1:
            yield from (f"  {why}" for why in _reasons(family, sides))
    if all(len({side.made(family) for side in sides}) == 1 for family in families):
        yield "the same ops are fused"


def _reasons(family: str, sides: Sequence[Side]) -> Iterator[str]:
    """What the targets say differently of the fusions that make the ops of a family."""
    op = family if "." in family else f"rlx.{family}"
    kinds = {name for name, kind in KINDS.items() if kind.op == op}
    rows = [row for row in all_rows() if row.claim in kinds]
    found = False
    for kind in sorted(kinds & {row.claim for row in rows}):
        claim = [side.name for side in sides if side.passes.facts.target.supports(kind)]
        if 0 < len(claim) < len(sides):
            others = [side.name for side in sides if side.name not in claim]
            found = True
            yield f"{', '.join(claim)} {'claims' if len(claim) == 1 else 'claim'} {kind}, {', '.join(others)} not"
    for row in rows if not found else ():
        specs = {side.name: side.row(row) for side in sides}
        run = [name for name, spec in specs.items() if spec]
        if 0 < len(run) < len(sides):
            found = True
            yield f"{row.name} runs for {', '.join(run)} alone, as it needs: {row.when}"
        elif len(set(specs.values())) > 1:
            found = True
            yield "; ".join(f"{name} runs {spec}" for name, spec in specs.items())
    if not found:
        yield "it follows from the other differences: what one fusion takes another cannot"
