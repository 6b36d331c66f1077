"""
What this package offers to every xDSL tool: the `rlx` dialect and the passes, each imported when it is first used.

The names here and those of the selection policy are the whole list; importing this module loads neither the dialect nor any pass.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from xdsl.universe import Universe

from rlx_passes.pipeline.extensions import fault, installed
from rlx_passes.pipeline.policy import CHECK, PACK_ATTENTION, POLICY

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass

_OTHERS: dict[str, str] = {
    "rlx-fusion": "pipeline.fusion",
    "rlx-pipeline": "pipeline.pipeline",
    "rlx-clip-elementwise-regions": "fusion.clip_elementwise_regions",
    "rlx-unfuse": "fusion.unfuse",
    "convert-stablehlo-to-rlx": "frontend.convert_stablehlo_to_rlx",
    "convert-rlx-to-stablehlo": "lowering.convert_rlx_to_stablehlo",
    "rlx-canonicalize": "simplify.canonicalize",
    "rlx-infer-shapes": "simplify.infer_shapes",
    "rlx-hoist-prepare": "lowering.hoist_prepare",
    "convert-rlx-to-linalg": "lowering.to_linalg.convert",
    "convert-rlx-to-gpu": "lowering.convert_rlx_to_gpu",
    "convert-rlx-to-mlx": "lowering.to_mlx.convert",
    "rlx-emit": "codegen.emit",
    "rlx-raise": "frontend.raising.raise_pass",
    "rlx-canonicalize-broadcasts": "frontend.raising.canonicalize_broadcasts",
    "rlx-raise-transpose": "frontend.raising.raise_transpose",
    "rlx-raise-dot-general": "frontend.raising.raise_dot_general",
    "rlx-raise-softmax": "frontend.raising.raise_softmax",
    "rlx-raise-layer-norm": "frontend.raising.raise_layer_norm",
    "rlx-raise-rms-norm": "frontend.raising.raise_rms_norm",
    "rlx-raise-batch-norm": "frontend.raising.raise_batch_norm",
    "rlx-raise-group-norm": "frontend.raising.raise_group_norm",
    "rlx-raise-gelu": "frontend.raising.raise_gelu",
    "rlx-raise-clamp": "frontend.raising.raise_clamp",
    "rlx-raise-activations": "frontend.raising.raise_activations",
    "rlx-raise-hard-swish": "frontend.raising.raise_hard_swish",
    "rlx-raise-tanh": "frontend.raising.raise_tanh",
    "rlx-raise-rope": "frontend.raising.raise_rope",
    "rlx-raise-resize-nearest2x": "frontend.raising.raise_resize_nearest2x",
    "rlx-raise-attention": "frontend.raising.raise_attention",
}

PASSES: dict[str, str] = {
    **{
        row.name: "fusion." + row.name.removeprefix("rlx-").replace("-", "_")
        for row in (*POLICY, PACK_ATTENTION, CHECK)
    },
    **_OTHERS,
}
"""Every pass of this package: its name, and the module that holds it. A pass of the fusion list lies in `fusion` under its own name."""


def _dialect() -> "Dialect":
    from rlx_dialect import RLX

    return RLX


def _mlx_dialect() -> "Dialect":
    from rlx_passes.lowering.to_mlx.dialect import MLX

    return MLX


def _pass(name: str) -> "type[ModulePass]":
    held = vars(import_module(f"rlx_passes.{PASSES[name]}")).values()
    return next(cls for cls in held if isinstance(cls, type) and getattr(cls, "name", None) == name)


RLX_UNIVERSE = Universe(
    all_dialects={"rlx": _dialect, "mlx": _mlx_dialect},
    all_passes={name: partial(_pass, name) for name in PASSES},
)
"""The entry point in the `xdsl.universe` group."""


def all_passes() -> "dict[str, Callable[[], type[ModulePass]]]":
    """Every pass of the environment, this package's included whether or not it is installed."""
    return {**_of_extensions().all_passes, **Universe.get_multiverse().all_passes, **RLX_UNIVERSE.all_passes}


def all_dialects() -> "dict[str, Callable[[], Dialect]]":
    """Every dialect of the environment, this package's included whether or not it is installed."""
    return {**_of_extensions().all_dialects, **Universe.get_multiverse().all_dialects, **RLX_UNIVERSE.all_dialects}


def _of_extensions() -> Universe:
    """What extensions add. Raises `ExtensionError` for a name that this package has already."""
    passes: dict[str, Callable[[], type[ModulePass]]] = {}
    dialects: dict[str, Callable[[], Dialect]] = {}
    for extension in installed():
        theirs = extension.universe
        for name in (*theirs.all_passes, *theirs.all_dialects):
            if name in RLX_UNIVERSE.all_passes or name in RLX_UNIVERSE.all_dialects:
                raise fault(extension, f"'{name}' is a name of this package")
        passes |= theirs.all_passes
        dialects |= theirs.all_dialects
    return Universe(all_passes=passes, all_dialects=dialects)
