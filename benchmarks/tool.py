"""
The speed of the tool: microseconds per op of each step beside stock xDSL, processes beside xdsl-opt and mlir-opt.

    python benchmarks/tool.py [--target rocm] [--sizes 1000,10000,100000] [--stock 10000]

All times are CPU times, the best of up to three; contenders take turns. Stock xDSL is left out above `--stock` ops.
"""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from stacks import layers, onnx_layers, repeated, varied
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.parser import Parser

from rlx_dialect import RLX
from rlx_passes import build_pipeline
from rlx_passes.core.collection import rare_collection
from rlx_passes.core.index import PipelineRun
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import read_model
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import ConvertStableHLOToRLXPass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source
from rlx_passes.reading.verifying import verify
from rlx_passes.tools.arguments import opt_parser
from rlx_passes.tools.rlx_opt import render

ROOT = Path(__file__).parents[1]
MODELS = ("bert", "llama", "dit", "resnet", "attn_grad", "welch_peak")
RLX_OPT = (sys.executable, "-m", "rlx_passes.tools.rlx_opt")
XDSL_OPT = (str(Path(sys.executable).parent / "xdsl-opt"),)
MLIR_OPT = ("mlir-opt-22",)
METER = (
    "import os, sys; pid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); _, status, usage = os.wait4(pid, 0); "
    "print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=sys.stderr); "
    "sys.exit(os.waitstatus_to_exitcode(status))"
)
"""Starts and measures a process. That inherits the peak memory of the one it comes from, so this is a small one."""

UNUSUAL = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
"""What machines for tests set and users do not: every module would be compiled in each process."""


def stock_context() -> Context:
    result = Context()
    for dialect in (Builtin, Func, Arith, RLX):
        result.load_dialect(dialect)
    return result


def stock_parse(text: str, *, foreign: bool = False) -> ModuleOp:
    context = stock_context()
    context.allow_unregistered = foreign
    return Parser(context, text).parse_module()


def our_parse(text: str, *, foreign: bool = False) -> ModuleOp:
    return parse(tool_context(allow_unregistered=foreign), Source("in.mlir", text))


def fastest(contenders: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least CPU seconds of each contender; they take turns, and garbage of the one before is gone."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            gc.collect()
            started = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - started)
    return best


