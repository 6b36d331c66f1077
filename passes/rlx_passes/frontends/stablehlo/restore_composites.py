"""Composites that this project exported, read back as the fused ops they were."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from rlx_dialect import RLX
from rlx_passes.core.index import Index
from rlx_passes.dialects.stablehlo.control_flow import CompositeOp

OPS: Mapping[str, type[Operation]] = {op.name: op for op in RLX.operations if issubclass(op, IRDLOperation)}


def restore_composites(module: ModuleOp) -> None:
    """
    Replace each composite that is named after an RLX op by that op, where operands and attributes make one.

    Any other composite, one of another version of an op included, stays for its decomposition to be inlined.
    """
    for composite in Index(module).of(CompositeOp):
        kind = OPS.get(composite.op_name.data)
        if kind is None:
            continue
        attributes = composite.composite_attributes
        op = kind.create(
            operands=composite.inputs,
            result_types=[result.type for result in composite.result],
            properties={} if attributes is None else dict(attributes.data),
            attributes=dict(composite.attributes),
        )
        try:
            op.verify()
        except VerifyException:
            op.erase()
            continue
        op.location = composite.location
        Rewriter.replace_op(composite, op)
