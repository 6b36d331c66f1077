"""The pass `convert-rlx-to-mlx`."""

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import Float8E4M3FNType, Float8E5M2Type, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation

from rlx_dialect import RLX
from rlx_dialect.ops import IfOp, ScanOp, WhileOp, YieldOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.forms import MLX, LoweringPass, advice
from rlx_passes.lowerings.relations import state_relations
from rlx_passes.lowerings.to_mlx import (
    attention,
    contraction,
    control_flow,
    elementwise,
    fused,
    indexing,
    normalization,
    reduction,
    shape,
)
from rlx_passes.lowerings.to_mlx.calls import Calls
from rlx_passes.lowerings.to_mlx.checks import add_checks
from rlx_passes.rewriting.conversion import Conversion, Rules, erase_dead, name_of, on_copy, placed

CHAPTERS = (elementwise, contraction, normalization, attention, reduction, shape, indexing, fused, control_flow)
RULES: Rules = {op: rule for chapter in CHAPTERS for op, rule in chapter.RULES.items()}

CONTROL: frozenset[type[Operation]] = frozenset((IfOp, WhileOp, ScanOp))
"""Ops that stay, for Python has them; what their regions hold is converted."""

NOT_HELD: tuple[Attribute, ...] = (Float8E4M3FNType(), Float8E5M2Type())


@dataclass(frozen=True)
class ConvertRlxToMlxPass(LoweringPass):
    """
    Every op of the rlx dialect as calls of MLX functions; control flow stays, around them. Other ops stay as they are,
    those that nothing reads go.

    Raises `Refusal` for an op that has neither a lowering nor a plain form.
    """

    name = "convert-rlx-to-mlx"
    form = MLX

    @classmethod
    def forms(cls) -> frozenset[type[Operation]]:
        return frozenset(RULES) | CONTROL

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, partial(self._convert, op))

    def _convert(self, program: ModuleOp, module: ModuleOp) -> None:
        conversion = Conversion(RULES, self.form, _is_kept, partial(advice, (self.form,), program=program))
        _check_elements(module, conversion)
        erase_dead(module)
        add_checks(state_relations(module))
        Calls(module.body.block, conversion).convert(module.body.block)
        erase_dead(module)


def _check_elements(module: ModuleOp, conversion: Conversion) -> None:
    """Raises `Refusal` for floats of 8 bits, which MLX has not."""
    for op in module.walk():
        for value in (*op.operands, *op.results):
            if isinstance(value.type, TensorType) and shaped(value).element in NOT_HELD:
                reason = f"has no form in {MLX}: no array there holds {shaped(value).element}"
                raise placed(Refusal(reason), op, conversion.advice)


def _is_kept(op: Operation) -> bool:
    return type(op) in CONTROL or isinstance(op, YieldOp) or name_of(op).partition(".")[0] != RLX.name
