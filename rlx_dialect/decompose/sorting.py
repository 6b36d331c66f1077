"""Extrema in plain ops."""

from rlx_dialect.attributes import Extremum
from rlx_dialect.decompose.plain import Decomposition, Plain
from rlx_dialect.ops import ArgMaxOp, ArgMinOp, ArgReduceOp
from rlx_dialect.shapes import shaped


def arg_extremum(op: ArgMaxOp | ArgMinOp) -> Decomposition:
    """The indices of the extremum, without the element."""
    to = Plain()
    reduced = to.add(
        ArgReduceOp(
            Extremum.MAX if isinstance(op, ArgMaxOp) else Extremum.MIN,
            op.input,
            axis=op.axis.value.data,
            keep_dims=op.keep_dims is not None,
            last=op.last is not None,
            index=shaped(op.result).element,
        )
    )
    return to.done(reduced.indices)
