"""
How the pipeline grows: us per op to parse, run each pass, verify and print on 1k, 10k and 100k ops, and memory per op.

    python benchmarks/pipeline.py [--target rocm] [--sizes 1000,10000,100000]

The program is a stack of BERT-like layers on `[1, 16, 64]`, by the Graph builder with its attention in primitives.
"""

import argparse
import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func

from rlx_dialect import RLX
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes import build_pipeline

TOKENS, HIDDEN, HEADS, INNER = 16, 64, 4, 128


def layer(g: Graph, x: Tensor, w: dict[str, Tensor]) -> Tensor:
    """One post-norm encoder layer: 28 ops."""

    def split(y: Tensor) -> Tensor:
        return g.transpose(g.reshape(y, (1, TOKENS, HEADS, HIDDEN // HEADS)), (0, 2, 1, 3))

    query, key, value = (split(x @ w["square"] + w["row"]) for _ in range(3))
    weights = g.softmax(query @ g.transpose(key, (0, 1, 3, 2)) * 0.25)
    merged = g.reshape(g.transpose(weights @ value, (0, 2, 1, 3)), (1, TOKENS, HIDDEN))
    x = g.layer_norm(merged @ w["square"] + w["row"] + x, w["row"], w["row"])
    inner = g.gelu(x @ w["up"] + w["wide"])
    return g.layer_norm(inner @ w["down"] + w["row"] + x, w["row"], w["row"])


def program(ops: int) -> ModuleOp:
    """Layers until the program has about `ops` ops."""
    g = Graph("stack")
    shapes = {
        "square": (HIDDEN, HIDDEN),
        "row": (HIDDEN,),
        "up": (HIDDEN, INNER),
        "wide": (INNER,),
        "down": (INNER, HIDDEN),
    }
    weights = {name: g.param(name, shape) for name, shape in shapes.items()}
    x = g.input("x", (1, TOKENS, HIDDEN))
    for _ in range(max(1, ops // 28)):
        x = layer(g, x, weights)
    g.output("y", x)
    return g.module()


def context() -> Context:
    result = Context()
    for dialect in (Builtin, Func, Arith, RLX):
        result.load_dialect(dialect)
    return result


def per_op(run: Callable[[], object], ops: int, rounds: int) -> float:
    """Median microseconds per op; the garbage collector waits."""
    times: list[float] = []
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
        gc.enable()
    return statistics.median(times) / ops * 1e6


def measure(ops: int, target: str) -> dict[str, float]:
    """Each step by name; passes run one after the other on what the ones before left."""
    rounds = max(1, min(5, 20_000 // ops))
    module = program(ops)
    count = sum(1 for _ in module.walk())
    text = str(module)
    rows = {
        "parse": per_op(lambda: RlxParser(context(), text).parse_module(), count, rounds),
        "print": per_op(lambda: str(module), count, rounds),
        "verify": per_op(module.verify, count, rounds),
    }
    fusion = 0.0
    raising = len(build_pipeline(target, stage="raise", origin="rlx"))
    for index, one in enumerate(build_pipeline(target, stage="fuse", origin="rlx")):
        rows[one.name] = per_op(lambda one=one: one.apply(context(), module), count, 1)
        fusion += rows[one.name] if index >= raising else 0
    rows["the fusion pipeline"] = fusion
    tracemalloc.start()
    kept = RlxParser(context(), text).parse_module()
    rows["KiB of memory"] = tracemalloc.get_traced_memory()[0] / count / 1024
    tracemalloc.stop()
    del kept
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Microseconds per op of each step, by program size.")
    parser.add_argument("--target", default="rocm")
    parser.add_argument("--sizes", default="1000,10000,100000")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    columns = {size: measure(size, args.target) for size in sizes}
    names = columns[sizes[0]]
    width = max(map(len, names))
    print(f"{args.target}, microseconds per op of the program as written:\n")
    print(f"{'':<{width}}" + "".join(f"{size:>12,}" for size in sizes))
    for name in names:
        print(f"{name:<{width}}" + "".join(f"{columns[size][name]:>12.1f}" for size in sizes))


if __name__ == "__main__":
    main()
