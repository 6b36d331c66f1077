"""
Passes, pipelines, code generation and runtime of the RLX dialect.

The names below are imported when they are first used, so that `import rlx_passes` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlx_passes.budget.io_gate import GraphIoProfile as GraphIoProfile
    from rlx_passes.budget.io_gate import IoFusionGate as IoFusionGate
    from rlx_passes.budget.limits import FusionLimits as FusionLimits
    from rlx_passes.compiler import compile as compile
    from rlx_passes.core.errors import RlxError as RlxError
    from rlx_passes.frontends.imported import Imported as Imported
    from rlx_passes.frontends.onnx import from_onnx as from_onnx
    from rlx_passes.frontends.torch import from_torch as from_torch
    from rlx_passes.pipeline.builder import Fuse as Fuse
    from rlx_passes.pipeline.entries import fk_passes_after_elementwise_regions as fk_passes_after_elementwise_regions
    from rlx_passes.pipeline.entries import fuse as fuse
    from rlx_passes.pipeline.entries import fusion_passes as fusion_passes
    from rlx_passes.pipeline.entries import fusion_passes_for_supported as fusion_passes_for_supported
    from rlx_passes.pipeline.entries import run_fusion_pipeline as run_fusion_pipeline
    from rlx_passes.pipeline.options import FusionOptions as FusionOptions
    from rlx_passes.pipeline.stages import build_pipeline as build_pipeline
    from rlx_passes.pipeline.target import fusion_limits_for_target as fusion_limits_for_target
    from rlx_passes.pipeline.target import io_fusion_gate_for_target as io_fusion_gate_for_target
    from rlx_passes.pipeline.target import load_target as load_target
    from rlx_passes.pipeline.target import supported_for_target as supported_for_target
    from rlx_passes.policy.fusion_target import FusionTarget as FusionTarget
    from rlx_passes.policy.fusion_target import should_fuse_with_target as should_fuse_with_target
    from rlx_passes.policy.fusion_target import supports_op as supports_op
    from rlx_passes.report.fusion_report import FusionReport as FusionReport
    from rlx_passes.runtime.program import Program as Program
    from rlx_passes.runtime.program import load_bundle as load_bundle

__version__ = "0.1.0"

__all__ = [
    "Fuse",
    "FusionLimits",
    "FusionOptions",
    "FusionReport",
    "FusionTarget",
    "GraphIoProfile",
    "Imported",
    "IoFusionGate",
    "Program",
    "RlxError",
    "build_pipeline",
    "compile",
    "fk_passes_after_elementwise_regions",
    "from_onnx",
    "from_torch",
    "fuse",
    "fusion_limits_for_target",
    "fusion_passes",
    "fusion_passes_for_supported",
    "io_fusion_gate_for_target",
    "load_bundle",
    "load_target",
    "run_fusion_pipeline",
    "should_fuse_with_target",
    "supported_for_target",
    "supports_op",
]

_BY_MODULE = {
    "compiler": ("compile",),
    "core.errors": ("RlxError",),
    "frontends.imported": ("Imported",),
    "frontends.onnx": ("from_onnx",),
    "frontends.torch": ("from_torch",),
    "pipeline.builder": ("Fuse",),
    "pipeline.entries": (
        *("fk_passes_after_elementwise_regions", "fuse", "fusion_passes", "fusion_passes_for_supported"),
        "run_fusion_pipeline",
    ),
    "policy.fusion_target": ("FusionTarget", "should_fuse_with_target", "supports_op"),
    "budget.io_gate": ("GraphIoProfile", "IoFusionGate"),
    "budget.limits": ("FusionLimits",),
    "pipeline.options": ("FusionOptions",),
    "pipeline.stages": ("build_pipeline",),
    "pipeline.target": (
        *("fusion_limits_for_target", "io_fusion_gate_for_target", "load_target"),
        "supported_for_target",
    ),
    "report.fusion_report": ("FusionReport",),
    "runtime.program": ("Program", "load_bundle"),
}
_PLACES = {name: module for module, names in _BY_MODULE.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
