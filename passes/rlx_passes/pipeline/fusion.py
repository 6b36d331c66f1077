"""`rlx-fusion`: the fusion pipeline of a target as one pass."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from rlx_passes.errors import PipelineError, did_you_mean
from rlx_passes.pipeline import builder
from rlx_passes.pipeline.builder import PassList
from rlx_passes.pipeline.claims import CLAIMABLE
from rlx_passes.pipeline.composite import CompositePass
from rlx_passes.pipeline.environment import current
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.row_options import COMPATS, Tuning
from rlx_passes.pipeline.spec import PassSpec
from rlx_passes.pipeline.target import FusionTarget, load_target

SWITCHES = (
    *("skip_fusion", "unfuse_elementwise_regions", "keep_elementwise_regions", "decompose_fusion_regions"),
    *("fk_fusion", "fuse_region_prologue", "fuse_batch_preprocess", "native_fk_regions"),
    *("disable_conv_bias_act_fusion", "no_io_peaks_output"),
)

Entry = Literal["fuse", "fusion-passes", "supported", "fk-after"]

ENTRIES: Mapping[str, Callable[[FusionTarget, FusionOptions], PassList]] = {
    "fuse": lambda target, options: builder.fusion_passes_for_supported(target.claims, options, target),
    "fusion-passes": builder.fusion_passes,
    "supported": lambda target, options: builder.fusion_passes_for_supported(target.claims, options, target),
    "fk-after": lambda target, options: builder.fk_passes_after_elementwise_regions(target.claims, options, target),
}


@dataclass(frozen=True)
class FusionPass(CompositePass):
    """
    The gated fusion list of a target.

    `target` or `target-file` says what can be lowered; `claims` replaces the claim table and `disable` takes from it.
    `entry=fuse` starts from the options of the target under the environment, every other entry from the default options;
    `merge-env` lets the whole environment count. Then a switch that is given by name replaces that option, and a limit
    that is given always holds. `compat-*` restores the original's behaviour, `compat` all of it.
    """

    name = "rlx-fusion"

    target: str | None = None
    target_file: str | None = None
    entry: Entry = "fuse"
    merge_env: bool = False
    claims: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    pack_attention: bool = False

    skip_fusion: bool | None = None
    unfuse_elementwise_regions: bool | None = None
    keep_elementwise_regions: bool | None = None
    decompose_fusion_regions: bool | None = None
    fk_fusion: bool | None = None
    fuse_region_prologue: bool | None = None
    fuse_batch_preprocess: bool | None = None
    native_fk_regions: bool | None = None
    disable_conv_bias_act_fusion: bool | None = None
    no_io_peaks_output: bool | None = None
    max_elementwise_steps: int | None = None
    max_elementwise_inputs: int | None = None

    compat: bool = False
    compat_attention_block: bool = False
    compat_epilogues: bool = False
    compat_conv: bool = False
    compat_dtypes: bool = False
    compat_tee: bool = False
    compat_signatures: bool = False

    def expand(self) -> tuple[PassSpec, ...]:
        return self.resolved().specs(self._tuning())

    def resolved(self) -> PassList:
        """The rows of the policy that these options select, under the environment of now."""
        target = self._target()
        return ENTRIES[self.entry](target, self._options(target))

    def _target(self) -> FusionTarget:
        if (self.target is None) == (self.target_file is None):
            raise PipelineError(f"pass '{self.name}' needs either target= or target-file=")
        target = load_target(self.target) if self.target is not None else load_target(_as_path(self.target_file or ""))
        for option, kinds in (("claims", self.claims), ("disable", self.disable)):
            for kind in kinds:
                if kind not in CLAIMABLE:
                    close = did_you_mean(kind, CLAIMABLE)
                    raise PipelineError(f"option '{option}' of pass '{self.name}': no op kind '{kind}'{close}")
        table = frozenset(self.claims) or target.claims
        if self.disable:
            table = (table or frozenset(CLAIMABLE)) - frozenset(self.disable)
            if not table:
                raise PipelineError(
                    f"option 'disable' of pass '{self.name}' leaves no claim, and an empty table claims everything; "
                    "use skip-fusion=true to run no fusion"
                )
        return target.with_claims(table)

    def _options(self, target: FusionTarget) -> FusionOptions:
        environment = current()
        options = FusionOptions.for_target(target, environment) if self.entry == "fuse" else FusionOptions()
        if self.merge_env:
            options = options.merge_env(environment)
        given = {name: getattr(self, name) for name in SWITCHES if getattr(self, name) is not None}
        if self.keep_elementwise_regions:
            given = {"unfuse_elementwise_regions": False, **given}
        return replace(options, **given)

    def _tuning(self) -> Tuning:
        limits: dict[str, tuple[str, ...]] = {}
        for name in ("max_elementwise_steps", "max_elementwise_inputs"):
            bound: int | None = getattr(self, name)
            if bound is not None and bound < 1:
                raise PipelineError(f"option '{_key(name)}' of pass '{self.name}' must be at least 1, not {bound}")
            if bound is not None:
                limits[_key(name)] = (str(bound),)
        compat = frozenset(part for part in COMPATS if self.compat or getattr(self, "compat_" + part.replace("-", "_")))
        return Tuning(self.pack_attention, compat, limits)


def _key(name: str) -> str:
    return name.replace("_", "-")


def _as_path(file: str) -> str:
    return file if file.endswith(".toml") or "/" in file else f"./{file}"
