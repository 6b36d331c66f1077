"""
What this package offers to every xDSL tool: the `rlx` dialect and the passes, each imported when it is first used.

The names here and those of the selection policy are all; importing this module loads neither the dialect nor any pass.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from xdsl.universe import Universe

from rlx_passes.core.errors import did_you_mean
from rlx_passes.policy.extensions import (
    Extension,
    fault,
    installed,
    loaded_dialect,
    loaded_pass,
    multiverse,
)
from rlx_passes.policy.policy import CHECK, PACK_ATTENTION, POLICY, all_rows, problems_of_options

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass

T = TypeVar("T")


def _stem(name: str) -> str:
    return name.removeprefix("rlx-").replace("-", "_")


_FOLDERS: dict[str, tuple[str, ...]] = {
    "fusion": (*(row.name for row in (*POLICY, PACK_ATTENTION, CHECK)),),
    "expansion": (
        *("rlx-lower-control-flow", "rlx-lower-dot-general", "rlx-decompose-fusion-regions"),
        *("rlx-unfuse-elementwise-regions", "rlx-clip-elementwise-regions", "rlx-unfuse"),
    ),
    "raising": (
        *("rlx-canonicalize-broadcasts", "rlx-raise-transpose", "rlx-raise-dot-general", "rlx-raise-softmax"),
        *(
            "rlx-raise-layer-norm",
            "rlx-raise-rms-norm",
            "rlx-raise-batch-norm",
            "rlx-raise-group-norm",
            "rlx-raise-gelu",
        ),
        *("rlx-raise-clamp", "rlx-raise-activations", "rlx-raise-hard-swish", "rlx-raise-tanh", "rlx-raise-rope"),
        *("rlx-raise-resize-nearest2x", "rlx-raise-attention"),
    ),
    "simplify": ("rlx-canonicalize", "rlx-infer-shapes", "rlx-dead-code-elimination"),
    "frontends.stablehlo": ("convert-stablehlo-to-rlx",),
    "lowerings": ("convert-rlx-to-stablehlo", "convert-rlx-to-gpu", "rlx-hoist-prepare"),
    "codegen": ("rlx-emit",),
    "pipeline": ("rlx-fusion", "rlx-pipeline"),
}
"""The passes of a folder, each in the file of its name; the first has the fusion list, less what a later one names."""

PASSES: dict[str, str] = {
    **{name: f"{folder}.{_stem(name)}" for folder, names in _FOLDERS.items() for name in names},
    "convert-rlx-to-linalg": "lowerings.to_linalg.convert",
    "convert-rlx-to-mlx": "lowerings.to_mlx.convert",
    "rlx-raise": "raising.raise_pass",
}
"""Every pass of this package: its name, and the module that holds it."""


def _dialect() -> "Dialect":
    from rlx_dialect import RLX

    return RLX


def _mlx_dialect() -> "Dialect":
    from rlx_passes.dialects.mlx import MLX

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
    """
    Every pass of the environment, this package's included whether or not it is installed.

    Raises `ExtensionError` for a row of an extension that no pass here fits.
    """
    passes = _everywhere(lambda universe: universe.all_passes, loaded_pass)
    all_rows()  # says what else is wrong with them
    for extension in installed():
        for row in extension.rows:
            if row.name not in passes:
                own = ", ".join(extension.universe.all_passes) or "none"
                raise fault(
                    extension, f"no pass '{row.name}'{did_you_mean(row.name, passes)} (its universe has: {own})"
                )
            if row.name not in extension.universe.all_passes and row.options:
                for problem in problems_of_options(row, passes[row.name]()):
                    raise fault(extension, problem)
    return passes


def all_dialects() -> "dict[str, Callable[[], Dialect]]":
    """Every dialect of the environment, this package's included whether or not it is installed."""
    return _everywhere(lambda universe: universe.all_dialects, loaded_dialect)


Loads = dict[str, Callable[[], T]]


def _everywhere(
    names: Callable[[Universe], Loads[T]], checked: Callable[[Extension, str, Callable[[], T]], T]
) -> Loads[T]:
    """What all universes have under their names. Raises `ExtensionError` for a name that is somebody else's."""
    others = {**names(multiverse()), **names(RLX_UNIVERSE)}
    ours = RLX_UNIVERSE.all_passes.keys() | RLX_UNIVERSE.all_dialects.keys()
    found: Loads[T] = {}
    for extension in installed():
        for name, load in names(extension.universe).items():
            if name in ours:
                raise fault(extension, f"'{name}' is a name of this package")
            if others.setdefault(name, load) is not load:
                raise fault(extension, f"'{name}' is a name of xDSL or of another package")
            found[name] = partial(checked, extension, name, load)
    return {**others, **found}
