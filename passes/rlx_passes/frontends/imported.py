"""What an import gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp


@dataclass(frozen=True)
class Imported:
    """A verified program, and the contents of its params by name."""

    module: ModuleOp
    params: Mapping[str, NDArray[Any]]
