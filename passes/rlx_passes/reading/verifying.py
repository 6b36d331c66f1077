"""Verification of a module, each fault at the op that has it."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.fast import verify as fast_verify
from rlx_dialect.signature import donations_of
from rlx_dialect.xdsl_repairs import DominanceException, verify_dominance
from rlx_passes.reading.diagnostics import Diagnostic, DiagnosticError, error, place_of
from rlx_passes.switches.environment import flag


def verify(module: ModuleOp) -> None:
    """
    Verify every op, that every value is defined before it is used, and which inputs functions give up.

    Raises DiagnosticError with one error for each op that does not verify.
    """
    try:
        if flag("RLX_STOCK_PARSER"):
            module.verify()
            verify_dominance(module)
        else:
            verify_dominance(module, fast_verify(module))
        for function in module.body.block.ops:
            if isinstance(function, FuncOp):
                _verify_donations(function)
    except DiagnosticError:
        raise
    except DominanceException as fault:
        raise error(_text(fault), place_of(fault.op)) from fault
    except Exception as fault:
        found = [diagnostic for op in module.walk() if (diagnostic := _fault(op))]
        raise (DiagnosticError(found) if found else error(_text(fault))) from fault


def _verify_donations(function: FuncOp) -> None:
    try:
        donations_of(function)
    except ValueError as fault:
        raise error(f"@{function.sym_name.data}: {fault}", place_of(function)) from fault


def _fault(op: Operation) -> Diagnostic | None:
    try:
        op.verify(verify_nested_ops=False)
    except Exception as fault:
        text = _text(fault)
        message = text if op.name in text else f"'{op.name}' op: {text}"
        return Diagnostic("error", message, place_of(op))
    return None


def _text(fault: Exception) -> str:
    """The message on one line. A verifier that trips over what it verifies has found a fault too, and says its kind."""
    message = " ".join(str(fault).split())
    return message if isinstance(fault, VerifyException) else f"{type(fault).__name__}: {message}"
