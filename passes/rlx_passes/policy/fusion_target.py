"""A target as a value: what a backend can lower, and what that makes of the fusion list."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from rlx_passes.budget.io_gate import FREE, GraphIoProfile, IoFusionGate
from rlx_passes.budget.limits import GPU_NATIVE, FusionLimits
from rlx_passes.core.errors import TargetError
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
    emitter: str = ""
    """The module of `rlx_passes.codegen` that makes its code."""
    fallback_chip: str = ""
    """The chip that is meant where no pipeline names one; unlike the default one it is not written into pipelines."""
    runner: str = ""
    """The class that runs its bundles, as `module:name` of `rlx_passes.runtime`."""
    storage: Storage | None = None
    """For targets whose code is kernels over buffers."""

    def supports(self, kind: str) -> bool:
        """Whether the target claims the op kind."""
        return supports_op(self.claims, kind)

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
