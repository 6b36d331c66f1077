"""
MiniLM, same weights, four ONNX exports of PyTorch: what is found and how fast, beside ONNX Runtime and onnxscript.

    python benchmarks/minilm_exports.py

Of the peers attention is counted; there are six. Every contender reads the file and optimises it for the cpu, in turn;
a first round is not timed.
"""

import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from timing import interleaved

from rlx_dialect.ops import FusedMatMulBiasActOp
from rlx_passes import build_pipeline, from_onnx
from rlx_passes.core.index import apply_all
from rlx_passes.reading.dialects import tool_context

sys.path.append(str(Path(__file__).parents[1] / "test" / "models"))
from export_minilm import EXPORTS, export

ROUNDS = 3
HEADS, HIDDEN = 12, 384

# The packages are untyped in part.
onnx: Any = import_module("onnx")
onnxruntime: Any = import_module("onnxruntime")


def rlx(path: Path) -> str:
    module = from_onnx(path).module
    apply_all(build_pipeline("cpu", stage="fuse", origin="rlx"), tool_context(), module)
    ops = list(module.walk())
    found = Counter(op.name for op in ops)
    products = [op for op in ops if isinstance(op, FusedMatMulBiasActOp)]
    gelu = sum(op.activation is not None and op.activation.data == "gelu" for op in products)
    return f"{found['rlx.attention']} / {len(products)} / {found['rlx.fused_residual_ln']} / {gelu}"


def transformers_optimizer(path: Path) -> str:
    optimizer: Any = import_module("onnxruntime.transformers.optimizer")
    model = optimizer.optimize_model(str(path), "bert", num_heads=HEADS, hidden_size=HIDDEN)
    return attentions(model.nodes())


def optimize_for_ort(path: Path) -> str:
    ir: Any = import_module("onnx_ir")
    fusions: Any = import_module("onnxscript.rewriter.ort_fusions")
    model, _ = fusions.optimize_for_ort(ir.load(path))
    return attentions(model.graph)


def session_optimizer(path: Path) -> str:
    """With writing the optimised model, the only way to look at it."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    options.optimized_model_filepath = str(path.with_suffix(".optimized.onnx"))
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return attentions(onnx.load(options.optimized_model_filepath).graph.node)


def attentions(nodes: Iterable[Any]) -> str:
    """How many nodes are an attention of some kind: `Attention`, `MultiHeadAttention`, .."""
    return str(sum(node.op_type.endswith("Attention") for node in nodes))


CONTENDERS: dict[str, Callable[[Path], str]] = {
    "rlx": rlx,
    "transformers.optimizer": transformers_optimizer,
    "optimize_for_ort": optimize_for_ort,
    "session optimiser": session_optimizer,
}


def main() -> None:
    import_module("torch")  # sets the levels of its loggers when it is imported
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    print("rlx: attention / matmul+bias / residual norm / gelu in an epilogue; peers: attention, of 6")
    print(f"seconds: median of {ROUNDS}, contenders in turn\n")
    print("".join(f"{each:<26}" for each in ("", *CONTENDERS)).rstrip())
    for name in EXPORTS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            export(name, path)
            found = {contender: find(path) for contender, find in CONTENDERS.items()}
            runs = {contender: partial(find, path) for contender, find in CONTENDERS.items()}
            seconds = interleaved(runs, rounds=ROUNDS, warmup=0)
        cells = (f"{found[contender]:<16}{seconds[contender]:5.2f} s" for contender in CONTENDERS)
        print("".join(f"{each:<26}" for each in (name, *cells)).rstrip(), flush=True)


if __name__ == "__main__":
    main()
