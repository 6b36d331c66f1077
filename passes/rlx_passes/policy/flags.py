"""The switches of the fusion pipeline, as values."""

from dataclasses import dataclass

from rlx_passes.budget.limits import GPU_NATIVE, FusionLimits


@dataclass(frozen=True)
class FusionFlags:
    """What the fusion pipeline is to do. `FusionOptions` makes them of a target and the environment."""

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
