"""The fusion report: how many nodes there were and are, what was fused, what was not and why."""

import dataclasses
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from rlx_dialect.signature import arguments_of, donations_of, results_of
from rlx_passes.core.errors import InputError
from rlx_passes.policy.extensions import every_reason
from rlx_passes.report.counts import bodies, count
from rlx_passes.report.families import families
from rlx_passes.report.snapshot import Snapshot, snapshot
from rlx_passes.rewriting.miss import MissRecord, collect_misses

COUNTED_AS = {"silu": "rlx.activation silu", "mul": "rlx.binary mul"}
"""The key of `counts.count` that a field is read from where it is not the op of that name."""

COUNTED_MISSES = {
    "missed_mm_act": "matmul_bias_act",
    "missed_swiglu": "swiglu",
    "missed_shared_mm": "shared_input_matmul",
}
"""The patterns whose misses the summary counts, by what it calls them."""

_LISTS = ("changed_by", "unused_arguments", "donated")
"""The fields that are lists of text."""


@dataclass(frozen=True)
class FusionReport:
    """
    Counts of a fusion run. All but the `before` ones are of the fused program.

    A field with a default of 0 counts the ops of its name. `families` holds how many there are of each family of fused
    ops, those of other packages and those without a field included.
    """

    nodes_before: int
    nodes_after: int
    matmul_before: int
    matmul_after: int
    attention: int = 0
    rope: int = 0
    narrow: int = 0
    silu: int = 0
    mul: int = 0
    fused_matmul_bias_act: int = 0
    fused_swiglu: int = 0
    fused_residual_ln: int = 0
    fused_residual_rms_norm: int = 0
    fused_attention_block: int = 0
    fused_transformer_layer: int = 0
    elementwise_region: int = 0
    fused_conv_bias_act: int = 0
    fused_matmul_residual: int = 0
    ada_layer_norm: int = 0
    gated_residual: int = 0
    transform_region: int = 0
    batch_elementwise_region: int = 0
    families: tuple[tuple[str, int], ...] = ()
    missed: tuple[MissRecord, ...] = ()
    changed_by: tuple[str, ...] = ()
    """The passes that changed the program, in order."""
    passes_run: int = 0
    unused_arguments: tuple[str, ...] = ()
    """Arguments of public functions that nothing reads, as `@function argument`."""
    donated: tuple[str, ...] = ()
    """Inputs of public functions that are given up, as `@function input -> output`."""

    @staticmethod
    def analyze(
        before: Mapping[str, int],
        module: ModuleOp,
        missed: tuple[MissRecord, ...] = (),
        changed_by: tuple[str, ...] = (),
        passes_run: int = 0,
    ) -> "FusionReport":
        """The report for a program whose counts were `before` (of `counts.count`) and that is now `module`."""
        after = count(module)
        return FusionReport(
            nodes_before=before.get("nodes", 0),
            nodes_after=after.get("nodes", 0),
            matmul_before=before.get("rlx.matmul", 0),
            matmul_after=after.get("rlx.matmul", 0),
            **{
                field.name: after.get(COUNTED_AS.get(field.name, f"rlx.{field.name}"), 0)
                for field in dataclasses.fields(FusionReport)
                if field.default == 0 and field.name != "passes_run"
            },
            families=tuple(sorted(families(module).items())),
            missed=missed,
            changed_by=changed_by,
            passes_run=passes_run,
            unused_arguments=unused_arguments(module),
            donated=donated(module),
        )

    @staticmethod
    def scan(module: ModuleOp) -> "FusionReport":
        """The counts of one program, as before and after alike."""
        return FusionReport.analyze(count(module), module)

    @property
    def misses(self) -> tuple[MissRecord, ...]:
        """Every candidate that did not fuse, with its coded reason: the field `missed`."""
        return self.missed

    def missed_of(self, pattern: str) -> int:
        """How many misses a pattern had."""
        return sum(miss.pattern == pattern for miss in self.missed)

    @property
    def summary_line(self) -> str:
        """The counts that matter most, on one line of `key=value`; those of other packages come last."""
        foreign = (f"{name}={number}" for name, number in self.families if "." in name)
        return " ".join(
            (
                f"nodes={self.nodes_before}→{self.nodes_after}",
                f"matmul={self.matmul_before}→{self.matmul_after}",
                f"fused_mm_act={self.fused_matmul_bias_act}",
                f"fused_swiglu={self.fused_swiglu}",
                f"elementwise_region={self.elementwise_region}",
                *(f"{key}={self.missed_of(pattern)}" for key, pattern in COUNTED_MISSES.items()),
                *foreign,
            )
        )

    def to_json(self) -> dict[str, object]:
        """Every field by name, in types that `json` takes."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields |= {key: list(fields[key]) for key in _LISTS}
        return {**fields, "families": dict(self.families), "missed": [_miss_json(miss) for miss in self.missed]}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "FusionReport":
        """The report that `to_json` made `data` of. Raises `InputError` for data that it did not make."""
        known = {field.name for field in dataclasses.fields(FusionReport)}
        if set(data) != known:
            odd = ", ".join(sorted(set(data) ^ known))
            raise InputError(f"not the JSON of a fusion report: these fields are missing or unknown: {odd}")
        lists: dict[str, Any] = {key: tuple(data[key]) for key in _LISTS}
        lists["families"] = tuple(data["families"].items())
        fields: dict[str, Any] = {**data, **lists, "missed": tuple(map(_miss_of, data["missed"]))}
        return FusionReport(**fields)

    def __str__(self) -> str:
        lines = ["fusion report:", f"  {self.summary_line}"]
        if self.missed:
            lines += ["missed patterns:", *(f"  {miss}" for miss in self.missed)]
        if self.donated:
            lines += ["donated inputs:", *(f"  {each}" for each in self.donated)]
        return "\n".join(lines)


def _miss_json(miss: MissRecord) -> dict[str, object]:
    return {
        "pattern": miss.pattern,
        "root": miss.root,
        "location": miss.location,
        "code": miss.reason.code,
        "reason": miss.reason.title,
        "blockers": list(miss.blockers),
        "detail": miss.detail,
    }


def _miss_of(data: Mapping[str, Any]) -> MissRecord:
    reason = next((reason for reason in every_reason() if reason.code == data["code"]), None)
    if reason is None:
        raise InputError(f"not the JSON of a fusion report: no reason has the code {data['code']}")
    blockers = tuple(data["blockers"])
    return MissRecord(data["pattern"], data["root"], data["location"], reason, blockers, data["detail"])


def unused_arguments(module: ModuleOp) -> tuple[str, ...]:
    """The arguments of public functions that have no use, by function and name."""
    return tuple(
        f"@{func.sym_name.data} {arg.name_hint or f'arg{arg.index}'}"
        for func in bodies(module)
        if _is_public(func)
        for arg in func.body.blocks[0].args
        if not arg.uses
    )


def donated(module: ModuleOp) -> tuple[str, ...]:
    """The inputs of public functions that are given up, by function, and the results that may take their place."""
    return tuple(
        f"@{func.sym_name.data} {arguments_of(func)[argument].name} -> {results_of(func)[result].name}"
        for func in bodies(module)
        if _is_public(func)
        for argument, result in donations_of(func).items()
    )


def _is_public(func: FuncOp) -> bool:
    return func.sym_visibility is None or func.sym_visibility.data == "public"


Probe = Callable[[ModulePass, ModuleOp], tuple[MissRecord, ...]]
"""Asked for more misses after each pass."""


def no_more(pass_: ModulePass, module: ModuleOp) -> tuple[MissRecord, ...]:
    """The probe that finds nothing."""
    return ()


class Recorder:
    """
    Watches a pipeline run over one module: counts before it, fusions that are missed, and, unless `in_full` is False,
    passes that change it.
    """

    def __init__(self, module: ModuleOp, missed: list[MissRecord], probe: Probe = no_more, *, in_full: bool = True):
        self.module = module
        self.probe = probe
        self.probed: tuple[MissRecord, ...] = ()
        self.before = count(module)
        self.missed = missed
        self.changed: list[str] = []
        self.passes_run = 0
        self.last: Snapshot | None = snapshot(module) if in_full else None

    def after_pass(self, pass_: ModulePass, module: ModuleOp, touched: bool = True) -> None:
        """Note whether `pass_` changed the module, which it did not unless it `touched` it."""
        self.passes_run += 1
        if touched and self.last is not None:
            now = snapshot(module)
            if now != self.last:
                self.changed.append(pass_.name)
            self.last = now
        self.probed += self.probe(pass_, module)

    def report(self) -> FusionReport:
        """The report of the run so far."""
        changed, missed = tuple(self.changed), (*self.missed, *self.probed)
        return FusionReport.analyze(self.before, self.module, missed, changed, self.passes_run)


@contextmanager
def reporting(module: ModuleOp, probe: Probe = no_more, *, in_full: bool = True) -> Generator[Recorder]:
    """Record what passes do to `module` in a `with` block; call `Recorder.after_pass` after each: it asks `probe`."""
    with collect_misses() as missed:
        yield Recorder(module, missed, probe, in_full=in_full)
