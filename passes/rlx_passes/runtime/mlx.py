"""Runs mlx bundles: the exported functions where this MLX can read them, else the Python source in the bundle."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rlx_passes.bundle.folder import Bundle
from rlx_passes.bundle.manifest import BundleError, Entry, Role
from rlx_passes.codegen.mlx import export_stamp, load_functions
from rlx_passes.codegen.mlx_source import DTYPES
from rlx_passes.core.dtypes import numpy_dtype
from rlx_passes.core.errors import RunError, ToolMissing, one_line
from rlx_passes.runtime.program import Array, Program

Function = Callable[..., Sequence[Any]]


class MlxProgram(Program):
    """
    An entry on MLX's default device; on the CPU where f64 is among its values, which no GPU of MLX's computes.

    `exported=False` runs the Python source even where an exported function is there.
    """

    makes_all = True

    def __init__(self, bundle: Bundle, entry: Entry, *, exported: bool = True) -> None:
        super().__init__(bundle, entry)
        try:
            stamp = export_stamp()
            import mlx.core as mx
        except ToolMissing as error:
            raise RunError(str(error)) from error
        self._mx: Any = mx
        code = entry.code
        self._use_exported = exported and code.get("stamp") == stamp
        self._source: dict[str, Any] | None = None
        self._main = self._function(_part(code, "main", entry))
        self._prepare_function = None if entry.prepare is None else self._function(_part(code, "prepare", entry))
        self._kept: dict[tuple[Role, str], Any] = {}
        specs = (*entry.inputs, *entry.params, *entry.prepared, *entry.outputs)
        self._device: Any = mx.cpu if any(spec.dtype == "f64" for spec in specs) else mx.default_device()

    def _prepare(self, params: Mapping[str, Array]) -> None:
        self._kept = {("param", spec.name): self._to_mlx(params[spec.name], spec.dtype) for spec in self.entry.params}
        if self.entry.prepare is None or self._prepare_function is None:
            return
        results = self._call(self._prepare_function, self.entry.prepare.arguments, self._kept)
        self._kept |= {("prepared", name): value for name, value in zip(self.entry.prepare.results, results)}

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        given: dict[tuple[Role, str], Any] = {
            ("input", spec.name): self._to_mlx(inputs[spec.name], spec.dtype) for spec in self.entry.inputs
        }
        results = self._call(self._main, self.entry.call.arguments, {**self._kept, **given})
        return [self._to_numpy(value, spec.dtype) for value, spec in zip(results, self.entry.outputs, strict=True)]

    def _function(self, part: Mapping[str, Any]) -> Function:
        """The function to call, compiled by MLX on a GPU: there it joins elementwise chains into kernels."""
        mx = self._mx
        if self._use_exported and part.get("exported"):
            function: Function = mx.import_function(str(self.bundle.file(part["exported"])))
        else:
            if self._source is None:
                self._source = load_functions(self.bundle.file(self.entry.code["source"]))
            function = self._source[part["function"]]
        on_gpu: bool = mx.default_device().type == mx.DeviceType.gpu
        return mx.compile(function) if on_gpu else function

    def _call(
        self, function: Function, arguments: Sequence[tuple[Role, str]], values: Mapping[tuple[Role, str], Any]
    ) -> Sequence[Any]:
        try:
            with self._mx.stream(self._device):
                results = function(*(values[argument] for argument in arguments))
                self._mx.eval(results)
        except (ValueError, RuntimeError, OverflowError) as error:
            raise RunError(f"{self._title} failed in MLX: {one_line(str(error))}") from error
        except (ArithmeticError, MemoryError) as error:
            raise RunError(f"{self._title}: {one_line(str(error))}") from error
        return results

    def _to_mlx(self, array: Array, dtype: str) -> Any:
        try:
            return self._mx.array(array, dtype=getattr(self._mx, DTYPES[dtype]))
        except (ValueError, RuntimeError, OverflowError) as error:
            raise RunError(f"{self._title}: MLX takes no array of {list(array.shape)}: {error}") from error

    def _to_numpy(self, value: Any, dtype: str) -> Array:
        if dtype == "bf16":
            return np.array(value.view(self._mx.uint16)).view(numpy_dtype(dtype))
        return np.array(value)


def _part(code: Mapping[str, Any], key: str, entry: Entry) -> Mapping[str, Any]:
    part = code.get(key)
    if not isinstance(part, dict) or "function" not in part or "source" not in code:
        raise BundleError(f"entry '{entry.name}' of the bundle has no MLX code for its {key} function")
    return part  # pyright: ignore[reportUnknownVariableType]
