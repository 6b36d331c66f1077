"""The dialects that the tools read beside those of the universe: StableHLO, CHLO and shardings, loaded on first use."""

from importlib import import_module
from typing import cast

from xdsl.context import Context
from xdsl.ir import Dialect

from rlx_passes.registry.context import fresh_context
from rlx_passes.universe import all_dialects

FRONTENDS = {"stablehlo": ("", "STABLEHLO"), "chlo": (".chlo", "CHLO"), "sdy": (".shardy", "SDY")}
"""Where in `rlx_passes.dialects.stablehlo` each is. No universe names them: another package may claim them too."""


def tool_context(*, allow_unregistered: bool = False) -> Context:
    """A context for a tool: every dialect of the environment, and the frontends that no other package provides."""
    context = fresh_context(allow_unregistered=allow_unregistered)
    taken = all_dialects()
    for name in FRONTENDS:
        if name not in taken:
            context.register_dialect(name, lambda name=name: _load(name))
    return context


def _load(name: str) -> Dialect:
    module, variable = FRONTENDS[name]
    return cast(Dialect, getattr(import_module(f"rlx_passes.dialects.stablehlo{module}"), variable))
