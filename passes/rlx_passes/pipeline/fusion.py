"""`rlx-fusion`: the fusion pipeline of a target as one pass."""

from dataclasses import dataclass, replace
from typing import Literal

from rlx_passes.core.errors import PipelineError, did_you_mean
from rlx_passes.core.spec import PassSpec
from rlx_passes.pipeline.builder import PassList, pass_list
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.row_options import Tuning
from rlx_passes.pipeline.target import load_target
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.policy.policy import CHECK, PACK_ATTENTION, all_rows, claimable
from rlx_passes.registry.composite import CompositePass
from rlx_passes.switches.environment import current
from rlx_passes.switches.original import ENTRIES, PARTS, field_of

SWITCHES = (
    *("skip_fusion", "unfuse_elementwise_regions", "keep_elementwise_regions", "decompose_fusion_regions"),
    *("fk_fusion", "fuse_region_prologue", "fuse_batch_preprocess", "native_fk_regions"),
    *("disable_conv_bias_act_fusion", "no_io_peaks_output"),
)

_MARKING = ("max_elementwise_steps", "max_elementwise_inputs")
_FUSING = (
    *("pack_attention", "keep_elementwise_regions", "unfuse_elementwise_regions", "decompose_fusion_regions"),
    *("fk_fusion", "fuse_region_prologue", "fuse_batch_preprocess", "native_fk_regions", "compat", *_MARKING),
)
CONTRADICTIONS: tuple[tuple[str, object, tuple[str, ...], str], ...] = (
    ("skip_fusion", True, _FUSING, "only the two lowering passes run"),
    ("fk_fusion", False, ("fuse_region_prologue", "fuse_batch_preprocess"), "none of the region passes runs"),
    ("decompose_fusion_regions", True, ("native_fk_regions",), "transform and batch regions are taken apart"),
    ("unfuse_elementwise_regions", True, _MARKING, "no elementwise region is marked"),
    (
        "entry",
        "fk-after",
        ("skip_fusion", "pack_attention", "keep_elementwise_regions", "unfuse_elementwise_regions", *_MARKING),
        "this list comes after the marking of elementwise regions and neither marks nor unfuses them",
    ),
)
"""An option with a value, the options that it makes pointless, and why."""

Entry = Literal["fuse", "fusion-passes", "supported", "fk-after"]


@dataclass(frozen=True)
class FusionPass(CompositePass):
    """
    The gated fusion list of a target.

    `target` or `target-file` says what can be lowered; `claims` replaces the claim table, `disable` takes op kinds from
    it and passes from the list. `entry=fuse` starts from the options of the target under the environment, every other
    entry from the default options; `merge-env` lets the whole environment count. Then a switch that is given by name
    replaces that option, and a limit that is given always holds. `compat-*` restores the original's behaviour, `compat`
    all of it but for those that are given as false. Options of which one makes another pointless are refused.
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
    compat_attention_block: bool | None = None
    compat_epilogues: bool | None = None
    compat_conv: bool | None = None
    compat_dtypes: bool | None = None
    compat_tee: bool | None = None
    compat_signatures: bool | None = None

    def expand(self) -> tuple[PassSpec, ...]:
        return self.resolved().specs(self._tuning())

    def resolved(self) -> PassList:
        """The rows of the policy that these options select, under the environment of now."""
        self._check()
        target = self._target()
        return pass_list(ENTRIES[self.entry], target, self._options(target))

    def _check(self) -> None:
        """Raises `PipelineError` for options that contradict each other."""
        if (self.target is None) == (self.target_file is None):
            raise PipelineError(f"pass '{self.name}' needs either target= or target-file=")
        for key, value, others, why in CONTRADICTIONS:
            if getattr(self, key) != value:
                continue
            for other in others:
                if getattr(self, other) not in (None, False):
                    given, needless = f"{_key(key)}={str(value).lower()}", _key(other)
                    raise PipelineError(f"pass '{self.name}': '{needless}' does nothing beside {given}: {why}")

    def _target(self) -> FusionTarget:
        target = load_target(self.target) if self.target is not None else load_target(_as_path(self.target_file or ""))
        for kind in self.claims:
            if kind not in claimable():
                close = did_you_mean(kind, claimable())
                raise PipelineError(f"option 'claims' of pass '{self.name}': no op kind '{kind}'{close}")
        kinds = frozenset(self.disable) & frozenset(claimable())
        table = frozenset(self.claims) or target.claims
        if pointless := sorted(kinds - table if self.claims else ()):
            raise PipelineError(f"option 'disable' of pass '{self.name}': '{pointless[0]}' is not among claims= anyway")
        if kinds:
            table = (table or frozenset(claimable())) - kinds
            if not table:
                raise PipelineError(
                    f"option 'disable' of pass '{self.name}' leaves no claim, and an empty table claims everything; "
                    "use skip-fusion=true to run no fusion"
                )
        return target.with_claims(table)

    def _disabled_passes(self) -> frozenset[str]:
        """The words of `disable` that name passes of the list. Raises `PipelineError` for a word that names nothing."""
        words = [word for word in self.disable if word not in claimable()]
        listed = (*(row.name for row in all_rows()), PACK_ATTENTION.name, CHECK.name)
        for word in words:
            if word not in listed:
                close = did_you_mean(word, (*claimable(), *listed))
                raise PipelineError(f"option 'disable' of pass '{self.name}': no op kind or pass '{word}'{close}")
        return frozenset(words)

    def _options(self, target: FusionTarget) -> FusionOptions:
        environment = current()
        options = FusionOptions.for_target(target, environment) if ENTRIES[self.entry].of_target else FusionOptions()
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
        return Tuning(self.pack_attention, frozenset(filter(self._compat, PARTS)), limits, self._disabled_passes())

    def _compat(self, part: str) -> bool:
        given: bool | None = getattr(self, field_of(part))
        return self.compat if given is None else given


def _key(name: str) -> str:
    return name.replace("_", "-")


def _as_path(file: str) -> str:
    return file if file.endswith(".toml") or "/" in file else f"./{file}"
