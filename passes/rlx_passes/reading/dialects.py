"""The dialects that the tools read beside those of the universe: StableHLO, CHLO and shardings, loaded on first use."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import cast

from xdsl.context import Context
from xdsl.ir import Dialect

from rlx_passes.registry.context import EnvironmentContext
from rlx_passes.universe import Found, all_dialects

FRONTENDS = {"stablehlo": ("", "STABLEHLO"), "chlo": (".chlo", "CHLO"), "sdy": (".shardy", "SDY")}
"""Where in `rlx_passes.dialects.stablehlo` each is. No universe names them: another package may claim them too."""


def tool_context(*, allow_unregistered: bool = False) -> Context:
    """A context for a tool: every dialect of the environment, and the frontends that no other package provides."""
    known = Found(all_dialects, _frontends, lambda: {**_frontends(), **all_dialects()})
    return EnvironmentContext(known, allow_unregistered=allow_unregistered)


def _frontends() -> dict[str, Callable[[], Dialect]]:
    return {name: partial(_load, name) for name in FRONTENDS}


def _load(name: str) -> Dialect:
    module, variable = FRONTENDS[name]
    return cast(Dialect, getattr(import_module(f"rlx_passes.dialects.stablehlo{module}"), variable))
