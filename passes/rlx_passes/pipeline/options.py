"""The switches of the fusion pipeline, and how the environment sets them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from rlx_passes.pipeline.environment import VARIABLES, Environment, current
from rlx_passes.pipeline.limits import GPU_NATIVE, UNBOUNDED, FusionLimits
from rlx_passes.pipeline.target import FusionTarget, load_target


@dataclass(frozen=True)
class FusionOptions:
    """What the fusion pipeline is to do. A value: compare it, copy it with `dataclasses.replace`."""

    skip_fusion: bool = False
    """Only the two lowering passes run."""
    unfuse_elementwise_regions: bool = False
    """Do not mark elementwise regions, and take apart those that are there."""
    keep_elementwise_regions: bool = False
    """Keep a target's or a list's default from unfusing; an explicit unfuse wins."""
    decompose_fusion_regions: bool = False
    """Always take transform and batch regions apart."""
    fk_fusion: bool = True
    """Run the batch-slice, transform, prologue and batch-preprocess passes."""
    fuse_region_prologue: bool = True
    fuse_batch_preprocess: bool = True
    native_fk_regions: bool = False
    """Keep transform and batch regions where the target claims both."""
    fusion_limits: FusionLimits = GPU_NATIVE
    disable_conv_bias_act_fusion: bool = False
    no_io_peaks_output: bool = False

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
        """These options under every variable of `environment.VARIABLES`, whichever the target."""
        return _apply(self, VARIABLES, environment or current())

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


Setter = Callable[[FusionOptions, bool], FusionOptions]


def _sets(field: str, value: bool = True) -> Setter:
    """A variable that, when true, sets a field to a fixed value; when false it changes nothing."""
    return lambda options, on: replace(options, **{field: value}) if on else options


def _is(field: str) -> Setter:
    """A variable whose truth is the field, once it is set at all."""
    return lambda options, on: replace(options, **{field: on})


SETTERS: dict[str, Setter] = {
    "RLX_METAL_NO_FUSION": _sets("skip_fusion"),
    "RLX_METAL_UNFUSE_REGIONS": _sets("unfuse_elementwise_regions"),
    "RLX_KEEP_ELEMENTWISE_REGIONS": _sets("keep_elementwise_regions"),
    "RLX_DECOMPOSE_FUSION_REGIONS": _sets("decompose_fusion_regions"),
    "RLX_NO_FK_FUSION": _sets("fk_fusion", False),
    "RLX_FUSE_REGION_PROLOGUE": _is("fuse_region_prologue"),
    "RLX_FUSE_BATCH_PREPROCESS": _is("fuse_batch_preprocess"),
    "RLX_NATIVE_FK_REGIONS": _sets("native_fk_regions"),
    "RLX_NO_NATIVE_FK_REGIONS": _sets("native_fk_regions", False),
    "RLX_DISABLE_CONV_BIAS_ACT_FUSION": _sets("disable_conv_bias_act_fusion"),
    "RLX_NO_IO_PEAKS_OUTPUT": _sets("no_io_peaks_output"),
}
"""What each variable of `environment.VARIABLES` does to the options."""


def _apply(options: FusionOptions, names: Iterable[str], environment: Environment) -> FusionOptions:
    for name in (name for name in VARIABLES if name in names):
        if not environment.is_unset(name):
            options = SETTERS[name](options, environment.flag(name))
    return options
