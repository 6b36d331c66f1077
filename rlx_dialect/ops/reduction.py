"""Reductions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, AnyFloat, DenseArrayBase, TensorType, UnitAttr, i1
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import ReduceKind, WordOf, word_of
from rlx_dialect.directives import Word
from rlx_dialect.ops.base import RlxOp, i64s, word
from rlx_dialect.shape_rules.ordering import require_ordered
from rlx_dialect.shapes import Shaped, ShapeError, reduce, require_element, shaped


@irdl_op_definition
class ReduceOp(RlxOp):
    """
    `kind` over `axes`, which are dropped, or kept as 1 with `keep_dims`.

    `sum`, `mean` and `prod` go on in `accumulate`; without it in f32, or in the operand's type where that is wider or
    integer. `max` and `min` pass NaN on. `mean` takes floats, `any` and `all` take i1. Over nothing: 0, NaN, lowest,
    highest, 1, false, true.
    """

    name = "rlx.reduce"

    kind = prop_def(WordOf(ReduceKind))
    input = operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(I64))
    keep_dims = opt_prop_def(UnitAttr)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "custom<Word>($kind) $input `axes` $axes (`keep_dims` $keep_dims^)? "
        "(`accumulate` `(` $accumulate^ `)`)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        kind: ReduceKind,
        input: SSAValue,
        axes: Sequence[int],
        keep_dims: bool = False,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[input],
            properties={
                "kind": word(kind),
                "axes": i64s(axes),
                "keep_dims": UnitAttr() if keep_dims else None,
                "accumulate": accumulate,
            },
        )

    @property
    def reduction(self) -> ReduceKind:
        return word_of(self.kind, ReduceKind)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        kind = self.kind.data
        if kind in ("any", "all"):
            require_element(i1, value.element, "input")
        elif kind == "mean" and not isinstance(value.element, AnyFloat):
            raise ShapeError(f"mean needs a float element type, got {value}")
        elif kind in ("max", "min"):
            require_ordered(value)
        return [reduce(value, self.axes.get_values(), self.keep_dims is not None)]
