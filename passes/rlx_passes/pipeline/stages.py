"""A whole compilation as stages: import, raise, fuse, lower, codegen, each a list of passes."""

from typing import TYPE_CHECKING, Literal

from rlx_passes.core.errors import PipelineError
from rlx_passes.core.spec import PassSpec
from rlx_passes.pipeline.builder import pass_list
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.row_options import Tuning
from rlx_passes.pipeline.target import load_target
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.switches.original import ENTRIES

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

Stage = Literal["import", "raise", "fuse", "lower", "codegen"]
Origin = Literal["stablehlo", "rlx"]

STAGES: tuple[Stage, ...] = ("import", "raise", "fuse", "lower", "codegen")


def stage_specs(
    target: FusionTarget,
    stage: Stage = "codegen",
    *,
    origin: Origin = "stablehlo",
    options: FusionOptions | None = None,
    params: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    inputs: tuple[str, ...] = (),
    pack_attention: bool = False,
    exact_rounding: bool = False,
    chip: str = "",
    via: str = "",
) -> tuple[PassSpec, ...]:
    """
    The passes up to and with `stage`.

    `origin="rlx"` leaves the import out; `params` or `inputs` and `names` say which arguments of an imported program
    are params and what they are called. `exact_rounding` is that of `rlx-raise`, `options` replaces the fusion options
    of the target, `via` names one of its routes to code. Raises PipelineError where nothing is imported that they could
    be about, TargetError for an unknown route.
    """
    if origin == "rlx" and (params or names or inputs):
        raise PipelineError("params, inputs and names are for the import from StableHLO, which origin rlx leaves out")
    if via:
        (load_target(target.generator) if target.generator else target).route(via)
    fusion = pass_list(ENTRIES["fuse"], target, options)
    stages: dict[Stage, tuple[PassSpec, ...]] = {
        "import": () if origin == "rlx" else (_import(params, names, inputs),),
        "raise": (PassSpec("rlx-raise", (("exact-rounding", ("true",)),) if exact_rounding else ()),),
        "fuse": fusion.specs(Tuning(pack_attention=pack_attention)),
    }
    if stage in ("lower", "codegen"):
        stages["lower"] = (PassSpec("rlx-hoist-prepare"), _lowering(target))
    if stage == "codegen":
        stages["codegen"] = (_emit(target, chip or target.default_chip, via),)
    return tuple(spec for name in STAGES[: STAGES.index(stage) + 1] for spec in stages[name])


def build_pipeline(
    target: FusionTarget | str,
    options: FusionOptions | None = None,
    stage: Stage = "codegen",
    *,
    origin: Origin = "stablehlo",
    params: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    inputs: tuple[str, ...] = (),
    pack_attention: bool = False,
    exact_rounding: bool = False,
    chip: str = "",
    via: str = "",
) -> "tuple[ModulePass, ...]":
    """
    The pass objects up to and with `stage`, flat; see `stage_specs`.

    Raises TargetError for an unknown target and PipelineError for a pass that is not there.
    """
    from rlx_passes.registry.composite import flatten

    if isinstance(target, str):
        target = load_target(target)
    specs = stage_specs(
        target,
        stage,
        origin=origin,
        options=options,
        params=params,
        names=names,
        inputs=inputs,
        pack_attention=pack_attention,
        exact_rounding=exact_rounding,
        chip=chip,
        via=via,
    )
    return tuple(flatten(create_passes(specs)))


def _import(params: tuple[str, ...], names: tuple[str, ...], inputs: tuple[str, ...]) -> PassSpec:
    given = (("params", params), ("names", names), ("inputs", inputs))
    return PassSpec("convert-stablehlo-to-rlx", tuple((key, words) for key, words in given if words))


def _lowering(target: FusionTarget) -> PassSpec:
    if target.lowering is None:
        raise PipelineError(f"target '{target.name}' names no lowering pass (key lower.pass of its file)")
    return target.lowering


def _emit(target: FusionTarget, chip: str, via: str) -> PassSpec:
    given = (("target", target.generator or target.name), ("chip", chip), ("via", via))
    return PassSpec("rlx-emit", tuple((key, (word,)) for key, word in given if word))
