"""mlx: a module of MLX calls as Python source, and its functions exported where all sizes are known."""

import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.tensor import ExtractOp

from rlx_dialect.ops import IfOp, ScanOp, WhileOp, YieldOp
from rlx_dialect.signature import find_function
from rlx_passes.bundle.manifest import MANIFEST, Entry, Manifest, Role, TensorSpec
from rlx_passes.codegen.entries import entry_specs, prepare_name, with_code
from rlx_passes.codegen.mlx_source import CONSTANTS, DTYPES, PythonSource, python_source
from rlx_passes.core.errors import CodegenError, ToolMissing
from rlx_passes.policy.fusion_target import FusionTarget

SOURCE = "program.py"
INSTALL = "pip install rlx-dialect[mlx]"
LARGEST = 2**31 - 1
"""Of the dims that MLX has."""

KEPT = (IfOp, ScanOp, WhileOp, YieldOp)
"""The ops of RLX that become statements of Python."""


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> Mapping[str, bytes]:
    """
    The bundle of a module that `convert-rlx-to-mlx` has lowered: `program.py`, the constants that are too long for it,
    and a `.mlxfn` for each function that knows all its sizes and asks for no value on its way.

    An exported function holds addresses of the process that wrote it, so its bytes differ from run to run; the other
    files do not. Raises `ToolMissing` without the Python package mlx, `CodegenError` for a chip or what MLX cannot run.
    """
    if chip:
        raise CodegenError(f"target {target.name} has no chips to choose from, got '{chip}': leave it out")
    _mlx()
    entries = entry_specs(module)
    source = python_source(module)
    files = {SOURCE: source.text.encode()}
    if source.constants:
        files[CONSTANTS] = _npz(source.constants)
    with tempfile.TemporaryDirectory() as folder:
        asks = any(isinstance(op, IfOp | WhileOp | ExtractOp) for op in module.walk())
        exporter = Exporter(Path(folder), files, asks)
        done = [with_code(entry, _code(module, entry, source, exporter)) for entry in entries]
        files |= exporter.exported
    manifest = Manifest(target.name, chip, "", tuple(done))
    return {MANIFEST: manifest.to_json().encode(), **files}


def load_functions(source: Path) -> dict[str, Any]:
    """What a generated source defines, by name: the file is executed, so it must come from a bundle that is trusted."""
    namespace: dict[str, Any] = {"__name__": "rlx_program", "__file__": str(source)}
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), namespace)
    return namespace


def export_stamp() -> str:
    """Where an exported function can be used: on the MLX version and the kind of device it was traced for."""
    mx = _mlx()
    return f"{mx.__version__} {mx.default_device().type.name}"


class Exporter:
    """
    Traces functions of the source, written to `folder`, and keeps what MLX exports. Where functions may ask for values,
    to branch or to end a loop, only those are traced that need no argument to answer.
    """

    def __init__(self, folder: Path, files: Mapping[str, bytes], asks: bool) -> None:
        self.folder, self.exported, self.asks = folder, dict[str, bytes](), asks
        for name, content in files.items():
            (folder / name).write_bytes(content)
        self.functions = load_functions(folder / SOURCE)

    def export(self, function: str, arguments: Sequence[TensorSpec]) -> str | None:
        """The name of the file for `function`; None where a size is not known, or a value is asked for."""
        mx = _mlx()
        shapes = [[size for size in spec.shape if size is not None] for spec in arguments]
        if any(len(shape) != len(spec.shape) for shape, spec in zip(shapes, arguments)):
            return None
        if large := next((size for shape in shapes for size in shape if size > LARGEST), None):
            raise CodegenError(f"MLX has no dim of {large}, which does not fit 32 bits: make it smaller")
        examples = [mx.zeros(shape, dtype=getattr(mx, DTYPES[spec.dtype])) for shape, spec in zip(shapes, arguments)]
        name = f"{function}.mlxfn"
        try:
            mx.export_function(str(self.folder / name), self.functions[function], *examples)
        except (ValueError, RuntimeError, ArithmeticError, TypeError) as error:
            if self.asks:
                return None
            said = "a size or an attribute does not fit 32 bits" if isinstance(error, TypeError) else str(error)
            raise CodegenError(f"MLX cannot trace the function '{function}': {said}") from error
        self.exported[name] = (self.folder / name).read_bytes()
        return name


def _code(module: ModuleOp, entry: Entry, source: PythonSource, exporter: Exporter) -> dict[str, Any]:
    """How the runtime finds the functions of an entry."""
    specs: dict[tuple[Role, str], TensorSpec] = {}
    groups: dict[Role, Sequence[TensorSpec]] = {
        "input": entry.inputs,
        "param": entry.params,
        "prepared": entry.prepared,
    }
    for role, group in groups.items():
        specs |= {(role, spec.name): spec for spec in group}

    def function(name: str, arguments: Sequence[tuple[Role, str]]) -> dict[str, Any]:
        python = source.functions[name]
        return {"function": python, "exported": exporter.export(python, [specs[each] for each in arguments])}

    prepare = prepare_name(find_function(module, entry.name))
    return {
        "source": SOURCE,
        "stamp": export_stamp(),
        "main": function(entry.name, entry.call.arguments),
        "prepare": function(prepare, entry.prepare.arguments) if prepare and entry.prepare else None,
    }


def _npz(arrays: Mapping[str, Any]) -> bytes:
    import numpy as np

    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _mlx() -> Any:
    """The package, or a `ToolMissing` that says how to get it."""
    try:
        import mlx.core as mx
    except ImportError as error:
        raise ToolMissing(f"the Python package 'mlx' is needed for target mlx and was not found: {INSTALL}") from error
    return mx
