"""Where the greatest and the least elements are."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import Extremum, WordOf, word_of
from rlx_dialect.directives import Word
from rlx_dialect.ops.base import RlxOp, i64_attr, word
from rlx_dialect.shape_rules.ordering import INDEX, arg_reduce
from rlx_dialect.shapes import Shaped, shaped


@irdl_op_definition
class ArgReduceOp(RlxOp):
    """
    The greatest (`max`) or the least (`min`) element along `axis`, and its index.

    Of equal elements the first counts, or the `last`; where there is a NaN the NaN counts. The axis is dropped, or kept
    as 1 with `keep_dims`; must have an element. Indices have a type that holds them: integers, or floats exact so far.
    """

    name = "rlx.arg_reduce"
    CHAPTER: ClassVar[str] = "order"

    kind = prop_def(WordOf(Extremum))
    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    keep_dims = opt_prop_def(UnitAttr)
    last = opt_prop_def(UnitAttr)
    value = result_def(TensorType)
    indices = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "custom<Word>($kind) $input `axis` `(` $axis `)` (`keep_dims` $keep_dims^)? (`last` $last^)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        kind: Extremum,
        input: SSAValue,
        axis: int = -1,
        *,
        keep_dims: bool = False,
        last: bool = False,
        index: Attribute = INDEX,
    ):
        results = arg_reduce(shaped(input, "input"), axis, keep_dims, index)
        super().__init__(
            operands=[input],
            properties={"kind": word(kind), **_properties(axis, keep_dims, last)},
            result_types=[result.type for result in results],
        )

    @property
    def extremum(self) -> Extremum:
        return word_of(self.kind, Extremum)

    def infer(self) -> Sequence[Shaped]:
        indices = shaped(self.indices, "result #1")
        return arg_reduce(
            shaped(self.input, "input"), self.axis.value.data, self.keep_dims is not None, indices.element
        )


class ArgExtremumOp(RlxOp, ABC):
    """The index that `rlx.arg_reduce` gives, without the element."""

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    keep_dims = opt_prop_def(UnitAttr)
    last = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `axis` `(` $axis `)` (`keep_dims` $keep_dims^)? (`last` $last^)? attr-dict "
        "`:` type($input) `->` type($result)"
    )

    def __init__(
        self, input: SSAValue, axis: int = -1, *, keep_dims: bool = False, last: bool = False, index: Attribute = INDEX
    ):
        _, result = arg_reduce(shaped(input, "input"), axis, keep_dims, index)
        super().__init__(operands=[input], properties=_properties(axis, keep_dims, last), result_types=[result.type])

    def infer(self) -> Sequence[Shaped]:
        element = shaped(self.result, "result").element
        value = shaped(self.input, "input")
        return [arg_reduce(value, self.axis.value.data, self.keep_dims is not None, element)[1]]


@irdl_op_definition
class ArgMaxOp(ArgExtremumOp):
    """
    The index of the greatest element along `axis`: that of `rlx.arg_reduce max`.

    Of equal elements the first counts, or the `last`; a NaN counts before all. The axis goes, or is 1 with `keep_dims`.
    """

    name = "rlx.arg_max"


@irdl_op_definition
class ArgMinOp(ArgExtremumOp):
    """
    The index of the least element along `axis`: that of `rlx.arg_reduce min`.

    Of equal elements the first counts, or the `last`; a NaN counts before all. The axis goes, or is 1 with `keep_dims`.
    """

    name = "rlx.arg_min"


def _properties(axis: int, keep_dims: bool, last: bool) -> dict[str, Attribute | None]:
    return {
        "axis": i64_attr(axis),
        "keep_dims": UnitAttr() if keep_dims else None,
        "last": UnitAttr() if last else None,
    }
