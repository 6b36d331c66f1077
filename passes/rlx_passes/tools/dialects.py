"""The dialects that the tools read beside those of the universe: StableHLO and CHLO, loaded on first use."""

from importlib import import_module
from typing import cast

from xdsl.context import Context
from xdsl.ir import Dialect

from rlx_passes.pipeline.context import fresh_context
from rlx_passes.universe import all_dialects

FRONTENDS = {"stablehlo": "STABLEHLO", "chlo": "CHLO"}
"""Dialects of `rlx_passes.frontend.stablehlo`, which no universe names: another package may claim them."""


def tool_context(*, allow_unregistered: bool = False) -> Context:
    """A context for a tool: every dialect of the environment, and the frontends that no other package provides."""
    context = fresh_context(allow_unregistered=allow_unregistered)
    taken = all_dialects()
    for name, variable in FRONTENDS.items():
        if name not in taken:
            context.register_dialect(name, lambda variable=variable: _load(variable))
    return context


def _load(variable: str) -> Dialect:
    return cast(Dialect, getattr(import_module("rlx_passes.frontend.stablehlo"), variable))
