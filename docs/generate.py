"""
Write what is made from the code: the pages on accuracy, coverage, cpu, frontends, fusions, targets, environment
variables, ops, reasons, checks of the reference and the zoo, and two stubs.

    python docs/generate.py            # write
    python docs/generate.py --check    # fail where a page is out of date

The IR of `docs/fusions.md` is the first function of each pass's lit file, and what the pass makes of it.
"""

import importlib.util
import inspect
import re
import runpy
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from accuracy_page import accuracy_page
from coverage_page import coverage_page
from cpu_page import cpu_page
from frontend_sections import onnx_section, torch_section
from stubs import builder_stub, ops_stub
from xdsl.dialects.func import FuncOp
from zoo_page import zoo_page

from rlx_dialect.description.page import ops_page
from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes.core.spec import PassSpec, options_of, parse_pipeline, print_pipeline
from rlx_passes.frontends.stablehlo.coverage import stablehlo_section
from rlx_passes.pipeline.stages import stage_specs
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.policy.fusion_target import FusionTarget
from rlx_passes.policy.policy import POLICY
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.report.pages import text as reasons_text
from rlx_passes.switches.variables import table
from rlx_passes.universe import PASSES, RLX_UNIVERSE

ROOT = Path(__file__).parents[1]
LIT = tuple(ROOT / "test" / "filecheck" / room for room in ("fusion", "expansion", "simplify"))


