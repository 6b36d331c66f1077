"""`rlx-pipeline`: a whole compilation up to a stage as one pass."""

from dataclasses import dataclass
from typing import Self

from xdsl.utils.arg_spec import ArgSpec

from rlx_passes.core.spec import PassSpec
from rlx_passes.pipeline.stages import Origin, Stage, stage_specs
from rlx_passes.pipeline.target import load_target
from rlx_passes.registry.composite import CompositePass


@dataclass(frozen=True)
class PipelinePass(CompositePass):
    """
    Import, raise, fuse, lower and emit for a target, up to and with `stage`.

    `from=rlx` leaves the import out; `params`, `inputs` and `names` are those of `convert-stablehlo-to-rlx`,
    `exact-rounding` that of `rlx-raise`.

    `target` is a name or the path of a target file; `chip` the device to make code for, by default the target's; `via`
    one of the target's routes to code.
    """

    name = "rlx-pipeline"

    target: str
    stage: Stage = "codegen"
    from_: Origin = "stablehlo"
    params: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    pack_attention: bool = False
    exact_rounding: bool = False
    chip: str = ""
    via: str = ""

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        """As xDSL's tools make it: they take a field's name for the option's, and `from` can be none in Python."""
        return super().from_spec(_renamed(spec, "from", "from_"))

    def spec(self, *, include_default: bool = False) -> ArgSpec:
        """The inverse of `from_spec`."""
        return _renamed(super().spec(include_default=include_default), "from_", "from")

    def expand(self) -> tuple[PassSpec, ...]:
        return stage_specs(
            load_target(self.target),
            self.stage,
            origin=self.from_,
            params=self.params,
            inputs=self.inputs,
            names=self.names,
            pack_attention=self.pack_attention,
            exact_rounding=self.exact_rounding,
            chip=self.chip,
            via=self.via,
        )


def _renamed(spec: ArgSpec, old: str, new: str) -> ArgSpec:
    return ArgSpec(spec.name, {new if name == old else name: value for name, value in spec.parameters.items()})
