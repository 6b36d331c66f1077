"""The pass `convert-rlx-to-stablehlo`."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from rlx_passes.dialects.stablehlo.attributes import Precision
from rlx_passes.dialects.stablehlo.control_flow import CompositeOp
from rlx_passes.lowerings.forms import STABLEHLO, LoweringPass, advice
from rlx_passes.lowerings.relations import state_relations
from rlx_passes.lowerings.to_stablehlo import composites, rules
from rlx_passes.rewriting.conversion import Conversion, name_of, on_copy

KEPT = frozenset({"builtin", "func", "stablehlo", "chlo"})
"""Dialects whose ops a StableHLO program may hold."""


@dataclass(frozen=True)
class ConvertRLXToStableHLOPass(LoweringPass):
    """
    RLX ops become StableHLO and CHLO ops; an op made of several, such as a fused one, becomes a
    `stablehlo.composite` of its name.

    Sums go on in the accumulate type, which is f32 for narrower floats. `precision` is that of products of anything but
    bf16: `highest` multiplies f32 as f32, `high` and `default` let an accelerator take fewer bits. Sizes that only a
    run knows are read off tensors, and StableHLO's dynamic ops take them; a loop carries tensors that keep theirs.

        %0 = rlx.binary add %x, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      =>
        %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
        %1 = stablehlo.add %x, %0 : tensor<2x4xf32>
    """

    name: ClassVar[str] = "convert-rlx-to-stablehlo"
    form: ClassVar[str] = STABLEHLO

    precision: Literal["default", "high", "highest"] = "highest"

    @classmethod
    def forms(cls) -> frozenset[type[Operation]]:
        return frozenset(rules(Precision.HIGHEST))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        table = {**composites.rules(), **rules(Precision(self.precision.upper()))}
        conversion = Conversion(
            table, self.form, _is_kept, partial(advice, (self.form,), program=op), opaque=(CompositeOp,)
        )

        def convert(module: ModuleOp) -> None:
            state_relations(module)
            composites.convert_module(module, conversion)

        on_copy(op, convert)


def _is_kept(op: Operation) -> bool:
    return name_of(op).partition(".")[0] in KEPT
