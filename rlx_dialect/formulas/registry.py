"""The functions by name, and how a machine gets one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from rlx_dialect.formulas.machine import HandleT, Machine, Num

Formula = Callable[..., Num]
FormulaT = TypeVar("FormulaT", bound=Formula)

FUNCTIONS: dict[str, Formula] = {}
"""
Every function by name. Each takes one or two `Num`s, and some take real parameters by keyword.

Called, it is what the machine of its operands has natively, or else the formula.
"""

DERIVATIVES: dict[str, Callable[[Num], Num]] = {}
"""The derivatives of functions of one number, by the name of the function."""


def formula(function: FormulaT) -> FormulaT:
    """Registers a formula by its own name, without a `_` at the end, and lets a machine compute it natively."""
    name = function.__name__.rstrip("_")

    @wraps(function)
    def called(*operands: Num, **parameters: float) -> Num:
        machine = operands[0].machine
        native = None if parameters else machine.native(name)
        if native is None:
            return function(*operands, **parameters)
        return Num(machine, native(*(operand.handle for operand in operands)))

    FUNCTIONS[name] = called
    return cast("FormulaT", called)


def derivative(of: Formula) -> Callable[[FormulaT], FormulaT]:
    """Registers the derivative of a formula of one number."""

    def register(function: FormulaT) -> FormulaT:
        DERIVATIVES[of.__name__.rstrip("_")] = function
        return function

    return register


def apply(name: str, machine: Machine[HandleT], *operands: HandleT, **parameters: float) -> HandleT:
    """The function `name` of floats in the machine's format. Raises `KeyError` for a name not in `FUNCTIONS`."""
    return FUNCTIONS[name](*(Num(machine, operand) for operand in operands), **parameters).handle


def apply_derivative(name: str, machine: Machine[HandleT], operand: HandleT) -> HandleT:
    """The derivative of the function `name`. Raises `KeyError` for a name not in `DERIVATIVES`."""
    return DERIVATIVES[name](Num(machine, operand)).handle
