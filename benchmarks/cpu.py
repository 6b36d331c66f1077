"""
Programs on the cpu beside every peer that is installed: ms per call, the same ONNX file for all.

    python benchmarks/cpu.py [--rows gelu,norm] [--rounds 15] [--save benchmarks/cpu.json]
    taskset -c 0,1 python benchmarks/cpu.py      # on two threads

Everybody gets as many threads as the process may use processors, and all outputs are compared before anything is timed.
Contenders take turns; between two of them all rest, so that nobody works beside threads of another that still spin. A
ratio is the median of those of the rounds. `--save` puts the rows that were measured into a file, of which
`docs/generate.py` makes the table in `docs/cpu.md`.
"""

import argparse
import gc
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from peers.cpu_rows import NEEDS, ROWS, is_possible

from rlx_passes import compile, from_onnx

Call = Callable[[], Mapping[str, Any]]

LIMIT = 1e-4
"""Largest difference of outputs, as a part of the largest element."""
REST = 0.02
LONG = 0.02
"""Seconds that a turn should take."""
SLOW = 20
"""Who takes so many times as long as the fastest is not timed."""


def rlx(model: bytes, inputs: Mapping[str, Any], via: str = "native") -> Call:
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model)
        file.flush()
        imported = from_onnx(file.name)
    program = compile(imported.module, "cpu", origin="rlx", via=via).load(imported.params)
    if via == "native":
        program.use_threads(threads())
    return lambda: program(inputs)


def onnxruntime_peer(model: bytes, inputs: Mapping[str, Any]) -> Call:
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return lambda: dict(zip(names, session.run(None, inputs), strict=True))


def openvino_peer(model: bytes, inputs: Mapping[str, Any]) -> Call:
    openvino: Any = import_module("openvino")
    onnx: Any = import_module("onnx")
    settings = {"INFERENCE_NUM_THREADS": threads(), "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    core = openvino.Core()
    request = core.compile_model(core.read_model(model), "CPU", settings).create_infer_request()
    names = [each.name for each in onnx.load_from_string(model).graph.output]

    def run() -> Mapping[str, Any]:
        results = request.infer(inputs, share_inputs=True, share_outputs=True)
        return {name: results[index] for index, name in enumerate(names)}

    return run


def torch_peer(model: bytes, inputs: Mapping[str, Any]) -> Call:
    from peers.eager import run, torch_ops

    torch: Any = import_module("torch")
    torch.set_num_threads(threads())
    function = run(model, torch_ops(), torch.from_numpy)
    tensors = {name: torch.from_numpy(array) for name, array in inputs.items()}

    def call() -> Mapping[str, Any]:
        with torch.inference_mode():
            return {name: tensor.numpy() for name, tensor in function(tensors).items()}

    return call


def numpy_peer(model: bytes, inputs: Mapping[str, Any]) -> Call:
    from peers.eager import numpy_ops, run

    return partial(run(model, numpy_ops(), lambda array: array), inputs)


CONTENDERS: dict[str, tuple[str, Callable[[bytes, Mapping[str, Any]], Call]]] = {
    "rlx": ("llvmlite", rlx),
    "IREE": ("iree.compiler", partial(rlx, via="iree")),
    "ONNX Runtime": ("onnxruntime", onnxruntime_peer),
    "OpenVINO": ("openvino", openvino_peer),
    "torch": ("torch", torch_peer),
    "NumPy": ("numpy", numpy_peer),
}
"""By name: the package without which it cannot run, and what makes a call of a model."""


def threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package.partition(".")[0]) is not None


def prepared(model: bytes, inputs: Mapping[str, Any]) -> dict[str, Call]:
    """The contenders that can run a model, all of one opinion on what it gives."""
    calls: dict[str, Call] = {}
    expected: Mapping[str, Any] | None = None
    for name, (package, make) in CONTENDERS.items():
        if not is_installed(package):
            continue
        started = time.perf_counter()
        try:
            call = make(model, inputs)
            found = {output: np.array(value) for output, value in call().items()}
        except Exception as error:  # whatever a peer cannot do is said, and the others go on
            print(f"  {name} cannot run it: {' '.join(str(error).split())[:150]}")
            continue
        took = time.perf_counter() - started
        expected = expected or found
        off = max(float(np.abs(found[key] - value).max() / np.abs(value).max()) for key, value in expected.items())
        print(f"  {name:<14} ready in {took:6.2f} s, differs by {off:.1e}")
        if not off <= LIMIT:
            sys.exit(f"{name} computes something else")
        calls[name] = call
    return calls


def measured(calls: Mapping[str, Call], rounds: int) -> dict[str, list[float]]:
    """Seconds of a call of each contender, round by round; who is very slow in a first round is left out."""

    def turn(call: Call, count: int, warmup: bool = True) -> float:
        time.sleep(REST)
        if warmup:
            call()
        started = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - started) / count

    gc.collect()
    gc.disable()
    first = {name: turn(call, 1, warmup=False) for name, call in calls.items()}
    limit = SLOW * min(first.values())
    for name in first:
        if first[name] > limit:
            print(f"  {name} is left out: {first[name] * 1e3:.0f} ms")
    repeats = {name: max(1, min(50, round(LONG / took))) for name, took in first.items() if took <= limit}
    found: dict[str, list[float]] = {name: [] for name in repeats}
    for _ in range(rounds):
        for name, count in repeats.items():
            found[name].append(turn(calls[name], count))
    gc.enable()
    return found


def processor() -> str:
    known = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return next((line.partition(": ")[2] for line in known.splitlines() if line.startswith("model name")), "unknown")


def save(path: Path, title: str, row: Mapping[str, Any]) -> None:
    """Put a row into a file, in its place among those that are there."""
    there: dict[str, Any] = json.loads(path.read_text())["rows"] if path.exists() else {}
    there[title] = row
    rows = {title: there[title] for title, _ in ROWS.values() if title in there}
    found = {"machine": processor(), "threads": threads(), "rows": rows}
    path.write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else None)
    parser.add_argument("--rows", type=lambda text: text.split(","), default=list(ROWS), metavar=",".join(ROWS))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--save", type=Path, help="write what was measured to this file")
    args = parser.parse_args()
    if unknown := set(args.rows) - set(ROWS):
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}")
    for name, (package, _) in CONTENDERS.items():
        if not is_installed(package):
            print(f"{name} is not installed")
    for row in args.rows:
        title, make = ROWS[row]
        print(f"\n{title}")
        if not is_possible(row):
            print(f"  left out: it needs the package {NEEDS[row]}")
            continue
        seconds = measured(prepared(*make()), args.rounds)
        medians = {name: statistics.median(each) * 1e3 for name, each in seconds.items()}
        first = next(iter(seconds))
        ratios = {
            name: statistics.median(mine / its for mine, its in zip(seconds[first], each, strict=True))
            for name, each in seconds.items()
        }
        for name, milliseconds in medians.items():
            print(f"  {name:<14} {milliseconds:9.3f} ms   {first} takes {ratios[name]:6.2f} of it")
        if args.save:
            row = {name: {"ms": round(medians[name], 4), "ratio": round(ratios[name], 3)} for name in medians}
            save(args.save, title, row)


if __name__ == "__main__":
    main()
