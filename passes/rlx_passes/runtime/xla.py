"""StableHLO on XLA's CPU compiler, through a client of its own: JAX's backends and their environment stay untouched."""

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from rlx_passes.core.errors import RunError
from rlx_passes.runtime.program import Array


@cache
def _jax(name: str) -> Any:
    """The module `name` of JAX, which is imported on first use. Raises `RunError` where JAX is not installed."""
    try:
        # JAX first: it quietens the logs of its libraries.
        importlib.import_module("jax")
        return importlib.import_module(name)
    except ImportError as error:
        raise RunError(
            "running StableHLO needs the Python package 'jax', which is not installed: pip install 'rlx-dialect[tpu]'"
        ) from error


@cache
def _client() -> Any:
    return _jax("jaxlib.xla_client").make_cpu_client()


class XlaFunction:
    """
    The function `main` of a StableHLO module, compiled for this machine.

    Raises `RunError` with the compiler's first line for text that it refuses.
    """

    def __init__(self, text: str, title: str) -> None:
        xla, ir, mlir = _jax("jaxlib.xla_client"), _jax("jaxlib.mlir.ir"), _jax("jax.interpreters.mlir")
        client = _client()
        self._device = client.local_devices()[0]
        try:
            with mlir.make_ir_context():
                module = ir.Module.parse(text)
                self._executable = client.compile_and_load(
                    module, xla.DeviceList((self._device,)), xla.CompileOptions()
                )
        except Exception as error:
            raise RunError(f"{title}: XLA cannot compile it: {str(error).strip().splitlines()[0]}") from error

    def __call__(self, arguments: Sequence[Array]) -> list[Array]:
        """The results in order, as arrays that the caller owns."""
        jax = _jax("jax")
        with jax.enable_x64(True):
            placed = [jax.device_put(value, self._device) for value in arguments]
        shards = self._executable.execute_sharded(placed).disassemble_into_single_device_arrays()
        return [np.array(result[0]) for result in shards]
