"""The kernels of a module."""

from dataclasses import dataclass, field

from xdsl.dialects import gpu
from xdsl.dialects.builtin import StringAttr

from rlx_passes.lowerings.to_gpu.complexes import split_complex
from rlx_passes.lowerings.to_gpu.kernel import Grid, KernelBuilder

KERNELS = "kernels"
"""Name of the one `gpu.module` that holds every kernel."""


@dataclass
class Kernels:
    """The kernels of a module. Two with the same text are one, whichever functions launch them."""

    functions: list[gpu.FuncOp] = field(default_factory=list[gpu.FuncOp])
    most_buffers: int = 0
    _names: dict[str, str] = field(default_factory=dict[str, str])

    def mark(self) -> int:
        """How many there are, for `forget`."""
        return len(self.functions)

    def forget(self, mark: int) -> None:
        """Drop those that were new since `mark`."""
        gone = {kernel.attributes["sym_name"] for kernel in self.functions[mark:]}
        del self.functions[mark:]
        self._names = {text: name for text, name in self._names.items() if StringAttr(name) not in gone}

    def add(self, builder: KernelBuilder, grid: Grid) -> str:
        """The name of the kernel that `builder` holds, new or known."""
        kernel = builder.finish("kernel", grid)
        split_complex(kernel)
        # Where sizes cannot be arguments they lie in one more buffer.
        self.most_buffers = max(self.most_buffers, len(builder.buffers) + bool(builder.sizes))
        text = str(kernel)
        if text not in self._names:
            self._names[text] = f"kernel_{len(self._names)}"
            kernel.attributes["sym_name"] = StringAttr(self._names[text])
            self.functions.append(kernel)
        return self._names[text]
