"""
Reading targets. A target is a TOML file and nothing else.

The built-in ones lie in `targets/`, extensions name theirs, and a path names one of the user's own.
"""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from rlx_passes.budget.io_gate import IoFusionGate
from rlx_passes.budget.limits import GPU_NATIVE, NO_BOUND, UNBOUNDED, FusionLimits
from rlx_passes.core.errors import TargetError, did_you_mean
from rlx_passes.core.spec import PassSpec
from rlx_passes.pipeline.table import Table
from rlx_passes.policy.extensions import fault, installed
from rlx_passes.policy.fusion_target import FusionTarget, Route, Storage
from rlx_passes.policy.policy import claimable, options_of_claim
from rlx_passes.switches.variables import OPTIONS

TARGETS = Path(__file__).parent / "targets"

UNFUSE_RULES = ("never", "always", "unless-kept")


def builtin_targets() -> tuple[str, ...]:
    """The names of the targets that come with the package, sorted."""
    return tuple(sorted(file.stem for file in TARGETS.glob("*.toml")))


def target_files() -> Mapping[str, Path]:
    """The files of the targets that have a name, by that: the built-in ones, then those of extensions."""
    files = {name: TARGETS / f"{name}.toml" for name in builtin_targets()}
    for extension in installed():
        for file in extension.targets:
            if files.setdefault(file.stem, file) != file:
                raise fault(extension, f"there is a target '{file.stem}' already")
    return files


