"""
Start a fusion: `make new-fusion NAME=my_fusion [KIND=MyOp]` writes its pattern and pass, its policy row and lit file.

What is written fuses two relus in a row, so that everything runs at once; put your own pattern in its place. KIND is
the op kind that the fusion makes and targets claim; by default that of `rlx.my_fusion`, if any, else a stand-in.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "passes")]

from rlx_dialect.kinds import KINDS, kind_of  # noqa: E402 (of this tree, wherever it is copied to)
from rlx_passes.core.errors import did_you_mean  # noqa: E402

FOLDER = Path("passes/rlx_passes/fusion")
POLICY = Path("passes/rlx_passes/policy/policy.py")
LIT = Path("test/filecheck/fusion")
STAND_IN = "LoraMatMul"
LONGEST = 60
MARKING = '    Row(\n        "rlx-mark-elementwise-regions",'

PATTERN = '''"""`rlx-fuse-{dashed}`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import Activation
from rlx_dialect.ops import ActivationOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.options import check_dtypes
from rlx_passes.rewriting.legality import only_reader, require, require_dtype
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class {camel}(FusionPattern[ActivationOp]):
    """
    %0 = rlx.activation relu %x
    %1 = rlx.activation relu %0    =>    %1 = rlx.activation relu %x
    """

    title = "{name}"
    roots = (ActivationOp,)

    dtypes: Collection[str] = DTYPES

    def considers(self, root: ActivationOp, /) -> bool:
        return root.activation is Activation.RELU

    def match(self, root: ActivationOp, /) -> Fusion:
        second = only_reader(root.result, ActivationOp)
        require(second.activation is Activation.RELU, Reason.NOT_CONSUMED_BY, second)
        require_dtype(root.result, self.dtypes)
        return Fusion.of((root, second), ActivationOp(Activation.RELU, root.input))


@dataclass(frozen=True)
class Fuse{camel}Pass(PatternPass):
    """Fuse two relus in a row. `dtypes` are the element types that may be fused."""

    name = "rlx-fuse-{dashed}"

    dtypes: tuple[str, ...] = DTYPES

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, ({camel}(self.dtypes),))
'''

TEST = """// RUN: rlx-opt --rlx-fuse-{dashed} %s | filecheck %s --check-prefixes=CHECK,DEFAULT
// RUN: rlx-opt --rlx-fuse-{dashed}=dtypes=f64 %s | filecheck %s --check-prefixes=CHECK,DOUBLE
// RUN: rlx-opt --rlx-fusion='target=cpu claims={kind}' --print-pass-pipeline %s | filecheck %s --check-prefix=LIST

// LIST: rlx-fuse-{dashed}{{{{[{{]}}}}dtypes=f32,f16,bf16,f64}}

// What must fuse.

// CHECK-LABEL:  @twice
// DEFAULT-NEXT: %0 = rlx.activation relu %x
// DEFAULT-NEXT: func.return %0
func.func @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %0 = rlx.activation relu %x : tensor<4x8xf32>
  %1 = rlx.activation relu %0 : tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}}

// What must not, a function for each guard.

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @read_twice
// CHECK:       %0 = rlx.activation relu %x
// CHECK-NEXT:  %1 = rlx.activation relu %0
func.func @read_twice(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {{
  %0 = rlx.activation relu %x : tensor<4x8xf32>
  %1 = rlx.activation relu %0 : tensor<4x8xf32>
  %2 = rlx.activation tanh %0 : tensor<4x8xf32>
  func.return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @another_activation
// CHECK:       %0 = rlx.activation relu %x
// CHECK-NEXT:  %1 = rlx.activation tanh %0
func.func @another_activation(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %0 = rlx.activation relu %x : tensor<4x8xf32>
  %1 = rlx.activation tanh %0 : tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}}

// What an option changes.

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double
// DEFAULT:     %0 = rlx.activation relu %x
// DEFAULT:     %1 = rlx.activation relu %0
// DOUBLE-NEXT: %0 = rlx.activation relu %x
// DOUBLE-NEXT: func.return %0
func.func @double(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {{
  %0 = rlx.activation relu %x : tensor<4x8xf64>
  %1 = rlx.activation relu %0 : tensor<4x8xf64>
  func.return %1 : tensor<4x8xf64>
}}
"""


def files(name: str, kind: str, policy: str) -> dict[Path, str]:
    """The three files of a fusion by path, the policy with its row in front of the marking of elementwise regions."""
    dashed, camel = name.replace("_", "-"), "".join(part.capitalize() for part in name.split("_"))
    row = f'    Row("rlx-fuse-{dashed}", claims("{kind}"), "{kind}", ("dtypes",)),\n'
    if policy.count(MARKING) != 1:
        sys.exit(f"{POLICY}: expected one row of rlx-mark-elementwise-regions")
    words = {"name": name, "dashed": dashed, "camel": camel, "kind": kind}
    return {
        FOLDER / f"fuse_{name}.py": PATTERN.format(**words),
        POLICY: policy.replace(MARKING, row + MARKING),
        LIT / f"fuse_{name}.mlir": TEST.format(**words),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="in snake case, without fuse_")
    parser.add_argument("--kind", help="the op kind that the fusion makes")
    flags = parser.parse_args()
    name: str = flags.name.removeprefix("fuse_")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        sys.exit(f"{name!r}: a fusion is named in snake case, such as residual_ln")
    if len(name) > LONGEST:
        sys.exit(f"the name of a fusion has at most {LONGEST} letters, got {len(name)}")
    if (ROOT / FOLDER / f"fuse_{name}.py").exists():
        sys.exit(f"{FOLDER / f'fuse_{name}.py'} is there already")
    own = kind_of(f"rlx.{name}")
    kind: str = flags.kind or (own.name if own else STAND_IN)
    if kind not in KINDS:
        sys.exit(f"no op kind '{kind}'{did_you_mean(kind, KINDS)} (a new kind starts with its op: make new-op)")
    for path, text in files(name, kind, (ROOT / POLICY).read_text()).items():
        (ROOT / path).write_text(text)
        print(f"wrote {path}")
    if kind == STAND_IN != flags.kind:
        print(f"the row claims {STAND_IN} until you put the op kind that your fusion makes in its place")


if __name__ == "__main__":
    main()