def fusion_passes() -> list[str]:
    """The passes that fuse, and those that undo it or clean up, in pipeline order, then the others by name."""
    names = [
        name for name, place in PASSES.items() if place.startswith(("fusion.", "expansion.", "simplify.dead_code"))
    ]
    order = {row.name: index for index, row in enumerate(POLICY)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def title_of(name: str) -> str:
    return name.removeprefix("rlx-")


def summary_of(name: str) -> str:
    """The pass's docstring, its first paragraph first."""
    return inspect.getdoc(RLX_UNIVERSE.all_passes[name]()) or ""


def pass_options(name: str) -> list[str]:
    return list(options_of(RLX_UNIVERSE.all_passes[name]()))


def example_of(name: str) -> tuple[str, str] | None:
    """The first function of the pass's lit file, before and after the pass that its RUN line names."""
    file = name.removeprefix("rlx-").replace("-", "_") + ".mlir"
    path = next((room / file for room in LIT if (room / file).exists()), None)
    if path is None:
        return None
    text = path.read_text()
    run = re.search(rf"--({re.escape(name)}(?:=\S+|='[^']*')?)", text.splitlines()[0])
    if run is None:
        return None
    context = tool_context()
    context.allow_unregistered = True
    source = "\n".join(line for line in text.split("// -----")[0].splitlines() if not line.lstrip().startswith("//"))
    module = RlxParser(context, source, path.name).parse_module()
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    for extra in functions[1:]:
        extra.detach()
    before = str(functions[0])
    key, _, options = run[1].partition("=")
    options = options.strip("'\"")
    (spec,) = parse_pipeline(f"{key}{{{options}}}" if options else key)
    for one in create_passes([spec]):
        one.apply(context, module)
    return before, str(functions[0])


def fusions_page() -> str:
    lines = [
        "# Fusions",
        "",
        "<!-- Made by docs/generate.py; the IR is what the tests run. -->",
        "",
        "Every pass of the fusion pipeline, in its order. Why a candidate did not fuse: `docs/reasons.md`.",
    ]
    for name in fusion_passes():
        lines += ["", f"## {title_of(name)}", "", f"`{name}`", "", summary_of(name)]
        if options := pass_options(name):
            lines += ["", "Options: " + ", ".join(f"`{key}`" for key in options) + "."]
        if example := example_of(name):
            before, after = example
            lines += ["", "```mlir", before, "```", "", "becomes", "", "```mlir", after, "```"]
    return "\n".join(lines) + "\n"


WHY = """
## Why the lists are as they are

- Metal: long fused elementwise chains gave NaN past about 14 transformer blocks, so regions are unfused by default;
  short ones are kept on request, since backward passes are bound by dispatches.
- cpu runs elementwise chains op by op, so it does not mark them.
- wgpu's region kernel broadcasts by modulus, which is right only for trailing operands and single elements, so expand
  and binary run apart.
- CUDA claims convolution with bias and activation because cuDNN has it; ROCm's MIOpen path has none yet.
- The transformer layer is opt-in: wgpu unfuses it without gain, and MLX's own compile joins its parts already.
- A product with a residual saves one dispatch in batch-1 decode. Joining weights re-reads about 1.18 GB of constant
  weights per token there, hence its switch.
- `fk_passes_after_elementwise_regions` is the list of a backend that has marked elementwise regions itself.
- The three variables that act on exactly `1` are ablation knobs, added when two ports diverged right after such a pair
  of passes.
- matmul+bias comes before the attention block, the residual norm before the transformer layer, AdaLN before the gated
  residual: each uses what the one before it made, or would take what the one after it needs.
"""


def _routes(targets: Sequence[FusionTarget]) -> Iterator[str]:
    """The ways to code of targets that have several."""
    yield from ("| target | `via` | code by | run by |", "| --- | --- | --- | --- |")
    for target in targets:
        for name, route in target.routes.items():
            if name:
                default = ", the default" * (name == target.via)
                yield f"| {target.name} | `{name}`{default} | `codegen.{route.emitter}` | `runtime.{route.runner}` |"


def targets_page() -> str:
    targets = [load_target(name) for name in builtin_targets()]
    kinds = sorted({kind for target in targets for kind in target.claims})
    lines = [
        "# Targets",
        "",
        "<!-- Made by docs/generate.py from pipeline/targets/*.toml. -->",
        "",
        "A target is a TOML table in `passes/rlx_passes/pipeline/targets`; `--rlx-fusion=target-file=npu.toml` takes",
        "your own. `rlx-opt --print-target=rocm` prints one with every key to start from;",
        "`rlx-opt --check-target npu.toml` lists what is wrong with yours, one finding per line: unknown keys and",
        "kinds, limits under which nothing can fuse, claims that the lowering does not keep, and forms of the",
        "lowering neither claimed nor set aside in `lower.unclaimed`.",
        "",
        "A variant of a chip needs no Python: `codegen.generator` names the target whose code generation it shares",
        "(emitter, runner, chips), and `lower.options` name the target whose table `storage` says how",
        "`convert-rlx-to-gpu` keeps buffers.",
        "",
        "A target with several ways to code has a table `route` for each, with its `emitter` and `runner`, and names",
        "the default in `codegen.via`. Option `via` of `rlx-pipeline`, `rlx-emit` and `compile()`, and `--via` of",
        "`rlx-compile`, name another one:",
        "",
        *_routes(targets),
        "",
        "## Claims",
        "",
        "| op kind | " + " | ".join(target.name for target in targets) + " |",
        "| --- |" + " --- |" * len(targets),
    ]
    lines += [
        f"| {kind} | " + " | ".join("yes" if kind in target.claims else "-" for target in targets) + " |"
        for kind in kinds
    ]
    lines += [
        "",
        "## Pass lists",
        "",
        "What `--rlx-fusion=target=T` runs, in order, without any environment variable set.",
    ]
    for target in targets:
        specs = fuse_specs(target.name)
        lines += ["", f"### {target.name}", "", f"{target.summary}. {len(specs)} passes:", "", "```"]
        lines += [*wrapped(print_pipeline(specs)), "```"]
    return "\n".join(lines) + "\n" + WHY


def fuse_specs(target: str) -> tuple[PassSpec, ...]:
    raised = stage_specs(load_target(target), "raise", origin="rlx")
    return stage_specs(load_target(target), "fuse", origin="rlx")[len(raised) :]


def wrapped(pipeline: str) -> Iterator[str]:
    """One pass a line."""
    specs = parse_pipeline(pipeline)
    for index, spec in enumerate(specs):
        yield f"{spec}{',' if index + 1 < len(specs) else ''}"


def environment_page() -> str:
    return (
        "\n".join(
            [
                "# Environment variables",
                "",
                "<!-- Made by docs/generate.py from switches/variables.py. -->",
                "",
                "A flag is true unless its text, trimmed, is empty, `0`, `false`, `off` or `no` in any case. A",
                "variable with an option of `rlx-fusion` sets it if the target's file names the variable under",
                "`environment.reads`, or if `merge-env=true` is given; an option written in the pipeline wins.",
                "Variables are read while the list of passes is made, and the printed pipeline records what they set,",
                "so that it runs the same anywhere. `rlx_passes.switches.environment.overriding` sets them for a",
                "`with` block.",
                "",
                *table(),
            ]
        )
        + "\n"
    )


def reference_page() -> str:
    return runpy.run_path(str(ROOT / "test" / "onnx_counts.py"))["checks_page"]()


FRONTENDS = (stablehlo_section, onnx_section, torch_section)
"""What the page of frontends says of each, in order: functions that give lines, the first of them a heading."""


def frontends_page() -> str:
    lines = [
        "# Frontends",
        "",
        "<!-- Made by docs/generate.py from the rules themselves. -->",
        "",
        "What programs of other dialects and formats become, op by op.",
    ]
    for section in FRONTENDS:
        lines += ["", *section()]
    return "\n".join(lines) + "\n"


PAGES = {
    "docs/accuracy.md": accuracy_page,
    "docs/coverage.md": coverage_page,
    "docs/cpu.md": cpu_page,
    "docs/frontends.md": frontends_page,
    "docs/fusions.md": fusions_page,
    "docs/targets.md": targets_page,
    "docs/environment.md": environment_page,
    "docs/ops.md": lambda: ops_page(ROOT / "test" / "filecheck" / "dialect"),
    "docs/reasons.md": reasons_text,
    "docs/reference_checks.md": reference_page,
    "docs/zoo.md": zoo_page,
    "rlx_dialect/ops/__init__.pyi": ops_stub,
    "rlx_dialect/builder.pyi": builder_stub,
}
NEEDS = {"docs/cpu.md": "llvmlite", "docs/reference_checks.md": "onnx", "docs/frontends.md": "onnx"}
"""Packages that making a page takes."""


def main() -> int:
    stale = 0
    for name, make in PAGES.items():
        if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
            print(f"{name} stays as it is: it needs the package {NEEDS[name]}", file=sys.stderr)
            continue
        path, text = ROOT / name, make()
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{name} is out of date: run python docs/generate.py", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
