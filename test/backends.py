"""The backends that run on any machine: a program of rlx ops in, what it computes out."""

from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path

from programs import parse
from tools import need_module
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from rlx_dialect.reference import Array
from rlx_dialect.signature import arguments_of, find_function, results_of
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.hoist_prepare import HoistPreparePass
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.lowerings.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.program import load_bundle

Runner = Callable[[ModuleOp, Sequence[Array], Path], list[Array]]
"""From a module with one public function, lowered in place, its arguments and an empty folder to its results."""


def on_cpu(module: ModuleOp, arrays: Sequence[Array], folder: Path) -> list[Array]:
    need_module("llvmlite")
    names = _names(module)
    lower_to_linalg(module)
    return _loaded(generator("cpu")(module), names, arrays, folder)


def cpu_bundle(text: str, path: Path, via: str, chip: str = "") -> Path:
    """The bundle of a program for cpu by one of its ways to code, prepared values included, written to `path`."""
    module = parse(text)
    HoistPreparePass().apply(tool_context(), module)
    lower_to_linalg(module)
    write_bundle(path, generator("cpu", via)(module, chip))
    return path


def on_xla(module: ModuleOp, arrays: Sequence[Array], folder: Path) -> list[Array]:
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    name = find_function(module).sym_name.data
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    stream = StringIO()
    Printer(stream=stream, print_generic_format=True).print_op(module)
    return list(XlaFunction(stream.getvalue(), name)(arrays))


def on_mlx(module: ModuleOp, arrays: Sequence[Array], folder: Path) -> list[Array]:
    need_module("mlx")
    names = _names(module)
    ConvertRlxToMlxPass().apply(tool_context(), module)
    return _loaded(generator("mlx")(module), names, arrays, folder)


Names = tuple[list[str], list[str]]


def _names(module: ModuleOp) -> Names:
    func = find_function(module)
    return [each.name for each in arguments_of(func)], [each.name for each in results_of(func)]


def _loaded(files: Mapping[str, bytes], names: Names, arrays: Sequence[Array], folder: Path) -> list[Array]:
    write_bundle(folder / "bundle", files)
    results = load_bundle(folder / "bundle")(dict(zip(names[0], arrays, strict=True)))
    return [results[name] for name in names[1]]
