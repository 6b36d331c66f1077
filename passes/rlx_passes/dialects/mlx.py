"""The `mlx` dialect: a program as calls of MLX functions, one op per line of the Python that is generated from it."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DictionaryAttr, IndexType, IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    AnyOf,
    BaseAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.shapes import ShapeError, narrow, shaped

MODULES = ("mx", "mx.fast", "lib")
"""Where callees live: `mlx.core`, `mlx.core.fast`, and the helpers of `library.py`."""


@irdl_op_definition
class CallOp(IRDLOperation):
    """
    `callee(*arguments, **keywords)`: one call of `mx.*`, `mx.fast.*` or `lib.*` (`library.py`), without effects.

    Arguments are tensors; index arguments stand last and fill the `?` of the list `shape` among the keywords, in order.
    Keywords are numbers, booleans, strings, lists of integers, `unit` for None, and element types for MLX dtypes.
    """

    name = "mlx.call"

    callee = prop_def(StringAttr)
    arguments = var_operand_def(AnyOf((BaseAttr(TensorType), BaseAttr(IndexType))))
    keywords = prop_def(DictionaryAttr, default_value=DictionaryAttr({}))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$callee `(` $arguments `)` (`with` $keywords^)? attr-dict `:` functional-type($arguments, results)"
    )

    def __init__(
        self,
        callee: str,
        arguments: Sequence[SSAValue],
        result: Attribute,
        keywords: Mapping[str, Attribute] | None = None,
    ):
        super().__init__(
            operands=[arguments],
            properties={"callee": StringAttr(callee), "keywords": DictionaryAttr(keywords or {})},
            result_types=[result],
        )

    def verify_(self) -> None:
        callee = self.callee.data
        module, _, function = callee.rpartition(".")
        if module not in MODULES or not function.isidentifier():
            raise VerifyException(f"{self.name}: callee must be a function of mx, mx.fast or lib, got '{callee}'")
        for key in self.keywords.data:
            if not key.isidentifier():
                raise VerifyException(f"{self.name}: keyword '{key}' is no name")


@irdl_op_definition
class SliceOp(IRDLOperation):
    """The `length` entries of `axis` from `start`, in Python `x[:, 2:5]`. `axis` counts from the start."""

    name = "mlx.slice"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    start = prop_def(IntegerAttr.constr(i64))
    length = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$input `axis` `(` $axis `)` `start` `(` $start `)` `length` `(` $length `)` attr-dict "
        "`:` type($input) `->` type($result)"
    )

    def __init__(self, input: SSAValue, axis: int, start: int, length: int):
        super().__init__(
            operands=[input],
            properties={
                key: IntegerAttr(value, i64) for key, value in zip(("axis", "start", "length"), (axis, start, length))
            },
            result_types=[narrow(shaped(input), axis, start, length).type],
        )

    def verify_(self) -> None:
        if self.axis.value.data < 0:
            raise VerifyException(f"{self.name}: axis must not be negative, got {self.axis.value.data}")
        try:
            rule = narrow(
                shaped(self.input, "input"), self.axis.value.data, self.start.value.data, self.length.value.data
            )
        except ShapeError as error:
            raise VerifyException(f"{self.name}: {error}") from error
        if self.result.type != rule.type:
            raise VerifyException(f"{self.name}: the result must be {rule}, got {self.result.type}")


MLX = Dialect("mlx", [CallOp, SliceOp], [])
"""The dialect object, for `Context.load_dialect`."""
