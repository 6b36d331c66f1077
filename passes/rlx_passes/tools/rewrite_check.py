"""`--verify-rewrites`: what the functions of a program compute, by the reference, before and after each pass."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import InterpretationError

from rlx_dialect.decompose import composite_ops, in_our_ops
from rlx_dialect.ops import CustomOp
from rlx_dialect.reference import Array, run
from rlx_dialect.signature import find_function, is_optional, is_private, results_of
from rlx_passes.core.numerics import difference, tolerance_of_whole
from rlx_passes.lowerings.hoist_prepare import PREPARE
from rlx_passes.reading.diagnostics import Diagnostic, DiagnosticError, Place, place_of
from rlx_passes.rewriting.miss import Miss, listening
from rlx_passes.rewriting.rewrites import Rewrites, counting
from rlx_passes.tools.random_arguments import DRAWS, Draw, random_arguments

DIALECTS = ("rlx", "func", "arith", "tensor")
"""The dialects of which the reference knows ops."""


class Skipped(Exception):
    """The reference cannot run a function; the text says why."""


@dataclass(frozen=True)
class Values:
    """Arguments of a function by name, and what it gives for them."""

    inputs: Mapping[str, Any]
    results: Mapping[str, Array]


@dataclass(frozen=True)
class RewriteCheck:
    """A copy of a program before a pass, and the values of those public functions that the reference can run."""

    module: ModuleOp
    values: Mapping[str, Sequence[Values]]
    said: set[str]

    @staticmethod
    def of(module: ModuleOp, title: str, said: set[str]) -> "RewriteCheck":
        """
        The values of `module` before the pass `title`.

        What is skipped goes to standard error, once for each function and reason: `said` holds earlier ones.
        """
        copy = module.clone()
        found: dict[str, Sequence[Values]] = {}
        for func in _public(copy):
            try:
                found[func.sym_name.data] = [_evaluated(copy, func, draws) for draws in DRAWS]
            except Skipped as skipped:
                _report(func.sym_name.data, f"before pass '{title}'", skipped, said)
        return RewriteCheck(copy, found, said)

    def hold(self, module: ModuleOp, pass_: ModulePass, context: Context) -> None:
        """
        Compare the program after `pass_` with the one before.

        Raises DiagnosticError with pass, function and largest difference, and the rewrite if patterns made the change.
        """
        for name in self.values:
            try:
                wrong = self._difference(module, name)
            except Skipped as skipped:
                _report(name, f"after pass '{pass_.name}'", skipped, self.said)
                continue
            if wrong:
                rewrite, place = self._rewrite(name, pass_, context)
                message = f"pass '{pass_.name}' changes what @{name} computes{rewrite}: {wrong}"
                raise DiagnosticError([Diagnostic("error", message, place)])

    def _difference(self, module: ModuleOp, name: str) -> str | None:
        """How the results of a function differ from those before. Raises `Skipped` where it cannot be run any more."""
        before = find_function(self.module, name)
        try:
            after = find_function(module, name)
        except LookupError as fault:
            return str(fault)
        kept = {binding.name for i, binding in enumerate(results_of(before)) if not is_optional(before, i)}
        for values in self.values[name]:
            try:
                results = _run(module, after, values.inputs)
            except Skipped:
                raise
            except Exception as fault:
                return f"it cannot be run any more: {_cause(fault)}"
            if missing := sorted(kept - results.keys()):
                return f"result '{missing[0]}' is gone"
            for result in values.results.keys() & results.keys():
                wanted = values.results[result]
                if wrong := difference(results[result], wanted, tolerance_of_whole(wanted)):
                    return f"result '{result}': {wrong}"
        return None

    def _rewrite(self, name: str, pass_: ModulePass, context: Context) -> tuple[str, Place | None]:
        """The first rewrite of `pass_` that changes what a function computes, as text, and where its root is."""
        low, high = 0, self._again(pass_, context)[1].count
        while low < high:
            middle = (low + high) // 2
            if self._is_wrong(self._again(pass_, context, middle)[0], name):
                high = middle
            else:
                low = middle + 1
        rewrites = self._again(pass_, context, low)[1]
        if rewrites.root is None:
            return "", None
        return f", by rewrite {rewrites.title} at '{rewrites.root.name}'", place_of(rewrites.root)

    def _again(self, pass_: ModulePass, context: Context, limit: int | None = None) -> tuple[ModuleOp, Rewrites]:
        """The program after the first `limit` rewrites of `pass_`, unheard."""
        module = self.module.clone()
        with listening(_nothing), counting(limit) as rewrites:
            pass_.apply(context, module)
        return module, rewrites

    def _is_wrong(self, module: ModuleOp, name: str) -> bool:
        try:
            return self._difference(module, name) is not None
        except Skipped:
            return False


def _nothing(pattern: str, root: Operation, miss: Miss) -> None:
    """What a second run of a pass says was said by the first."""


def _public(module: ModuleOp) -> Iterator[FuncOp]:
    return (op for op in module.body.ops if isinstance(op, FuncOp) and op.body.blocks and not is_private(op))


def _report(name: str, when: str, skipped: Skipped, said: set[str]) -> None:
    reason = f"@{name}: {skipped}"
    if reason not in said:
        said.add(reason)
        print(f"rlx-opt: remark: @{name} is not compared {when}: {skipped}", file=sys.stderr)


def _evaluated(module: ModuleOp, func: FuncOp, draws: Sequence[Draw]) -> Values:
    """The values of a function for the first arguments that it takes. Raises `Skipped` where there are none."""
    fault = "no arguments were found that it takes"
    prepare = _prepare(module, func)
    for inputs in chain.from_iterable(_arguments(func, prepare, draw) for draw in draws):
        try:
            return Values(inputs, _run(module, func, inputs))
        except Skipped:
            raise
        except Exception as error:
            fault = _cause(error)
    raise Skipped(fault)


def _arguments(func: FuncOp, prepare: FuncOp | None, draw: Draw) -> Iterator[dict[str, Any]]:
    """Arguments of a function and of the one that prepares some of them."""
    ahead = {} if prepare is None else next(random_arguments(prepare, draw))
    return ({**ahead, **inputs} for inputs in random_arguments(func, draw))


def _run(module: ModuleOp, func: FuncOp, inputs: Mapping[str, Any]) -> dict[str, Array]:
    """The results of a function by name. Raises `Skipped` for an op without a meaning."""
    module = in_our_ops(module)
    for op in func.walk():
        known = op.name.split(".")[0] in DIALECTS or type(op) in composite_ops()
        if not known or isinstance(op, CustomOp):
            raise Skipped(f"the reference has no '{op.name}'")
    prepare = _prepare(module, func)
    try:
        if prepare is not None:
            inputs = {**inputs, **run(module, prepare.sym_name.data, inputs)}
        return run(module, func.sym_name.data, inputs)
    except InterpretationError as fault:
        raise Skipped(_cause(fault)) from fault


def _prepare(module: ModuleOp, func: FuncOp) -> FuncOp | None:
    """The function that gives the prepared arguments of `func`, if there is one."""
    name = func.attributes.get(PREPARE)
    return find_function(module, name.string_value()) if isinstance(name, SymbolRefAttr) else None


def _cause(fault: BaseException) -> str:
    """What lies at the bottom of an error, on one line."""
    while fault.__cause__ is not None:
        fault = fault.__cause__
    return " ".join(str(fault).split()) or type(fault).__name__
