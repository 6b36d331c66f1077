"""
What rlx-opt spends on MiniLM: parse, verify, raise, fuse for rocm and print, in microseconds per op, and all told.

    python benchmarks/minilm_pipeline.py
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func

from rlx_dialect import RLX
from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes import build_pipeline
from rlx_passes.core.index import apply_all

PROGRAM = Path(__file__).parents[1] / "examples" / "minilm.mlir"
ROUNDS = 9


def context() -> Context:
    result = Context()
    for dialect in (Builtin, Func, Arith, RLX):
        result.load_dialect(dialect)
    return result


def seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def main() -> None:
    text = PROGRAM.read_text()
    fuse = build_pipeline("rocm", stage="fuse", origin="rlx")

    def parse() -> ModuleOp:
        return RlxParser(context(), text).parse_module()

    def apply(module: ModuleOp) -> None:
        apply_all(fuse, Context(), module)

    count = sum(1 for _ in parse().walk())
    rows: dict[str, list[float]] = {"parse": [], "verify": [], "raise and fuse": [], "print": []}
    for _ in range(ROUNDS):
        rows["parse"].append(seconds(parse))
        module = parse()
        rows["verify"].append(seconds(module.verify))
        rows["raise and fuse"].append(seconds(lambda module=module: apply(module)))
        rows["print"].append(seconds(lambda module=module: str(module)))
    print(f"examples/minilm.mlir, {count} ops, rocm, median of {ROUNDS}:\n")
    for name, times in rows.items():
        median = statistics.median(times)
        print(f"{name:<16} {median * 1e3:8.2f} ms  {median / count * 1e6:7.1f} us per op")

    command = [
        sys.executable,
        "-m",
        "rlx_passes.tools.rlx_opt",
        "--rlx-raise",
        "--rlx-fusion=target=rocm",
        str(PROGRAM),
    ]
    runs = [seconds(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(ROUNDS)]
    print(f"{'whole process':<16} {statistics.median(runs) * 1e3:8.2f} ms")


if __name__ == "__main__":
    main()
