"""
Every `RLX_*` variable: how its text is read and what it does. `docs/environment.md` is made of this table.

A variable with an option sets a field of `FusionOptions`, where the target reads it or `merge-env` is given. The others
count wherever the pass or program that they are about is used.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

Reading = Literal["flag", "exactly 1", "number", "program", "library"]


@dataclass(frozen=True)
class Variable:
    """
    `option` is the field that a true text sets to `value`; where it `follows`, any false text sets the opposite.
    """

    name: str
    effect: str
    read: Reading = "flag"
    option: str = ""
    value: bool = True
    follows: bool = False

    def setting(self, is_set: bool, on: bool) -> dict[str, bool]:
        """The fields that the variable changes."""
        if not self.option or not is_set or not (on or self.follows):
            return {}
        return {self.option: self.value if on else not self.value}


REPORT = "RLX_FUSION_REPORT"

OPTIONS = (
    Variable("RLX_METAL_NO_FUSION", "only the two lowering passes run", option="skip_fusion"),
    Variable(
        "RLX_METAL_UNFUSE_REGIONS",
        "elementwise regions are not marked, and those that are there are taken apart",
        option="unfuse_elementwise_regions",
    ),
    Variable(
        "RLX_KEEP_ELEMENTWISE_REGIONS",
        "a target that unfuses elementwise regions unless they are kept marks them",
        option="keep_elementwise_regions",
    ),
    Variable(
        "RLX_DECOMPOSE_FUSION_REGIONS",
        "transform and batch regions are taken apart in the end",
        option="decompose_fusion_regions",
    ),
    Variable("RLX_NO_FK_FUSION", "no transform, batch or prologue region is made", option="fk_fusion", value=False),
    Variable(
        "RLX_FUSE_REGION_PROLOGUE",
        "whether resizes become the prologue of elementwise regions",
        option="fuse_region_prologue",
        follows=True,
    ),
    Variable(
        "RLX_FUSE_BATCH_PREPROCESS",
        "whether regions over the slices of a batch are joined",
        option="fuse_batch_preprocess",
        follows=True,
    ),
    Variable("RLX_NATIVE_FK_REGIONS", "transform and batch regions are kept", option="native_fk_regions"),
    Variable(
        "RLX_NO_NATIVE_FK_REGIONS",
        "they are not, on every target and whatever the options say",
        option="native_fk_regions",
        value=False,
    ),
    Variable(
        "RLX_DISABLE_CONV_BIAS_ACT_FUSION",
        "no convolution is fused with bias and activation",
        option="disable_conv_bias_act_fusion",
    ),
    Variable(
        "RLX_NO_IO_PEAKS_OUTPUT",
        "a spectrum is returned beside its peaks, on every target",
        option="no_io_peaks_output",
    ),
)
"""The variables that a target can read into its options; of two that set one field the later one wins."""

VARIABLES = (
    *OPTIONS,
    Variable("RLX_DISABLE_MATMUL_BIAS_FUSION", "`rlx-fuse-matmul-bias-act` is left out", "exactly 1"),
    Variable("RLX_DISABLE_RESIDUAL_LN_FUSION", "`rlx-fuse-residual-ln` is left out", "exactly 1"),
    Variable("RLX_DISABLE_GATED_RESIDUAL_FUSION", "`rlx-fuse-gated-residual` is left out", "exactly 1"),
    Variable("RLX_ENABLE_FUSE_TRANSFORMER_LAYER", "`rlx-fuse-transformer-layer` runs where its op is claimed"),
    Variable("RLX_NO_WEIGHT_CONCAT_FUSION", "no fusion joins weights"),
    Variable("RLX_NO_SHARED_INPUT_MATMUL", "`rlx-fuse-shared-input-matmul` is left out"),
    Variable("RLX_FUSE_ATTN_THRESHOLD", "`max-tokens` of the attention fusions, 64 by default", "number"),
    Variable(
        "RLX_CPU_ATTN_BWD_FUSE",
        "`rlx-fuse-attention-backward-all` is enabled; set in the process, not by an override",
        "exactly 1",
    ),
    Variable(REPORT, "as `--report`: what fused, what did not and why, on standard error"),
    Variable("RLX_STOCK_PARSER", "programs are read, verified and printed by xDSL alone, as with `--stock-parser`"),
    Variable("RLX_MLIR_OPT", "the `mlir-opt` that lowers linalg and gpu code", "program"),
    Variable("RLX_MLIR_TRANSLATE", "the `mlir-translate` that writes SPIR-V", "program"),
    Variable("RLX_LLVM_MC", "the `llvm-mc` that assembles AMD GPU code", "program"),
    Variable("RLX_LD_LLD", "the `ld.lld` that links AMD GPU code", "program"),
    Variable("RLX_SPIRV_CROSS", "the `spirv-cross` that writes Metal source", "program"),
    Variable("RLX_PTXAS", "the `ptxas` that assembles PTX", "program"),
    Variable("RLX_CUDA_DRIVER", "the CUDA driver library", "library"),
    Variable("RLX_HIP_RUNTIME", "the HIP runtime library", "library"),
)
"""Every variable, those of `OPTIONS` first."""

_READINGS: dict[Reading, str] = {
    "flag": "a flag",
    "exactly 1": "on where it is exactly `1`",
    "number": "a decimal number",
    "program": "the path or name of a program",
    "library": "the path or name of a library",
}


def changes(names: Iterable[str], is_set: Callable[[str], bool], flag: Callable[[str], bool]) -> dict[str, bool]:
    """The fields of the options that the variables called `names` change, in the order of `OPTIONS`."""
    wanted, found = frozenset(names), dict[str, bool]()
    for variable in OPTIONS:
        if variable.name in wanted:
            found |= variable.setting(is_set(variable.name), flag(variable.name))
    return found


def table() -> list[str]:
    """The variables as the lines of a Markdown table."""
    rows = (f"| `{each.name}` | {_READINGS[each.read]} | {each.effect} | {_option(each)} |" for each in VARIABLES)
    return ["| variable | read as | effect | option of `rlx-fusion` |", "| --- | --- | --- | --- |", *rows]


def _option(variable: Variable) -> str:
    if not variable.option:
        return "-"
    key = variable.option.replace("_", "-")
    return f"`{key}`" if variable.follows else f"`{key}={str(variable.value).lower()}`"
