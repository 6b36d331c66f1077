"""`--check-target` and `--print-target`: what is wrong with a target file, and a target as an equal file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rlx_dialect.decompose import composite_ops
from rlx_dialect.kinds import KINDS
from rlx_passes.budget.limits import NO_BOUND, UNBOUNDED, FusionLimits
from rlx_passes.core.errors import PipelineError, TargetError, did_you_mean
from rlx_passes.core.spec import PassSpec
from rlx_passes.pipeline.target import is_file, load_target, read_named, read_target, target_files
from rlx_passes.policy.extensions import foreign_kinds
from rlx_passes.policy.fusion_target import FusionTarget, Route
from rlx_passes.policy.policy import all_rows, claimable

if TYPE_CHECKING:
    from xdsl.ir import Operation
    from xdsl.passes import ModulePass


def check_target(name_or_path: str) -> tuple[str, ...]:
    """
    Everything that is wrong with a target, one line each; nothing where all is well.

    Beside what the reader of target files refuses: limits under which no region can be, options that no pass takes, a
    lowering or generator that does not exist, claims without a lowering, and forms of the lowering without a claim.
    Raises TargetError when there is no such file.
    """
    named = target_files()
    file = named.get(name_or_path, Path(name_or_path))
    if name_or_path not in named and not is_file(name_or_path):
        load_target(name_or_path)  # says which names there are
    faults: list[TargetError] = []
    target = read_named(name_or_path, file, faults) if name_or_path in named else read_target(file, faults)
    found = [str(fault).removeprefix(f"{file}: ") for fault in faults]
    found += _limits(target)
    found += _claim_options(target)
    found += _lowering(target)
    found += _generator(target)
    return tuple(f"{file}: {line}" for line in found)


def _limits(target: FusionTarget) -> Iterator[str]:
    steps = target.limits.max_elementwise_steps
    if target.supports("ElementwiseRegion") and steps == 1:
        yield (
            "limits.max-elementwise-steps = 1: a region has at least two steps, "
            "so none can be made; do not claim ElementwiseRegion"
        )
    inputs = target.limits.max_elementwise_inputs
    if steps != NO_BOUND and inputs != NO_BOUND and inputs > 2 * steps + 1:
        yield f"limits.max-elementwise-inputs = {inputs}: {steps} steps read at most {2 * steps + 1} values"


def _claim_options(target: FusionTarget) -> Iterator[str]:
    for kind, options in target.claim_options.items():
        if not target.supports(kind):
            yield f"claim.{kind}: options of a kind that is not in claims"
        rows = [row for row in all_rows() if row.claim == kind]
        faults = [_fault_of(PassSpec(row.name, _taken(options, row.options))) for row in rows]
        yield from dict.fromkeys(f"claim.{kind}: {fault}" for fault in faults if fault)


def _taken(options: Mapping[str, tuple[str, ...]], keys: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((key, words) for key, words in options.items() if key in keys)


def _fault_of(spec: PassSpec) -> str:
    from rlx_passes.registry.instantiate import create_passes

    try:
        create_passes([spec])
    except PipelineError as fault:
        return str(fault)
    return ""


def _lowering(target: FusionTarget) -> Iterator[str]:
    from rlx_passes.lowerings.forms import LoweringPass
    from rlx_passes.universe import all_passes

    if target.lowering is None:
        if target.unclaimed:
            yield "lower.unclaimed: nothing is lowered without lower.pass"
        return
    if fault := _fault_of(target.lowering):
        yield f"lower: {fault}"
    name = target.lowering.name
    cls: type[ModulePass] | None = all_passes()[name]() if name in all_passes() else None
    if cls is None or not issubclass(cls, LoweringPass):
        return  # a pass of another package does not say what it lowers
    forms = frozenset(op.name for op in cls.forms())
    lowers = frozenset(op.name for op in (*cls.lowers(), *_with_plain_form()))
    for kind in claimable():
        op = KINDS[kind].op
        if target.supports(kind) and op not in lowers:
            yield f"claims: '{kind}' has no lowering in {name}"
        if target.supports(kind) and kind in target.unclaimed:
            yield f"lower.unclaimed: '{kind}' is claimed"
        if kind in target.unclaimed and op not in forms:
            yield f"lower.unclaimed: {name} has no form of its own for '{kind}'"
        if op in forms and not target.supports(kind) and kind not in target.unclaimed:
            yield f"claims: {name} lowers '{kind}', which is not claimed; claim it, or put it into lower.unclaimed"


def _with_plain_form() -> "Iterator[type[Operation]]":
    """The ops of other packages that say themselves what they stand for."""
    from rlx_passes.universe import all_dialects

    dialects = all_dialects()
    for name in {op.partition(".")[0] for op in foreign_kinds().values()} & dialects.keys():
        yield from (op for op in dialects[name]().operations if op in composite_ops())


def _generator(target: FusionTarget) -> Iterator[str]:
    known = [name for name in target_files() if load_target(name).route().emitter]
    if target.generator and target.generator not in known:
        close = did_you_mean(target.generator, known)
        yield f'codegen.generator = "{target.generator}": no such code generator{close}'
    if target.default_chip and not target.generator and not target.route().emitter:
        yield (
            f'codegen.default-chip = "{target.default_chip}": no code generator is called {target.name}; set '
            "codegen.generator"
        )


def print_target(target: FusionTarget) -> str:
    """The target as a TOML file with every key written out; reading it gives an equal target."""
    io = target.io
    lines = [f"name = {_toml(target.name)}", f"summary = {_toml(target.summary)}"]
    lines += [f"claims = {_toml(sorted(target.claims, key=claimable().index))}", f"dtypes = {_toml(target.dtypes)}"]
    lines += [f"epilogues = {_toml(target.epilogues)}", f"tee = {_toml(target.tee)}"]
    lines += _table("regions", {"unfuse": target.unfuse, "list-unfuses": target.list_unfuses})
    lines += _entries({"native": target.native_regions, "keep-prologue": target.keep_prologue})
    lines += _table("limits", _limit_entries(target.limits))
    lines += _table("environment", {"reads": target.reads})
    lines += _table("io", {"dispatch-ns": io.dispatch_ns, "roundtrip-ns": io.roundtrip_ns, "memory-bw": io.memory_bw})
    lines += _entries({"readback-bw": io.host_readback_bw, "unified": io.unified_memory})
    lines += _entries({"host-penalty-ns": io.host_thunk_penalty_ns, "min-gain-ns": io.min_gain_ns})
    lines += _entries({"select-peaks-only": target.select_peaks_only})
    if target.lowering is not None:
        lines += _table("lower", {"pass": target.lowering.name, "unclaimed": target.unclaimed})
        lines += _table("lower.options", {key: words or () for key, words in target.lowering.options})
    lines += _table("codegen", {"default-chip": target.default_chip, "generator": target.generator})
    lines += _entries({"fallback-chip": target.fallback_chip})
    lines += _entries({"via": target.via} if target.via else _route(target.route()))
    for name, route in target.routes.items():
        if name:
            lines += _table(f"route.{name}", _route(route))
    if target.storage is not None:
        lines += _table("storage", {"max-buffers": target.storage.max_buffers})
        lines += _table("storage.dtypes", target.storage.dtypes)
    for kind, options in target.claim_options.items():
        lines += _table(f"claim.{kind}", options)
    return "\n".join(lines)


def _limit_entries(limits: FusionLimits) -> Mapping[str, object]:
    if limits == UNBOUNDED:
        return {"unbounded": True}
    return {
        "max-elementwise-steps": limits.max_elementwise_steps,
        "max-elementwise-inputs": limits.max_elementwise_inputs,
    }


def _table(name: str, entries: Mapping[str, object]) -> list[str]:
    return ["", f"[{name}]", *_entries(entries)]


def _entries(entries: Mapping[str, object]) -> list[str]:
    return [f"{key} = {_toml(value)}" for key, value in entries.items()]


def _route(route: Route) -> dict[str, object]:
    return {key.replace("_", "-"): value for key, value in asdict(route).items() if value}


def _toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        case tuple() | list():
            return f"[{', '.join(map(_toml, cast('Sequence[object]', value)))}]"
        case _:
            return repr(value)
