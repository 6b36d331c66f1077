"""
Runs the StableHLO of a bundle for TPUs on XLA's CPU compiler: the same program, checked without the machine it is for.
"""

from collections.abc import Mapping, Sequence

from rlx_passes.bundle.folder import Bundle
from rlx_passes.bundle.manifest import Call, Entry
from rlx_passes.core.errors import RunError
from rlx_passes.runtime.program import Array, Program
from rlx_passes.runtime.xla import XlaFunction


class TpuProgram(Program):
    """An entry of a bundle made by `codegen.tpu`; `code` names the StableHLO file of each of its functions."""

    def __init__(self, bundle: Bundle, entry: Entry) -> None:
        super().__init__(bundle, entry)
        self._main = self._function("stablehlo")
        self._params: Mapping[str, Array] = {}
        self._prepared: dict[str, Array] = {}

    def _function(self, key: str) -> XlaFunction:
        name = self.entry.code.get(key)
        if not isinstance(name, str):
            raise RunError(f"{self._title}: the manifest names no file under 'code.{key}': compile again")
        return XlaFunction(self.bundle.read(name).decode(), name)

    def _prepare(self, params: Mapping[str, Array]) -> None:
        self._params, self._prepared = params, {}
        call = self.entry.prepare
        if call is not None:
            results = self._function("prepare_stablehlo")(self._arguments(call, {}))
            self._prepared = dict(zip(call.results, results, strict=True))

    def _run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        return self._main(self._arguments(self.entry.call, inputs))

    def _arguments(self, call: Call, inputs: Mapping[str, Array]) -> list[Array]:
        values = {"input": inputs, "param": self._params, "prepared": self._prepared}
        return [values[role][name] for role, name in call.arguments]
