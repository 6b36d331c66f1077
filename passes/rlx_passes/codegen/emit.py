"""`rlx-emit`, the last pass: runs the compiler of a target and leaves the files of the bundle as `rlx.artifact` ops."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from rlx_dialect import RLX
from rlx_dialect.ops import ArtifactOp
from rlx_passes.bundle.manifest import MANIFEST, Manifest
from rlx_passes.core.errors import CodegenError, Refusal, did_you_mean
from rlx_passes.pipeline.target import is_file, load_target, target_files
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.rewriting.conversion import placed


class Generator(Protocol):
    """The files of a bundle, by name; an empty chip means the target's own."""

    def __call__(self, module: ModuleOp, chip: str = "") -> Mapping[str, bytes]: ...


@dataclass(frozen=True)
class EmitPass(ModulePass):
    """
    Compile the lowered module for `target` and replace its contents by the files, one `rlx.artifact` each.

    `chip` is the target's own name of a processor; without one the target's default is meant. `via` is one of the
    target's routes to code, by default its first choice. Raises `Refusal` for an op of RLX, `CodegenError` for an
    unknown target and for a module that its compiler refuses, `TargetError` for an unknown route, `ToolMissing` where
    the compiler is not there. Who runs the passes knows all of them and writes them into the manifest.
    """

    name = "rlx-emit"

    target: str
    chip: str = ""
    via: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kept = kept_ops(self.target, self.via)
        for inner in op.walk():
            if inner.name.startswith(f"{RLX.name}.") and not isinstance(inner, kept):
                raise placed(Refusal("is not lowered", "rlx-emit takes what a `convert-rlx-to-...` pass leaves"), inner)
        files = generator(self.target, self.via)(op.clone(), self.chip)
        artefacts = [ArtifactOp(name, content) for name, content in files.items()]
        old = op.body.block
        op.body.detach_block(old)
        old.erase(safe_erase=False)
        op.body.add_block(Block(artefacts))


def generator(name: str, via: str = "") -> Generator:
    """
    The function that makes code for the target of that name or file, by route `via` of those it has; its module is
    imported here, so that a target works without the packages of the others. Raises `CodegenError` for one that nothing
    makes code for, `TargetError` for an unknown route.
    """
    target, module = _emitter(name, via)
    emit, taken = module.emit, via or target.via

    def generate(module: ModuleOp, chip: str = "") -> Mapping[str, bytes]:
        files = emit(module, target, chip or target.fallback_chip or target.default_chip)
        if not taken:
            return files
        manifest = replace(Manifest.from_json(files[MANIFEST]), via=taken)
        return {**files, MANIFEST: manifest.to_json().encode()}

    return generate


def kept_ops(name: str, via: str = "") -> tuple[type[Operation], ...]:
    """The ops of RLX that the code generator of a target writes itself. Raises `CodegenError` as `generator` does."""
    return getattr(_emitter(name, via)[1], "KEPT", ())


def _emitter(name: str, via: str) -> tuple[FusionTarget, Any]:
    """A target and the module that makes code for it."""
    known = target_files()
    if name not in known and not is_file(name):
        raise CodegenError(
            f"nothing makes code for target '{name}'{did_you_mean(name, known)} (known: {', '.join(known)})"
        )
    target = load_target(name)
    emitter = target.route(via).emitter
    if not emitter:
        raise CodegenError(f"nothing makes code for target '{name}': its file names no codegen.emitter")
    return target, importlib.import_module(f"rlx_passes.codegen.{emitter}")
