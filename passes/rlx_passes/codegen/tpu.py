"""tpu: StableHLO to executables by libtpu, ahead of time and without a TPU; one module per function."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from rlx_passes.bundle.manifest import MANIFEST, Manifest
from rlx_passes.codegen.entries import entry_specs, prepare_name, with_code
from rlx_passes.core.errors import CodegenError, ToolMissing, did_you_mean
from rlx_passes.core.printing import generic_text
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.rewriting.inline_private import named_symbols

INSTALL = "pip install 'rlx-dialect[tpu]'"
TIMEOUT_SECONDS = 600.0

TOPOLOGIES = {
    "v4": "v4:2x2x1",
    "v5e": "v5e:2x2",
    "v5p": "v5p:2x2x1",
    "v6e": "v6e:2x2",
    "tpu7x": "tpu7x:2x2x1",
}
"""By chip: a small slice of it that libtpu can describe. Programs are compiled for one chip of the slice."""

ENVIRONMENT = {
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "JAX_PLATFORMS": "cpu",
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_WORKER_ID": "0",
}
"""What libtpu needs to compile on a machine without a TPU."""

NO_LIBTPU = f"libtpu is not installed, so no TPU executable was made; {INSTALL} brings it"
OPEN_SIZES = "sizes are known at a call only, and an executable has none open: who knows them compiles the StableHLO"


def emit(module: ModuleOp, target: FusionTarget, chip: str) -> Mapping[str, bytes]:
    """
    The bundle of a module that `convert-rlx-to-stablehlo` has lowered: `F.stablehlo.mlir` for every function F, and
    where libtpu is installed the executable `F.tpu` of each whose sizes are known, with what the compiler says of its
    cost in the manifest.

    Raises `ToolMissing` without JAX, `CodegenError` for an unknown chip and for a module that the compiler refuses.
    """
    if chip not in TOPOLOGIES:
        hint = did_you_mean(chip, TOPOLOGIES)
        raise CodegenError(f"'{chip}' is no chip known for {target.name}{hint} (known: {', '.join(TOPOLOGIES)})")
    entries = entry_specs(module)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    prepares = {entry.name: prepare_name(functions[entry.name]) for entry in entries}
    names = [name for pair in prepares.items() for name in pair if name is not None]
    files, costs = compile_functions({name: function_text(module, name) for name in names}, chip)

    def code(name: str, prefix: str) -> dict[str, Any]:
        made = {f"{prefix}stablehlo": f"{name}.stablehlo.mlir"}
        return made | ({f"{prefix}executable": f"{name}.tpu", f"{prefix}cost": costs[name]} if name in costs else {})

    done = [
        with_code(
            entry,
            code(entry.name, "")
            | (code(prepare, "prepare_") if (prepare := prepares[entry.name]) else {})
            | (
                {} if entry.name in costs else {"note": OPEN_SIZES if importlib.util.find_spec("libtpu") else NO_LIBTPU}
            ),
        )
        for entry in entries
    ]
    return {MANIFEST: Manifest(target.name, chip, "", tuple(done)).to_json().encode(), **files}


def function_text(module: ModuleOp, name: str) -> str:
    """
    A generic StableHLO module whose `main` is the function `name`, with those it names, without `rlx.*` attributes.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    needed, pending = {name: None}, [name]
    while pending:
        for symbol in named_symbols(functions[pending.pop()]):
            if symbol in functions and symbol not in needed:
                needed[symbol] = None
                pending.append(symbol)
    copies = [functions[each].clone() for each in needed]
    for copy, symbol in zip(copies, needed):
        _strip(copy)
        if symbol == name:
            copy.sym_name = StringAttr("main")
            copy.sym_visibility = StringAttr("public")
    return generic_text(ModuleOp(list[Operation](copies)))


def _strip(function: FuncOp) -> None:
    """Take out what only this project reads."""
    for op in function.walk():
        op.attributes = _foreign(op.attributes)
    for attributes in ("arg_attrs", "res_attrs"):
        dictionaries: ArrayAttr[DictionaryAttr] | None = getattr(function, attributes)
        if dictionaries is not None:
            setattr(function, attributes, ArrayAttr([DictionaryAttr(_foreign(each.data)) for each in dictionaries]))


def _foreign(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {key: value for key, value in attributes.items() if not key.startswith("rlx.")}


def compile_functions(texts: Mapping[str, str], chip: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """
    The files made of StableHLO modules by name, and the cost of each executable; no costs without libtpu.

    Raises as `emit` does.
    """
    if importlib.util.find_spec("jax") is None:
        raise ToolMissing(f"the Python package 'jax' is needed for target tpu: {INSTALL}")
    topology = [f"--topology={TOPOLOGIES[chip]}"] if importlib.util.find_spec("libtpu") is not None else []
    if not topology:
        print(f"warning: {NO_LIBTPU}", file=sys.stderr)
    if unfit := [name for name in texts if not re.fullmatch(r"\w[\w.]{0,149}", name, re.ASCII)]:
        raise CodegenError(
            f"'{unfit[0]}' cannot name a file: the functions of a bundle take up to 150 letters, digits, _ and . only"
        )
    with tempfile.TemporaryDirectory(prefix="rlx-tpu-") as folder:
        for name, text in texts.items():
            (Path(folder) / f"{name}.stablehlo.mlir").write_text(text)
        _work(folder, [*texts, *topology], chip)
        files = {
            path.name: path.read_bytes()
            for name in texts
            for path in (Path(folder) / f"{name}.stablehlo.mlir", Path(folder) / f"{name}.tpu")
            if path.is_file()
        }
        found = {name: Path(folder) / f"{name}.cost" for name in texts}
        costs = {name: json.loads(path.read_text()) for name, path in found.items() if path.is_file()}
    return files, costs


def _work(folder: str, arguments: Sequence[str], chip: str) -> None:
    """Run the worker on `folder`, which also takes libtpu's logs."""
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "TMPDIR": folder,
        "TPU_LOG_DIR": str(Path(folder) / "logs"),
    }
    command = [sys.executable, "-m", "rlx_passes.codegen.tpu_worker", folder, *arguments]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise CodegenError(f"the TPU compiler took longer than {TIMEOUT_SECONDS:.0f} s for {chip}") from error
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1]
        raise CodegenError(f"the TPU compiler cannot compile this module for {chip}: {reason}")
