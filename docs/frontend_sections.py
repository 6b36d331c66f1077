"""What `docs/frontends.md` says of ONNX and PyTorch."""

import sys
from itertools import groupby
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "test"))

from onnx_counts import Count, counts

from rlx_passes.frontends.onnx.importer import OPSETS
from rlx_passes.frontends.onnx.rules import RULES
from rlx_passes.frontends.torch.coverage import torch_coverage


def onnx_section() -> list[str]:
    """The lines about ONNX."""
    counted = counts()
    own = {name: rule for name, rule in RULES.items() if "." not in name}
    other = sorted(name for name in RULES if "." in name)
    passed = sum(count.passed for count in counted.values())
    refused = sum(count.unsupported.total() for count in counted.values())
    lines = [
        "## ONNX",
        "",
        "`rlx-import model.onnx -o model.mlir` writes a program, and its weights to `model.safetensors` beside it;",
        "`rlx-opt`, `rlx-compile` and `rlx_passes.from_onnx` read a model as well. Inputs, outputs and weights keep",
        "their names, dims known at run time only keep theirs in `rlx.dims`; `--dim batch=1` gives one a size,",
        "`--set rate=16000` fixes an input of one element. Import evaluates whatever it can: shapes, constants, the",
        "branch of a conditional.",
        "",
        "Dims of one name are equal in every call, and a call in which they are not is refused. Dims of different",
        "names that an op brings together stretch when the program runs, as ONNX says: any of them may be 1. A name",
        "beside a number or a sum is taken for equal to it.",
        "",
        "A result whose size the data decide, as of `NonZero` or `NonMaxSuppression`, is computed into its largest",
        "size, of which the program then takes as much as there is.",
        "",
        f"Op sets {OPSETS.start} to {OPSETS.stop - 1} are read. {len(own)} ops of the default domain have a rule; an",
        "op without one is read by the body that the format gives it, if any. Functions of the model are inlined. Of",
        f"other domains: {', '.join(f'`{name}`' for name in other)}.",
        "",
        "Tensors only: sequences, optional values, text, sparse tensors and element types that the dialect lacks are",
        "refused.",
        "",
        f"The single-op cases of the `onnx` package, imported and run by the reference: {passed} give the values of",
        f"the package, {refused} are refused, none gives others.",
        "",
        "| op | cases that hold | refused | why |",
        "| --- | --- | --- | --- |",
    ]
    names = sorted({*own, *counted})
    return [*lines, *(_onnx_row(name, counted.get(name)) for name in names)]


def _onnx_row(name: str, count: Count | None) -> str:
    if count is None:
        return f"| {name} | none in the package | | |"
    reasons = "; ".join(f"{reason} ({number})" for reason, number in sorted(count.unsupported.items()))
    return f"| {name} | {count.passed} | {count.unsupported.total()} | {reasons} |"


def torch_section() -> list[str]:
    """The lines about PyTorch."""
    rows = torch_coverage()
    read = [row for row in rows if not row.reason]
    lines = [
        "## PyTorch",
        "",
        "`rlx_passes.from_torch(module, example_inputs)` exports a module with `torch.export` and reads the result,",
        "without ONNX in between. Parameters and buffers become params under their names, inputs are named as in",
        "`forward`; a size that `dynamic_shapes` leaves open stays `?` with its name. PyTorch takes apart ops that",
        "are not listed until only listed ones are left; the error names all for which it cannot.",
        "",
        "An input that `forward` writes to in place, a cache say, is one more output of its name, which holds what",
        "the input would; the input is given up for it (`rlx.donate`). A buffer that is written to is refused: make",
        "it an input.",
        "",
        f"{len(read)} overloads of ATen ops have a rule.",
        "",
        "| chapter | ops |",
        "| --- | --- |",
    ]
    by_chapter = sorted(read, key=lambda row: (row.chapter, row.op))
    for chapter, group in groupby(by_chapter, key=lambda row: row.chapter):
        lines.append(f"| {chapter} | {', '.join(f'`{row.op}`' for row in group)} |")
    lines += ["", "| op | refused, because |", "| --- | --- |"]
    lines += [f"| `{row.op}` | {row.reason} |" for row in rows if row.reason]
    return lines
