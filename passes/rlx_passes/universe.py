"""
What this package offers to every xDSL tool: the `rlx` dialect and the passes, each imported when it is first used.

The names here and those of the selection policy are all; importing this module loads neither the dialect nor any pass.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass
    from xdsl.universe import Universe

    from rlx_passes.policy.extensions import Extension

    PASSES: dict[str, str]
    """Every pass of this package: its name, and the module that holds it."""

    RLX_UNIVERSE: Universe
    """The entry point in the `xdsl.universe` group."""

T = TypeVar("T")


def _stem(name: str) -> str:
    return name.removeprefix("rlx-").replace("-", "_")


_FOLDERS: dict[str, tuple[str, ...]] = {
    "expansion": (
        *("rlx-lower-control-flow", "rlx-lower-dot-general", "rlx-decompose-fusion-regions"),
        *("rlx-unfuse-elementwise-regions", "rlx-clip-elementwise-regions", "rlx-unfuse"),
    ),
    "raising": (
        *("rlx-canonicalize-broadcasts", "rlx-raise-transpose", "rlx-raise-dot-general", "rlx-raise-softmax"),
        *("rlx-share-sizes", "rlx-fold-ranges", "rlx-raise-grouped-matmul"),
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
    "lowerings.to_loops": (
        *("rlx-fuse-elementwise", "rlx-bufferize", "rlx-flatten-convolutions", "rlx-parallelize", "rlx-pack-products"),
        *("rlx-outline-rounds", "rlx-expand-math", "rlx-linalg-to-loops", "rlx-unswitch-loops", "rlx-plan-buffers"),
    ),
    "codegen": ("rlx-emit",),
    "pipeline": ("rlx-fusion", "rlx-pipeline"),
}
"""The passes of a folder, each in the file of its name. Those of the fusion list that are not here are in `fusion`."""


@cache
def _modules() -> dict[str, str]:
    from rlx_passes.policy.policy import CHECK, PACK_ATTENTION, POLICY

    fusions = tuple(row.name for row in (*POLICY, PACK_ATTENTION, CHECK))
    return {
        **{
            name: f"{folder}.{_stem(name)}"
            for folder, names in {"fusion": fusions, **_FOLDERS}.items()
            for name in names
        },
        "convert-rlx-to-linalg": "lowerings.to_linalg.convert",
        "convert-rlx-to-mlx": "lowerings.to_mlx.convert",
        "rlx-convert-to-llvm": "lowerings.to_llvm.convert",
        "rlx-raise": "raising.raise_pass",
    }


def _dialect() -> "Dialect":
    from rlx_dialect import RLX

    return RLX


def _mlx_dialect() -> "Dialect":
    from rlx_passes.dialects.mlx import MLX

    return MLX


def _llvm_dialect() -> "Dialect":
    from rlx_passes.dialects.llvm import LLVM

    return LLVM


@cache
def _pass(name: str) -> "type[ModulePass]":
    held = vars(import_module(f"rlx_passes.{_modules()[name]}")).values()
    return next(cls for cls in held if isinstance(cls, type) and getattr(cls, "name", None) == name)


@cache
def own_passes() -> "dict[str, Callable[[], type[ModulePass]]]":
    """The passes of this package."""
    return {name: partial(_pass, name) for name in _modules()}


def own_dialects() -> "dict[str, Callable[[], Dialect]]":
    """The dialects of this package."""
    return {"rlx": _dialect, "mlx": _mlx_dialect}


@cache
def _universe() -> "Universe":
    from xdsl.universe import Universe

    return Universe(all_dialects=own_dialects(), all_passes=own_passes())


def __getattr__(name: str) -> object:
    made: dict[str, Callable[[], object]] = {"PASSES": _modules, "RLX_UNIVERSE": _universe}
    if name not in made:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return made[name]()


class Found(Mapping[str, T]):
    """
    Names out of several tables, each of which is only made for a name that those before it do not have.

    The last has every name. It is the environment's, which takes longer to search than most programs to read.
    """

    def __init__(self, *tables: Callable[[], Mapping[str, T]]):
        self._tables = [cache(table) for table in tables]

    def __getitem__(self, name: str) -> T:
        for table in self._tables:
            if name in (found := table()):
                return found[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables[-1]())

    def __len__(self) -> int:
        return len(self._tables[-1]())


def all_passes() -> "Mapping[str, Callable[[], type[ModulePass]]]":
    """
    Every pass of the environment, this package's included whether or not it is installed.

    Raises `ExtensionError`, as names are looked up, for a row of an extension that no pass here fits.
    """

    def near() -> "Mapping[str, Callable[[], type[ModulePass]]]":
        from rlx_passes.policy.extensions import installed

        return _passes_of_environment() if installed() else own_passes()

    def of_xdsl() -> "Mapping[str, Callable[[], type[ModulePass]]]":
        from xdsl.transforms import get_all_passes

        return get_all_passes()

    return Found(near, of_xdsl, _passes_of_environment)


def all_dialects() -> "Mapping[str, Callable[[], Dialect]]":
    """Every dialect of the environment, this package's included whether or not it is installed."""

    def of_xdsl() -> "Mapping[str, Callable[[], Dialect]]":
        from xdsl.dialects import get_all_dialects

        return get_all_dialects()

    def of_environment() -> "Mapping[str, Callable[[], Dialect]]":
        from rlx_passes.policy.extensions import loaded_dialect

        return _everywhere(lambda universe: universe.all_dialects, loaded_dialect)

    # A universe may not have a name of xDSL's, so that this dialect is in none.
    return Found(own_dialects, lambda: {"llvm": _llvm_dialect}, of_xdsl, of_environment)


def _passes_of_environment() -> "Mapping[str, Callable[[], type[ModulePass]]]":
    from rlx_passes.core.errors import did_you_mean
    from rlx_passes.policy.extensions import fault, installed, loaded_pass
    from rlx_passes.policy.policy import all_rows, problems_of_options

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


Loads = dict[str, Callable[[], T]]


def _everywhere(
    names: "Callable[[Universe], Loads[T]]", checked: "Callable[[Extension, str, Callable[[], T]], T]"
) -> Loads[T]:
    """What all universes have under their names. Raises `ExtensionError` for a name that is somebody else's."""
    from rlx_passes.policy.extensions import fault, installed, multiverse

    others = {**names(multiverse()), **names(_universe())}
    ours = own_passes().keys() | own_dialects().keys()
    found: Loads[T] = {}
    for extension in installed():
        for name, load in names(extension.universe).items():
            if name in ours:
                raise fault(extension, f"'{name}' is a name of this package")
            if others.setdefault(name, load) is not load:
                raise fault(extension, f"'{name}' is a name of xDSL or of another package")
            found[name] = partial(checked, extension, name, load)
    return {**others, **found}
