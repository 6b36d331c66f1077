"""
ONNX models as programs.

    model = from_onnx("model.onnx", dims={"batch": 1})
    outputs = run(model.module, inputs={**model.params, "x": x})
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rlx_passes.core.errors import UsageError

if TYPE_CHECKING:
    from rlx_passes.frontends.imported import Imported


def from_onnx(
    path: Path | str,
    *,
    dims: Mapping[str, int] | None = None,
    values: Mapping[str, float] | None = None,
    name: str = "main",
    inline: bool = False,
) -> Imported:
    """
    The model in a file as a program with one public function, `name`.

    Inputs, outputs and weights keep their names, a named dim its name in `rlx.dims` unless `dims` gives it a size; one
    without a name is called `NAME_AXIS` after its input. `values` says of an input of one element what it always is: it
    is no input then. Weights are params, whose contents come beside the program, or constants in it with `inline`;
    single numbers and small tensors of integers are constants always. Raises `InputError`: for a file that cannot be
    read, and for what the dialect cannot say, by node and op.
    """
    from rlx_passes.frontends.onnx.importer import import_model
    from rlx_passes.frontends.onnx.protobuf import read_model

    if not isinstance(path, Path | str):  # pyright: ignore[reportUnnecessaryIsInstance] # callers may be untyped
        raise UsageError(f"from_onnx needs the path of an .onnx file, got {type(path).__name__}")
    return import_model(read_model(Path(path)), dims=dims, values=values, name=name, inline=inline)
