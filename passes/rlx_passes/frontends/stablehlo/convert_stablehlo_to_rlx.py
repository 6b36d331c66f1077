"""The pass `convert-stablehlo-to-rlx`."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_passes.dialects.stablehlo.distribution import AllReduceOp, ReduceScatterOp
from rlx_passes.dialects.stablehlo.indexing import ScatterOp, SortOp
from rlx_passes.dialects.stablehlo.reduction import MapOp, ReduceOp, ReduceWindowOp, SelectAndScatterOp
from rlx_passes.frontends.naming import name_signatures
from rlx_passes.frontends.stablehlo import RULES
from rlx_passes.frontends.stablehlo.control_flow import convert_control_flow
from rlx_passes.frontends.stablehlo.foreign_integers import fold_foreign_integers
from rlx_passes.frontends.stablehlo.restore_composites import restore_composites
from rlx_passes.rewriting.conversion import Conversion, Emitter, Listener, Rules, erase_dead
from rlx_passes.rewriting.inline_private import inline_private_calls

COMBINERS = (AllReduceOp, MapOp, ReduceOp, ReduceScatterOp, ReduceWindowOp, ScatterOp, SelectAndScatterOp, SortOp)
"""Ops whose bodies combine scalars: where one stays, its body stays with it."""


def _nobody(op: Operation, reason: str) -> None:
    """The listener when there is none."""


_LISTENER: ContextVar[Listener] = ContextVar("stablehlo_import_listener", default=_nobody)


@contextmanager
def listen(listener: Listener) -> Generator[None]:
    """Within the block, `listener` is called with each op that stays StableHLO, and why."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@dataclass(frozen=True)
class ConvertStableHLOToRLXPass(ModulePass):
    """
    StableHLO and CHLO ops become RLX ops; private functions and composites are inlined first, but for composites of RLX
    ops, which become those ops again.

    Arguments and results of public functions get roles and names: `names` lists those of the arguments, or is a file
    that does (a `.json` list, or `arg_names` in a `.npz`); `params` says which of them are params, by name, position
    (`3`), range (`3-5`) or all from one on (`3-`); or `inputs` says which are not. Names and roles that are there
    already stay. An op that RLX has no kind for stays as it is, and so do foreign attributes.

        %0 = stablehlo.add %x, %y : tensor<4xf32>
      =>
        %0 = rlx.binary add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name: ClassVar[str] = "convert-stablehlo-to-rlx"

    params: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        restore_composites(op)
        inline_private_calls(op)
        fold_foreign_integers(op)
        import_ops(op, RULES, _LISTENER.get())
        convert_control_flow(op, _LISTENER.get())
        erase_dead(op)  # initial values of reductions, which RLX's imply, indices that an extremum no longer needs
        name_signatures(op, self.params, self.names, self.inputs)


def import_ops(module: ModuleOp, rules: Rules, refused: Listener) -> None:
    """Apply rules to the ops of a module, in place; `refused` hears of each that stays for want of a form."""
    conversion = Conversion(rules, "RLX", lambda op: True, refused=refused, opaque=COMBINERS)
    Emitter(module.body.block, conversion).convert(module.body.block)
