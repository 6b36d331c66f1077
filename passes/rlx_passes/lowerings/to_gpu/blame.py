"""Which op a failure is about. Kernels come from loops, not from ops of the program, so each kind is tried alone."""

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.ops import RlxOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.forms import GPU_KERNELS, alone
from rlx_passes.rewriting.conversion import Advice, placed

SHOWN = 6
"""Lines of another tool's text."""

Lower = Callable[[ModuleOp], None]


def blamed(module: ModuleOp, fault: Exception, lower: Lower, advice: Advice) -> Refusal:
    """The refusal of the first op of `module` on which `lower` fails alone; of the first function where each passes."""
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    ops = [op for function in functions for op in function.walk() if isinstance(op, RlxOp) and _stands_alone(op)]
    tried: set[str] = set()
    for op in sorted(ops, key=_unlikely):
        program = alone(op)
        if (text := str(program)) in tried:
            continue
        tried.add(text)
        try:
            lower(program)
        except Exception as own:
            return placed(_reason(own), op, advice)
    whole = _reason(fault)
    return Refusal(whole.reason, "compile its parts by themselves", what="the program", op=next(iter(functions), None))


def _stands_alone(op: Operation) -> bool:
    return bool(op.results) and isinstance(op.parent_op(), FuncOp)


def _unlikely(op: Operation) -> bool:
    """Regions and sizes of run time are what fails most often: those come first."""
    return not op.regions and all(_is_static(value) for value in (*op.operands, *op.results))


def _is_static(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and shaped(value).static


def _reason(fault: Exception) -> Refusal:
    """What went wrong: one line, and below it the head of what another tool said."""
    if isinstance(fault, Refusal) and fault.op is not None:
        return Refusal(fault.reason, fault.advice)
    text, advice = (fault.reason, fault.advice) if isinstance(fault, Refusal) else (str(fault), "")
    head, *rest = text.splitlines() or [""]
    form = f"has no form in {GPU_KERNELS}"
    return Refusal("\n".join((f"{form}: {head.rstrip(':')}" if head else form, *rest[:SHOWN])), advice)
