"""
Random modules of PyTorch and ONNX graphs of known parts: each part must be found, fused for every target and right.

    python test/property/built.py --count 200 --seed 0 [--kind attention]

A failure is shrunk: every choice is set back to its plainest option where the fault stays.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(path) for path in (ROOT, ROOT / "passes", ROOT / "test", ROOT / "test" / "property")]

from built_kinds import KINDS  # noqa: E402 (the paths come first)
from drawing import Case, Draw  # noqa: E402
from odd_runs import faults_of  # noqa: E402
from xdsl.dialects.builtin import ModuleOp  # noqa: E402

from rlx_dialect.reference import Array, run  # noqa: E402
from rlx_passes import build_pipeline, compile  # noqa: E402
from rlx_passes.core.numerics import Tolerance, difference, tolerance_of_whole  # noqa: E402
from rlx_passes.pipeline.stages import Stage  # noqa: E402
from rlx_passes.pipeline.target import load_target  # noqa: E402
from rlx_passes.reading.dialects import tool_context  # noqa: E402

TARGETS = ("cpu", "cuda", "metal", "mlx", "rocm", "tpu", "wgpu")
BATCH = 20
"""Programs in one process."""
RUN = 2
"""Fused programs that the reference runs, other targets in each program."""

CLAIMS = {
    "fused_matmul_bias_act": "FusedMatMulBiasAct",
    "fused_residual_ln": "FusedResidualLN",
    "fused_residual_rms_norm": "FusedResidualRmsNorm",
    "fused_swiglu": "FusedSwiGLU",
    "fused_conv_bias_act": "FusedConvBiasAct",
    "ada_layer_norm": "AdaLayerNorm",
    "gated_residual": "GatedResidual",
}
"""The claim without which a target makes none of a kind."""

HOLDING = {"attention": ("fused_attention_block",)}
"""What also counts as one of a kind, as it holds one."""

COARSER = {"float16": 4.0, "bfloat16": 3.0}
"""How many times the tolerance of an op is allowed after a chain of some, each of which rounds in one of both alone."""


def processed(module: ModuleOp, target: str, stage: Stage) -> ModuleOp:
    work = module.clone()
    for each in build_pipeline(target, stage=stage, origin="rlx"):
        each.apply(tool_context(), work)
    work.verify()
    return work


def counts(module: ModuleOp) -> Mapping[str, int]:
    found = Counter(op.name.removeprefix("rlx.") for op in module.walk())
    for kind, holders in HOLDING.items():
        found[kind] += sum(found[each] for each in holders)
    return found


def wrong_counts(module: ModuleOp, wanted: Mapping[str, int], where: str) -> str:
    found = counts(module)
    wrong = [f"{found[kind]} {kind} instead of {number}" for kind, number in wanted.items() if found[kind] != number]
    return f"{where}: {', '.join(wrong)}" if wrong else ""


def wrong_values(results: Mapping[str, Array], case: Case, where: str) -> str:
    if len(results) != len(case.expected):
        return f"{where}: {len(results)} results instead of {len(case.expected)}"
    for (name, got), wanted in zip(results.items(), case.expected):
        if wrong := difference(got, wanted, case.tolerance or _tolerance(wanted)):
            return f"{where} {name}: {wrong}"
    return ""


def _tolerance(wanted: Array) -> Tolerance | None:
    if wanted.dtype.kind in "iub":
        return None
    relative, absolute = tolerance_of_whole(wanted)
    factor = COARSER.get(wanted.dtype.name, 1.0)
    return Tolerance(relative * factor, absolute * factor)


def fault(kind: str, draw: Draw) -> str:
    """What is wrong with one program; empty where nothing is."""
    try:
        return _fault(KINDS[kind], draw)
    except Exception as error:
        at = "".join(traceback.format_exception(error)[-2:]).strip()
        return f"{type(error).__name__}: {at}"


def _fault(make: Callable[[Draw], Case], draw: Draw) -> str:
    case = make(draw)
    module, given = case.program.module, {**case.program.params, **case.inputs}
    raised = processed(module, "cpu", "raise")
    found = [
        wrong_values(run(module, None, given), case, "imported"),
        wrong_counts(raised, case.raised, "raised"),
        wrong_values(run(raised, None, given), case, "raised"),
    ]
    for number, target in enumerate(TARGETS):
        fused = processed(raised, target, "fuse")
        claims = load_target(target).claims
        wanted = {name: n if CLAIMS[name] in claims else 0 for name, n in case.fused.items()}
        found.append(wrong_counts(fused, wanted, target))
        if (number + draw.seed) % len(TARGETS) < RUN:
            found.append(wrong_values(run(fused, None, given), case, f"fused for {target}"))
    program = compile(module, "cpu", origin="rlx").load(case.program.params)
    found.append(wrong_values(program(case.inputs), case, "compiled"))
    return "; ".join(filter(None, found))


def shrunk(kind: str, seed: int, taken: Mapping[str, int], first: str) -> tuple[Draw, str]:
    """The plainest program with a fault of the same first words."""
    fixed, words = dict(taken), first.split(":")[0]
    best, said = Draw(seed, fixed), first
    for name in taken:
        if not fixed.get(name):
            continue
        trial = Draw(seed, {**fixed, name: 0})
        if (now := fault(kind, trial)).split(":")[0] == words:
            fixed, best, said = {**fixed, name: 0}, trial, now
    return best, said


def one(kind: str, seed: int, fixed: Mapping[str, int] | None = None) -> str:
    """What is wrong with one program, in words that make it again; empty where nothing is."""
    draw = Draw(seed, fixed)
    if not (said := fault(kind, draw)):
        return ""
    if fixed is None:
        draw, said = shrunk(kind, seed, draw.taken, said)
    plain = {name: index for name, index in draw.taken.items() if index}
    return f"{kind} seed {seed} fixed {plain} ({draw}): {said}".replace("\n", " | ")


def hunt(first: int, count: int, kinds: tuple[str, ...] = ()) -> list[str]:
    """What went wrong in so many programs, one kind after the other, in processes of their own."""
    named = [word for kind in kinds for word in ("--kind", kind)]
    found: list[str] = []
    for start in range(first, first + count, BATCH):
        batch = str(min(BATCH, first + count - start))
        found += faults_of(__file__, "--alone", "--seed", str(start), "--count", batch, *named)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many programs (default 200)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--kind", action="append", choices=tuple(KINDS), default=[], help="only of this kind")
    parser.add_argument("--alone", action="store_true", help="in this process, which a signal would end")
    flags = parser.parse_args()
    if not flags.alone:
        found = hunt(flags.seed, flags.count, tuple(flags.kind))
        print("\n".join([*found, f"{flags.count} programs, {len(found)} failures"]), flush=True)
        return 1 if found else 0
    names = tuple(flags.kind) or tuple(KINDS)
    for seed in range(flags.seed, flags.seed + flags.count):
        kind = names[seed % len(names)]
        print(f"- {kind} seed {seed}", flush=True)
        if said := one(kind, seed):
            print(f"! {said}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
