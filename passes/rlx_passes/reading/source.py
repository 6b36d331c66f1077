"""Reading a program's text, and cutting it at `// -----`."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rlx_passes.core.errors import InputError
from rlx_passes.reading.diagnostics import Place
from rlx_passes.reading.model_options import ModelOptions

if TYPE_CHECKING:
    from rlx_passes.core.sidecar import Sidecar

STDIN = "-"
SPLIT = "// -----"
MODEL = ".onnx"

_MARK = re.compile(rf"^{SPLIT}.*$", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """A text and the name under which diagnostics speak of it."""

    name: str
    text: str
    model: ModelOptions | None = None
    """Of a model in a file of its own format, which has no text: what is said of its inputs."""
    sidecar: "Sidecar | None" = None
    """Where the constants are that the text only names."""

    def line_at(self, place: Place) -> str | None:
        """The source line of a place in this text, or None for a place elsewhere."""
        lines = self.text.split("\n") if place.file == self.name else []
        return lines[place.line - 1].removesuffix("\r") if 0 < place.line <= len(lines) else None

    def chunks(self) -> Iterator["Source"]:
        """The parts between lines that begin with `// -----`. Blank lines in front keep the line numbers right."""
        if self.model is not None:
            yield self
            return
        start = 0
        for mark in [*_MARK.finditer(self.text), None]:
            end = mark.start() if mark else len(self.text)
            yield replace(self, text="\n" * self.text.count("\n", 0, start) + self.text[start:end])
            start = mark.end() if mark else end


def read_source(path: str, model: ModelOptions, sidecar: "Sidecar | None" = None) -> Source:
    """
    The file, or standard input for `-`; an `.onnx` file is left to the import, with what `model` says of its inputs.

    Raises InputError when there is no such file, it is no UTF-8 text, or `model` says anything of a text.
    """
    if path.endswith(MODEL):
        return Source(path, "", model)
    if model.dims or model.values:
        raise InputError(f"{path}: --dim and --set are for models in {MODEL} files")
    name = "<stdin>" if path == STDIN else path
    if path == STDIN and sys.stdin is None:
        raise InputError("standard input is closed: name a file to read")
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory, not a file") from None
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        byte = data[problem.start]
        raise InputError(f"{name}:{line}: not UTF-8 text: byte 0x{byte:02x} at offset {problem.start}") from None
    return Source(name, text.removeprefix("\ufeff"), sidecar=sidecar)
