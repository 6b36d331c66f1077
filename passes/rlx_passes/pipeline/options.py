"""The options of a fusion pipeline: its switches as a target and the environment set them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rlx_passes.budget.limits import UNBOUNDED
from rlx_passes.pipeline.target import load_target
from rlx_passes.policy.flags import FusionFlags
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.switches.environment import Environment, current
from rlx_passes.switches.variables import OPTIONS, changes


@dataclass(frozen=True)
class FusionOptions(FusionFlags):
    """What the fusion pipeline is to do. A value: compare it, copy it with `dataclasses.replace`."""

    @staticmethod
    def for_cpu() -> "FusionOptions":
        """Unfuse elementwise regions, no bounds; reads no environment."""
        return FusionOptions(unfuse_elementwise_regions=True, fusion_limits=UNBOUNDED)

    @staticmethod
    def from_metal_env(environment: Environment | None = None) -> "FusionOptions":
        """The defaults under the eight variables that the metal target reads."""
        return _apply(FusionOptions(), load_target("metal").reads, environment or current())

    @staticmethod
    def for_metal(environment: Environment | None = None) -> "FusionOptions":
        """`for_target` of metal: `from_metal_env`, and unfuse unless regions are kept."""
        return FusionOptions.for_target("metal", environment)

    @staticmethod
    def for_wgpu(environment: Environment | None = None) -> "FusionOptions":
        """`for_target` of wgpu: keep regions if the environment says so, else unfuse."""
        return FusionOptions.for_target("wgpu", environment)

    @staticmethod
    def for_target(target: FusionTarget | str, environment: Environment | None = None) -> "FusionOptions":
        """
        The options of a target: its limits, the variables it reads, and its rule for elementwise regions.

        A kept region does not clear an unfuse that the environment asked for: unfuse wins.
        """
        if isinstance(target, str):
            target = load_target(target)
        options = _apply(FusionOptions(fusion_limits=target.limits), target.reads, environment or current())
        unfuse = {"never": False, "always": True, "unless-kept": not options.keep_elementwise_regions}[target.unfuse]
        return replace(options, unfuse_elementwise_regions=options.unfuse_elementwise_regions or unfuse)

    def merge_env(self, environment: Environment | None = None) -> "FusionOptions":
        """These options under every variable of `variables.OPTIONS`, whichever the target."""
        return _apply(self, (variable.name for variable in OPTIONS), environment or current())

    def apply_native_fk_defaults(self, target: FusionTarget, environment: Environment | None = None) -> "FusionOptions":
        """
        Keep transform and batch regions where the target does so by default. Idempotent.

        `RLX_NO_NATIVE_FK_REGIONS` beats an explicit `native_fk_regions`, on every target and every entry point.
        """
        environment = environment or current()
        if environment.flag("RLX_NO_NATIVE_FK_REGIONS"):
            return replace(self, native_fk_regions=False)
        native = self.native_fk_regions or environment.flag("RLX_NATIVE_FK_REGIONS") or target.native_regions
        return replace(self, native_fk_regions=native)


def _apply(options: FusionOptions, names: Iterable[str], environment: Environment) -> FusionOptions:
    return replace(options, **changes(names, lambda name: not environment.is_unset(name), environment.flag))
