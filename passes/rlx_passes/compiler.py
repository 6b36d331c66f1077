"""From a program to a bundle, and from there to something that runs."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_dialect.ops import ArtifactOp
from rlx_passes.bundle.folder import check_replaceable, write_bundle
from rlx_passes.bundle.manifest import MANIFEST, Manifest
from rlx_passes.core.collection import rare_collection
from rlx_passes.core.errors import CodegenError, UsageError
from rlx_passes.core.index import apply_all
from rlx_passes.core.spec import print_pipeline
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.stages import Origin, build_pipeline
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.registry.instantiate import spec_of

if TYPE_CHECKING:
    from rlx_passes.report.model import Report
    from rlx_passes.runtime.program import Program

RunPasses = Callable[[Context, ModuleOp], None]


def compile(
    module: ModuleOp | str,
    target: FusionTarget | str,
    *,
    chip: str = "",
    via: str = "",
    options: FusionOptions | None = None,
    origin: Origin = "stablehlo",
    params: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    pack_attention: bool = False,
    exact_rounding: bool = False,
    entry: str | None = None,
    output: Path | str | None = None,
    report: "Callable[[Report], object] | None" = None,
) -> "Program":
    """
    Compile a module, or its text, for a target and load one of its functions.

    `module` is left as it is. `via` is one of the target's routes to code. `options` replaces the target's fusion
    options, `origin="rlx"` leaves the import from StableHLO out, `params` and `names` are for that import,
    `exact_rounding` is for `rlx-raise`. The bundle
    is written to `output`, else to a folder that lives as long as the program. `report` gets a report of what was fused
    and what was not, as in `report=print`. Raises RlxError.
    """
    from rlx_passes.pipeline.reports import recording_for
    from rlx_passes.reading.dialects import tool_context
    from rlx_passes.reading.parsing import parse
    from rlx_passes.reading.source import Source
    from rlx_passes.reading.verifying import verify
    from rlx_passes.runtime.program import load_bundle

    if not isinstance(module, ModuleOp | str):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may be untyped
        raise UsageError(f"compile needs a ModuleOp or its text, got {type(module).__name__}{_way_to(module)}")
    if isinstance(module, str) and "\n" not in module and Path(module).suffix in _FILES:
        raise UsageError(f"compile needs the text of a module, and '{module}' is the name of a file: read it first")
    if origin not in get_args(Origin):
        raise UsageError(f"origin is {origin!r}: one of {', '.join(get_args(Origin))} was expected")
    if not isinstance(target, FusionTarget | str):  # pyright: ignore[reportUnnecessaryIsInstance] # the same
        raise UsageError(f"compile needs a target or its name, got {type(target).__name__}")
    if output is not None:
        check_replaceable(output)
    context = tool_context()
    work = parse(context, Source("<module>", module)) if isinstance(module, str) else module.clone()
    verify(work)
    passes = build_pipeline(
        target,
        options,
        origin=origin,
        params=params,
        names=names,
        pack_attention=pack_attention,
        exact_rounding=exact_rounding,
        chip=chip,
        via=via,
    )
    recording = None if report is None else recording_for(target, options)
    files = compile_module(context, work, passes, recording and partial(recording.run, passes))
    if report is not None and recording is not None:
        report(recording.report())
    if output is not None:
        write_bundle(output, files)
        return load_bundle(output, entry)

    folder = Path(tempfile.mkdtemp(prefix="rlx-"))
    try:
        write_bundle(folder / "bundle", files)
        program = load_bundle(folder / "bundle", entry)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(program, shutil.rmtree, folder, ignore_errors=True)
    return program


_FILES = (".mlir", ".mlirbc", ".onnx", ".py", ".pt", ".pt2")
"""What names of files end with that somebody may give in place of a text."""

_WAYS = {
    "torch": "from_torch(module, example_inputs).module",
    "jax": "jax.jit(f).lower(*args).as_text()",
    "jaxlib": "jax.jit(f).lower(*args).as_text()",
    "onnx": "from_onnx(model).module",
    "pathlib": "path.read_text()",
    "rlx_dialect": "its .module()",
    "rlx_passes": "its .module",
}
"""What gives a module, by the package of what was given in its place."""


def _way_to(given: object) -> str:
    """`; ... is one`, for a program of another package."""
    kinds = given.__mro__ if isinstance(given, type) else type(given).__mro__
    ways = [_WAYS[package] for kind in kinds if (package := kind.__module__.partition(".")[0]) in _WAYS]
    return f"; {ways[0]} is one" if ways else ""


def compile_module(
    context: Context, module: ModuleOp, passes: tuple[ModulePass, ...], run: RunPasses | None = None
) -> dict[str, bytes]:
    """
    Run a pipeline ending in `rlx-emit` over `module`; gives the files of the bundle, the pipeline recorded among them.

    `run` runs the passes where the caller wants to watch them.
    """
    with rare_collection():
        if run is None:
            apply_all(passes, context, module)
        else:
            run(context, module)
    return recorded(artefacts(module), print_pipeline(map(spec_of, passes)))


def artefacts(module: ModuleOp) -> dict[str, bytes]:
    """The files that code generation left in a module, by name."""
    files = {op.file.data: op.data for op in module.walk() if isinstance(op, ArtifactOp)}
    if MANIFEST not in files:
        raise CodegenError(f"the pipeline left no {MANIFEST}: it must end in rlx-emit")
    return files


def recorded(files: Mapping[str, bytes], pipeline: str) -> dict[str, bytes]:
    """The files with the pipeline that made them written into the manifest: a pass does not know what ran before it."""
    manifest = replace(Manifest.from_json(files[MANIFEST]), pipeline=pipeline)
    return {**files, MANIFEST: manifest.to_json().encode()}
