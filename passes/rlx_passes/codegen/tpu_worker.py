"""
The process in which StableHLO is checked and compiled for TPUs, so that its environment, logs and locks stay in it.

    python -m rlx_passes.codegen.tpu_worker FOLDER NAME... [--topology=TOPOLOGY]

For each NAME it reads `FOLDER/NAME.stablehlo.mlir` and writes it again as StableHLO's own printer has it. With a
topology it compiles each whose sizes are known for one chip of it, and writes `FOLDER/NAME.tpu` and, as JSON,
`FOLDER/NAME.cost`. What goes wrong is the last line on standard error.
"""

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

COSTS = ("flops", "transcendentals", "bytes accessed")


def main(arguments: Sequence[str]) -> int:
    """Do the work; the exit status is 0, or 1 with a message."""
    folder, *rest = arguments
    names = [word for word in rest if not word.startswith("--")]
    topologies = [word.partition("=")[2] for word in rest if word.startswith("--topology=")]
    try:
        importlib.import_module("jax")
        texts = {name: _checked(Path(folder) / f"{name}.stablehlo.mlir") for name in names}
        for topology in topologies:
            _compile(Path(folder), texts, topology)
    except Exception as error:
        print(" ".join(str(error).split())[:1000] or type(error).__name__, file=sys.stderr)
        return 1
    return 0


def _module(name: str) -> Any:
    """A module of JAX, which has no types for these."""
    return importlib.import_module(name)


def _checked(path: Path) -> str:
    """The text of a module, verified and printed by StableHLO itself."""
    mlir, ir = _module("jax.interpreters.mlir"), _module("jaxlib.mlir.ir")
    with mlir.make_ir_context():
        module = ir.Module.parse(path.read_text())
        module.operation.verify()
        text = str(module)
    path.write_text(text)
    return text


def _is_open(module: Any) -> bool:
    """Whether a module leaves sizes of its `main` to a call."""
    type = next(op for op in module.body.operations if op.attributes["sym_name"].value == "main").type
    return any(not each.has_static_shape for each in (*type.inputs, *type.results))


def _compile(folder: Path, texts: dict[str, str], topology: str) -> None:
    mlir, ir, xla = _module("jax.interpreters.mlir"), _module("jaxlib.mlir.ir"), _module("jaxlib.xla_client")
    device = _module("jax.experimental.topologies").get_topology_desc(topology, platform="tpu").devices[0]
    for name, text in texts.items():
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
            if _is_open(module):
                continue
            executable = device.client.compile(module, xla.DeviceList((device,)), xla.CompileOptions())
        (folder / f"{name}.tpu").write_bytes(executable.serialize())
        (folder / f"{name}.cost").write_text(json.dumps(_cost(executable, device), sort_keys=True))


def _cost(executable: Any, device: Any) -> dict[str, Any]:
    """What the compiler says about the program: operations, bytes moved, memory taken."""
    counts: dict[str, float] = executable.cost_analysis()
    memory = executable.get_compiled_memory_stats()
    return {
        "device": str(device.device_kind),
        **{key.replace(" ", "_"): int(counts[key]) for key in COSTS if key in counts},
        "code_bytes": int(memory.generated_code_size_in_bytes),
        "temporary_bytes": int(memory.temp_size_in_bytes),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
