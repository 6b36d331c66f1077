"""
Passes, pipelines, code generation and runtime of the RLX dialect.

The names below are imported when they are first used, so that `import rlx_passes` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlx_passes.compiler import compile as compile
    from rlx_passes.pipeline.builder import Fuse as Fuse
    from rlx_passes.pipeline.stages import build_pipeline as build_pipeline
    from rlx_passes.runtime.program import load_bundle as load_bundle

__version__ = "0.1.0"

_PLACES = {
    "Fuse": "pipeline.builder",
    "build_pipeline": "pipeline.stages",
    "compile": "compiler",
    "load_bundle": "runtime.program",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
