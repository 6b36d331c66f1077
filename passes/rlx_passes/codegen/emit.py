"""
`rlx-emit`: the last pass. It runs the compiler of a target and leaves the files of the bundle as `rlx.artifact` ops.

Which module makes the code of a target is the table below; each is imported on use, so that a missing package of one target is no matter to
the others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from rlx_dialect import RLX
from rlx_dialect.ops import ArtifactOp
from rlx_passes.codegen.errors import CodegenError
from rlx_passes.errors import did_you_mean
from rlx_passes.lowering.errors import LoweringError

Generator = Callable[[ModuleOp, str, str], Mapping[str, bytes]]
"""`(module, chip, pipeline)` to the files of a bundle, by name; an empty chip means the target's default."""

GENERATORS: Mapping[str, str] = {
    target: f"rlx_passes.codegen.{target}" for target in ("cpu", "cuda", "metal", "mlx", "rocm", "tpu", "wgpu")
}
"""By name of the generator: the module whose `emit` is its function."""


@dataclass(frozen=True)
class EmitPass(ModulePass):
    """
    Compile the lowered module for `target` and replace its contents by the files, one `rlx.artifact` each.

    `chip` is the target's own name of a processor; without one the target's default is meant. Raises `LoweringError` for an op of RLX, `CodegenError` for an
    unknown target and for a module that its compiler refuses, `ToolMissing` where the compiler is not there. Who runs the passes knows all of them and writes them into
    the manifest.
    """

    name = "rlx-emit"

    target: str
    chip: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if inner.name.startswith(f"{RLX.name}."):
                raise LoweringError(inner, "is not lowered: rlx-emit takes what a `convert-rlx-to-...` pass leaves")
        files = generator(self.target)(op, self.chip, "")
        artefacts = [ArtifactOp(name, content) for name, content in files.items()]
        old = op.body.block
        op.body.detach_block(old)
        old.erase(safe_erase=False)
        op.body.add_block(Block(artefacts))


def generator(target: str) -> Generator:
    """The function that makes code for `target`. Raises `CodegenError` for one that is not known."""
    if target not in GENERATORS:
        known = ", ".join(GENERATORS)
        raise CodegenError(
            f"nothing makes code for target '{target}'{did_you_mean(target, GENERATORS)} (known: {known})"
        )
    found: Generator = importlib.import_module(GENERATORS[target]).emit
    return found
