"""A target as a value: what a backend can lower, and what that makes of the fusion list."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from rlx_passes.budget.io_gate import FREE, GraphIoProfile, IoFusionGate
from rlx_passes.budget.limits import GPU_NATIVE, FusionLimits
from rlx_passes.core.errors import TargetError, did_you_mean
from rlx_passes.core.spec import PassSpec


def supports_op(table: frozenset[str], kind: str) -> bool:
    """Whether a claim table holds `kind`. An empty table claims everything."""
    return not table or kind in table


@dataclass(frozen=True)
class Storage:
    """How kernel buffers are kept: the dtype each dtype is stored as, if another, and the most that a loop may have."""

    dtypes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType[str, str]({}), hash=False)
    max_buffers: int = 1


@dataclass(frozen=True)
class Route:
    """
    One way of a target to code that runs.

    `emitter` is the module of `rlx_passes.codegen` that makes the code, `runner` the class of `rlx_passes.runtime` that
    runs it, as `module:name`. `in_place` says that inputs which a program gives up are written over.
    """

    emitter: str = ""
    runner: str = ""
    in_place: bool = False


@dataclass(frozen=True)
class FusionTarget:
    """What is to be known about a target. Compares by value; `claims` empty means that every op is claimed."""

    name: str
    summary: str = ""
    claims: frozenset[str] = frozenset()
    dtypes: tuple[str, ...] = ("f32", "f16", "bf16")
    epilogues: tuple[str, ...] = ()
    tee: bool = True
    claim_options: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=lambda: MappingProxyType[str, Mapping[str, tuple[str, ...]]]({}), hash=False
    )
    """Options of the passes of one claim, where they differ from those of the target."""
    unfuse: str = "never"
    list_unfuses: bool = False
    native_regions: bool = True
    keep_prologue: bool = True
    limits: FusionLimits = GPU_NATIVE
    reads: tuple[str, ...] = ()
    """The environment variables that `FusionOptions.for_target` reads."""
    io: IoFusionGate = FREE
    select_peaks_only: bool = True
    lowering: PassSpec | None = None
    unclaimed: tuple[str, ...] = ()
    """Op kinds that the lowering has a form of its own for, and that are not claimed on purpose."""
    default_chip: str = ""
    generator: str = ""
    """The target whose code generation `rlx-emit` uses, where it is not this one."""
    routes: Mapping[str, Route] = field(default_factory=lambda: MappingProxyType[str, Route]({"": Route()}), hash=False)
    """The ways to code, by what option `via` calls them; a target with one way alone has that without a name."""
    via: str = ""
    """The route that is meant where none is named; it is not written into pipelines."""
    fallback_chip: str = ""
    """The chip that is meant where no pipeline names one; unlike the default one it is not written into pipelines."""
    storage: Storage | None = None
    """For targets whose code is kernels over buffers."""

    def supports(self, kind: str) -> bool:
        """Whether the target claims the op kind."""
        return supports_op(self.claims, kind)

    def route(self, via: str = "") -> Route:
        """The route called `via`, or the one that is meant without a name. Raises TargetError for an unknown one."""
        if (route := self.routes.get(via or self.via)) is not None:
            return route
        known = [name for name in self.routes if name]
        if not known:
            raise TargetError(f"via={via}: target '{self.name}' has one way to code alone; leave `via` out")
        raise TargetError(f"via={via}: target '{self.name}' knows {', '.join(known)}{did_you_mean(via, known)}")

    def required_storage(self) -> Storage:
        """The table `storage`. Raises TargetError for a target without one."""
        if self.storage is None:
            raise TargetError(
                f"target '{self.name}' does not say how buffers are kept: add a table `storage`, "
                "or name a target with one"
            )
        return self.storage

    def with_claims(self, claims: frozenset[str]) -> "FusionTarget":
        """The same target with another claim table."""
        return replace(self, claims=claims)


def should_fuse_with_target(target: FusionTarget, before: GraphIoProfile, after: GraphIoProfile) -> bool:
    """`IoFusionGate.should_fuse` with the price list of `target`."""
    return target.io.should_fuse(before, after)
