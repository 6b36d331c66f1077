"""Cross entropies of a softmax."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.dtypes import is_float
from rlx_dialect.ops.base import RlxOp, i64_attr
from rlx_dialect.ops.normalization import LAST_AXIS
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    normalize_axis,
    reduce,
    require_floats,
    require_integers,
    same,
    same_dims,
    shaped,
)


def without(value: Shaped, axis: int) -> Shaped:
    """The shape of one element for each slice of `value` on `axis`."""
    return reduce(value, (normalize_axis(axis, value.rank, "logits"),), keep_dims=False)


def check_labels(logits: Shaped, labels: Shaped, axis: int) -> Shaped:
    """The shape of one loss for each label. Raises `ShapeError` unless the labels fit `logits` without `axis`."""
    require_integers(labels, "labels")
    if logits.dims[normalize_axis(axis, logits.rank, "logits")] == DYNAMIC:
        raise ShapeError(f"the number of classes must be known, got {logits}")
    rows = without(logits, axis)
    return rows.with_dims(same_dims(rows, labels, "the rows of logits", "labels"))


class CrossEntropyOp(RlxOp, ABC):
    """A loss per slice of `logits` on `axis`, by default the last. As `rlx.softmax`, it sums in `accumulate`."""

    axis = prop_def(IntegerAttr.constr(i64), default_value=LAST_AXIS)
    accumulate = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    traits = traits_def(Pure())


@irdl_op_definition
class SoftmaxCrossEntropyOp(CrossEntropyOp):
    """
    `-sum(targets * log(softmax(logits)))` over `axis`, which the result has not.

    logits `[.., C]` of floats, targets alike: what share of a row each class has. Also where a target is 0, an infinite
    logarithm gives NaN.
    """

    name = "rlx.softmax_cross_entropy"

    logits = operand_def(TensorType)
    targets = operand_def(TensorType)
    assembly_format = (
        "$logits `,` $targets (`axis` `(` $axis^ `)`)? (`accumulate` `(` $accumulate^ `)`)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(self, logits: SSAValue, targets: SSAValue, axis: int = -1, *, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[logits, targets], properties={"axis": i64_attr(axis), "accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        logits = shaped(self.logits, "logits")
        require_floats(logits, "logits")
        both = same(logits, shaped(self.targets, "targets"), "logits", "targets")
        return [without(both, self.axis.value.data)]


@irdl_op_definition
class SoftmaxCrossEntropyWithLogitsOp(CrossEntropyOp):
    """
    `-log(softmax(logits))` at the class that a label names, for each label.

    logits `[.., C]` of floats with C known, labels `[..]` of integers give `[..]`. A label outside of `[0, C)` is an
    error in the reference and undefined in compiled code. As ONNX SoftmaxCrossEntropyLoss, unreduced and unweighted.
    """

    name = "rlx.softmax_cross_entropy_with_logits"

    logits = operand_def(TensorType)
    labels = operand_def(TensorType)
    assembly_format = (
        "$logits `,` $labels (`axis` `(` $axis^ `)`)? (`accumulate` `(` $accumulate^ `)`)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(self, logits: SSAValue, labels: SSAValue, axis: int = -1, *, accumulate: TypeAttribute | None = None):
        super().__init__(operands=[logits, labels], properties={"axis": i64_attr(axis), "accumulate": accumulate})

    def infer(self) -> Sequence[Shaped]:
        logits = shaped(self.logits, "logits")
        require_floats(logits, "logits")
        return [check_labels(logits, shaped(self.labels, "labels"), self.axis.value.data)]


@irdl_op_definition
class SoftmaxCrossEntropyBackwardOp(CrossEntropyOp):
    """
    The gradient of either cross entropy by its logits: `(softmax(logits) * sum(targets) - targets) * gradient`.

    logits `[.., C]` of floats; targets are floats of the same dims, or integer labels `[..]` that stand for a 1 at
    their class; gradient `[..]` is that of the losses.
    """

    name = "rlx.softmax_cross_entropy_backward"

    logits = operand_def(TensorType)
    targets = operand_def(TensorType)
    gradient = operand_def(TensorType)
    assembly_format = (
        "$logits `,` $targets `,` $gradient (`axis` `(` $axis^ `)`)? (`accumulate` `(` $accumulate^ `)`)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        logits: SSAValue,
        targets: SSAValue,
        gradient: SSAValue,
        axis: int = -1,
        *,
        accumulate: TypeAttribute | None = None,
    ):
        super().__init__(
            operands=[logits, targets, gradient],
            properties={"axis": i64_attr(axis), "accumulate": accumulate},
        )

    def infer(self) -> Sequence[Shaped]:
        logits, targets = shaped(self.logits, "logits"), shaped(self.targets, "targets")
        require_floats(logits, "logits")
        axis = self.axis.value.data
        if is_float(targets.element):
            result = same(logits, targets, "logits", "targets")
            rows = without(result, axis)
        else:
            result, rows = logits, check_labels(logits, targets, axis)
        same(rows, shaped(self.gradient, "gradient"), "the losses", "gradient")
        return [result]