def steps(module: ModuleOp, target: str, *, stock: bool) -> dict[str, float]:
    """Microseconds per op of each step, passes one after the other on what the ones before left."""
    flags = opt_parser(()).parse([])
    text = str(module)
    count = sum(1 for _ in module.walk())
    read = our_parse(text)
    contenders: dict[str, Callable[[], object]] = {
        "parse": lambda: our_parse(text),
        "verify": lambda: verify(read),
        "print": lambda: render(flags, read),
    }
    if stock:
        contenders |= {
            "parse, stock": lambda: stock_parse(text),
            "verify, stock": read.verify,
            "print, stock": lambda: str(read),
        }
    seconds = fastest(contenders, max(1, min(3, 30_000 // count)))
    raising = len(build_pipeline(target, stage="raise", origin="rlx"))
    fusion, run = 0.0, PipelineRun()
    for index, one in enumerate(build_pipeline(target, stage="fuse", origin="rlx")):
        seconds |= fastest({one.name: lambda one=one: run.apply(one, tool_context(), read)}, 1)
        fusion += seconds[one.name] if index >= raising else 0
    seconds["the fusion pipeline"] = fusion
    return {name: value / count * 1e6 for name, value in seconds.items()}


def imports(size: int, folder: Path, *, stock: bool) -> dict[str, float]:
    """Microseconds per op: of the StableHLO program, which is BERT again and again; of the program made from ONNX."""
    module = our_parse((ROOT / "test" / "models" / "bert.generic.mlir").read_text())
    repeated(module, size)
    text, rounds = render(opt_parser(()).parse(["--print-op-generic"]), module), max(1, min(3, 30_000 // size))
    copies = iter([our_parse(text) for _ in range(rounds)])
    path = folder / "layers.onnx"
    path.write_bytes(onnx_layers(size).SerializeToString())
    model = read_model(path)
    imported = import_model(model).module
    lines = str(imported)
    convert = ConvertStableHLOToRLXPass()
    contenders: dict[str, Callable[[], object]] = {
        "StableHLO, parse": lambda: our_parse(text),
        f"StableHLO, {convert.name}": lambda: convert.apply(tool_context(), next(copies)),
        "ONNX, read the file": lambda: read_model(path),
        "ONNX, import": lambda: import_model(model),
    }
    if stock:
        contenders |= {
            "StableHLO, parse, stock": lambda: stock_parse(text, foreign=True),
            "RLX made from ONNX, parse, stock": lambda: stock_parse(lines),
        }
    read, made = (sum(1 for _ in program.walk()) for program in (module, imported))
    return {
        name: seconds / (read if name.startswith("StableHLO") else made) * 1e6
        for name, seconds in fastest(contenders, rounds).items()
    }


def models() -> dict[str, tuple[float, float]]:
    """Microseconds per op that it takes to read each shared model for the first time, ours and stock."""
    found: dict[str, tuple[float, float]] = {}
    for name in MODELS:
        text = (ROOT / "test" / "models" / f"{name}.generic.mlir").read_text()
        count = sum(1 for _ in our_parse(text, foreign=True).walk())
        seconds = fastest(
            {
                "ours": lambda text=text: our_parse(text, foreign=True),
                "stock": lambda text=text: stock_parse(text, foreign=True),
            },
            3,
        )
        found[f"{name}, {count} ops"] = (seconds["ours"] / count * 1e6, seconds["stock"] / count * 1e6)
    return found


def process(command: Sequence[str], rounds: int = 3) -> tuple[float, float]:
    """The least CPU seconds of a process, and its peak memory in MB."""
    places = os.pathsep.join((str(ROOT), str(ROOT / "passes"), os.environ.get("PYTHONPATH", "")))
    kept = {name: value for name, value in os.environ.items() if name not in UNUSUAL}
    environment = {**kept, "PYTHONPATH": places}
    metered = (sys.executable, "-S", "-c", METER, *command)
    results: list[tuple[float, float]] = []
    for _ in range(rounds):
        run = subprocess.run(metered, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, check=False)
        if run.returncode:
            raise SystemExit(f"{' '.join(command)}: {run.stderr.decode().strip()}")
        seconds, kilobytes = map(float, run.stderr.split()[-2:])
        results.append((seconds, kilobytes / 1024))
    return min(results)


def processes(folder: Path, sizes: Sequence[int], target: str, stock: int) -> dict[str, Sequence[str]]:
    """The command of each row; files are written to `folder`."""
    irdl, empty = folder / "rlx.irdl", folder / "empty.mlir"
    irdl.write_bytes(subprocess.run([*RLX_OPT, "--emit-irdl"], stdout=subprocess.PIPE, check=True).stdout)
    empty.write_text("builtin.module {}\n")
    rows: dict[str, Sequence[str]] = {
        "rlx-opt --version": (*RLX_OPT, "--version"),
        "rlx-opt, an empty module": (*RLX_OPT, str(empty)),
        "xdsl-opt, an empty module": (*XDSL_OPT, str(empty)),
        "mlir-opt, an empty module": (*MLIR_OPT, str(empty)),
    }
    fusion = f"--rlx-fusion=target={target}"
    for size in sizes:
        pretty, generic = folder / f"{size}.mlir", folder / f"{size}.generic.mlir"
        pretty.write_text(str(layers(size)) + "\n")
        plain = [*RLX_OPT, "--print-op-generic", "--print-no-properties", str(pretty), "-o", str(generic)]
        subprocess.run(plain, check=True)
        rows[f"mlir-opt, {size:,} ops, generic text"] = (*MLIR_OPT, f"--irdl-file={irdl}", str(generic))
        if size <= stock:
            rows[f"xdsl-opt, {size:,} ops"] = (*XDSL_OPT, str(pretty))
        rows[f"rlx-opt, {size:,} ops, generic text"] = (*RLX_OPT, "--print-op-generic", str(generic))
        rows[f"rlx-opt, {size:,} ops"] = (*RLX_OPT, str(pretty))
        rows[f"rlx-opt {fusion}, {size:,} ops"] = (*RLX_OPT, fusion, str(pretty))
    minilm = str(ROOT / "examples" / "minilm.mlir")
    rows[f"rlx-opt --rlx-raise {fusion}, MiniLM"] = (*RLX_OPT, "--rlx-raise", fusion, minilm)
    return rows


def table(title: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> None:
    width = max(map(len, rows))
    print(f"\n{title}:\n\n{'':<{width}}" + "".join(f"{column:>14}" for column in columns))
    for name, values in rows.items():
        print(f"{name:<{width}}" + "".join(f"{value:>14}" for value in values))


def _rows(found: Sequence[Mapping[str, float]]) -> dict[str, list[str]]:
    """What was measured, a column for each size; nothing where stock xDSL was left out."""
    return {step: [f"{column[step]:.1f}" if step in column else "-" for column in found] for step in found[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the tool reads, verifies, transforms and prints.")
    parser.add_argument("--target", default="rocm")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--stock", type=int, default=10000, help="up to how many ops stock xDSL is measured too")
    args = parser.parse_args()
    with rare_collection():
        measure(args)


def measure(args: argparse.Namespace) -> None:
    sizes = [int(size) for size in args.sizes.split(",")]

    with tempfile.TemporaryDirectory() as folder:
        commands = processes(Path(folder), sizes, args.target, args.stock)
        measured = {name: process(command) for name, command in commands.items()}
        imported = [imports(size, Path(folder), stock=size <= args.stock) for size in sizes]
    table(
        "Whole processes",
        ("CPU seconds", "peak MB"),
        {name: (f"{seconds:.2f}", f"{memory:.0f}") for name, (seconds, memory) in measured.items()},
    )
    for name, make in (("repeated layers", layers), ("no line like another", varied)):
        found = [steps(make(size), args.target, stock=size <= args.stock) for size in sizes]
        table(f"Microseconds per op, {name}, {args.target}", [f"{size:,}" for size in sizes], _rows(found))
    table("Imports of repeated layers, microseconds per op", [f"{size:,}" for size in sizes], _rows(imported))
    table(
        "Reading the shared models cold, microseconds per op",
        ("rlx", "stock", "ratio"),
        {name: (f"{ours:.0f}", f"{stock:.0f}", f"{stock / ours:.1f}") for name, (ours, stock) in models().items()},
    )


if __name__ == "__main__":
    main()