def load_target(name_or_path: str | Path) -> FusionTarget:
    """
    The target of that name, or the target in that TOML file (anything with a `.toml` ending or a separator).

    Raises TargetError for an unknown name and for a malformed file.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or is_file(text):
        return read_target(Path(text))
    files = target_files()
    if text not in files:
        raise TargetError(f"unknown target '{text}'; known: {', '.join(files)}{did_you_mean(text, files)}")
    return _named(text, files[text])


def is_file(name: str) -> bool:
    """Whether a target is given by its file rather than by name."""
    return name.endswith(".toml") or "/" in name


def supported_for_target(name: str) -> frozenset[str]:
    """The claim table of a target."""
    return load_target(name).claims


def fusion_limits_for_target(name: str) -> FusionLimits:
    """The bounds on elementwise regions of a target."""
    return load_target(name).limits


def io_fusion_gate_for_target(name: str) -> IoFusionGate:
    """The price list of a target."""
    return load_target(name).io


@cache
def _named(name: str, file: Path) -> FusionTarget:
    try:
        return read_named(name, file)
    except TargetError as error:
        for extension in installed():
            if file in extension.targets:
                raise TargetError(f"extension '{extension.name}': {error}") from error
        raise


def read_named(name: str, file: Path, faults: list[TargetError] | None = None) -> FusionTarget:
    """`read_target` for the file of a target that goes by its name, which must be the same inside."""
    found = list[TargetError]() if faults is None else faults
    target = read_target(file, found)
    if target.name != name and not found:
        found.append(TargetError(f'{file}: name = "{target.name}": must be that of the file, "{name}"'))
    if faults is None and found:
        raise found[0]
    return target


def read_target(file: Path, faults: list[TargetError] | None = None) -> FusionTarget:
    """
    The target in a TOML file; raises TargetError that names the file, the key and the value.

    A list in `faults` takes every fault in their place; only a file that is no TOML is raised then.
    """
    from rlx_dialect.attributes import Activation  # here, so that a name alone loads no dialect
    from rlx_dialect.dtypes import DTYPES

    top = Table.read(file, faults)
    top.only(
        *("name", "summary", "claims", "dtypes", "epilogues", "tee"),
        *("regions", "limits", "environment", "io", "lower", "codegen", "route", "storage", "claim"),
    )
    regions, environment = top.table("regions"), top.table("environment")
    regions.only("unfuse", "list-unfuses", "native", "keep-prologue")
    environment.only("reads")
    io, codegen = top.table("io"), top.table("codegen")
    codegen.only("default-chip", "generator", "emitter", "fallback-chip", "in-place", "runner", "via")
    routes, via = _routes(top.table("route"), codegen)

    claim_options: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for kind in (claim := top.table("claim")).entries:
        if kind not in claimable():
            claim.wrong(kind, f"no such op kind{did_you_mean(kind, claimable())}")
            continue
        table = claim.table(kind)
        table.only(*options_of_claim(kind))
        claim_options[kind] = MappingProxyType(dict(table.options()))

    name = top.scalar("name", str)
    if top.entries.get("name") == name and not name.strip():
        top.wrong("name", "must not be empty")
    return FusionTarget(
        name=name,
        summary=top.scalar("summary", str, ""),
        claims=frozenset(top.words("claims", claimable())),
        dtypes=top.words("dtypes", DTYPES, ("f32", "f16", "bf16")),
        epilogues=top.words("epilogues", [kind.value for kind in Activation]),
        tee=top.scalar("tee", bool, True),
        claim_options=MappingProxyType(claim_options),
        unfuse=regions.choice("unfuse", UNFUSE_RULES, "never"),
        list_unfuses=regions.scalar("list-unfuses", bool, False),
        native_regions=regions.scalar("native", bool, True),
        keep_prologue=regions.scalar("keep-prologue", bool, True),
        limits=_limits(top.table("limits")),
        reads=environment.words("reads", (variable.name for variable in OPTIONS)),
        io=_gate(io),
        select_peaks_only=io.scalar("select-peaks-only", bool, True),
        lowering=_lowering(top.table("lower")),
        unclaimed=top.table("lower").words("unclaimed", claimable()),
        default_chip=codegen.scalar("default-chip", str, ""),
        generator=codegen.scalar("generator", str, ""),
        routes=MappingProxyType(routes),
        via=via,
        fallback_chip=codegen.scalar("fallback-chip", str, ""),
        storage=_storage(top.table("storage")),
    )


def _routes(named: Table, codegen: Table) -> tuple[dict[str, Route], str]:
    """The routes by name and the name of the first choice; `codegen` holds the only one of a target without names."""
    if not named.entries:
        if "via" in codegen.entries:
            codegen.wrong("via", "there is no table `route` to choose from")
        return {"": _route(codegen)}, ""
    for key in ("emitter", "in-place", "runner"):
        if key in codegen.entries:
            codegen.wrong(key, "each table of `route` says its own")
    tables = {name: named.table(name) for name in named.entries}
    for table in tables.values():
        table.only("emitter", "in-place", "runner")
    return {name: _route(table) for name, table in tables.items()}, codegen.choice("via", tuple(tables), "")


def _route(table: Table) -> Route:
    emitter, runner = _module(table, "emitter", "codegen"), _module(table, "runner", "runtime")
    return Route(emitter, runner, in_place=table.scalar("in-place", bool, False))


def _module(table: Table, key: str, room: str) -> str:
    """A module of `room`, with the name of a class in it after a colon where one is given."""
    text = table.scalar(key, str, "")
    module, _, name = text.partition(":")
    if text and (
        not module.isidentifier()
        or (name and not name.isidentifier())
        or find_spec(f"rlx_passes.{room}.{module}") is None
    ):
        table.wrong(key, f"rlx_passes.{room} has no module '{module}'")
        return ""
    return text


def _storage(table: Table) -> Storage | None:
    from rlx_dialect.dtypes import DTYPES

    table.only("max-buffers", "dtypes")
    if not table.entries:
        return None
    dtypes = table.table("dtypes")
    known = tuple(DTYPES)
    dtypes.only(*known)
    kept = {name: dtypes.choice(name, known, name) for name in dtypes.entries if name in known}
    return Storage(MappingProxyType(kept), table.count("max-buffers", 1, NO_BOUND))


def _limits(table: Table) -> FusionLimits:
    table.only("unbounded", "max-elementwise-steps", "max-elementwise-inputs")
    base = UNBOUNDED if table.scalar("unbounded", bool, False) else GPU_NATIVE
    return FusionLimits(
        table.count("max-elementwise-steps", base.max_elementwise_steps, NO_BOUND),
        table.count("max-elementwise-inputs", base.max_elementwise_inputs, NO_BOUND),
    )


def _gate(table: Table) -> IoFusionGate:
    table.only(
        *("dispatch-ns", "roundtrip-ns", "memory-bw", "readback-bw", "unified", "host-penalty-ns", "min-gain-ns"),
        "select-peaks-only",
    )
    return IoFusionGate(
        dispatch_ns=table.number("dispatch-ns", 0),
        roundtrip_ns=table.number("roundtrip-ns", 0),
        memory_bw=table.number("memory-bw", 1),
        host_readback_bw=table.number("readback-bw", 1),
        unified_memory=table.scalar("unified", bool, False),
        host_thunk_penalty_ns=table.number("host-penalty-ns", 0),
        min_gain_ns=table.number("min-gain-ns", 0),
    )


def _lowering(table: Table) -> PassSpec | None:
    table.only("pass", "options", "unclaimed")
    if not table.entries:
        return None
    return PassSpec(table.scalar("pass", str), table.table("options").options())
