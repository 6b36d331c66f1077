"""
The printed pipelines of stage=lower say everything too: a second process, with another hash seed and an environment
full of RLX switches, gives the same bytes. So it is for stage=codegen where that writes source text.
"""

import os
import subprocess
import sys
from pathlib import Path

from tools import need_program

from rlx_passes.pipeline.target import builtin_targets
from rlx_passes.switches.variables import OPTIONS

SWITCHES = tuple(variable.name for variable in OPTIONS)
ROOT = Path(__file__).parents[2]
X, W, B = "tensor<4x8xf32>", "tensor<8x8xf32>", "tensor<8xf32>"

PROGRAM = f"""
func.func @block(%x: {X}, %w: {W} {{rlx.param = "w"}}, %v: {W} {{rlx.param = "v"}}, %b: {B} {{rlx.param = "b"}})
    -> ({X}, {X}) {{
  %0 = rlx.matmul %x, %w : ({X}, {W}) -> {X}
  %1 = rlx.binary add %0, %b : ({X}, {B}) -> {X}
  %2 = rlx.activation gelu %1 : {X}
  %3 = rlx.binary add %2, %x : ({X}, {X}) -> {X}
  %4 = rlx.layer_norm %3, %b, %b epsilon(1.0e-5) : ({X}, {B}, {B}) -> {X}
  %5 = rlx.matmul %4, %w : ({X}, {W}) -> {X}
  %6 = rlx.matmul %4, %v : ({X}, {W}) -> {X}
  %7 = rlx.activation silu %5 : {X}
  %8 = rlx.binary mul %7, %6 : ({X}, {X}) -> {X}
  func.return %8, %3 : {X}, {X}
}}
func.func @chain(%x: {X}, %y: {X}) -> {X} {{
  %0 = rlx.activation exp %x : {X}
  %1 = rlx.binary mul %0, %y : ({X}, {X}) -> {X}
  %2 = rlx.activation tanh %1 : {X}
  %3 = rlx.softmax %2 axis(-1) : {X}
  func.return %3 : {X}
}}
"""

SCRIPT = """
import sys
sys.path[:0] = {paths!r}
from programs import context, parse, text_of
from rlx_passes.pipeline.builder import create_passes
from rlx_passes.core.spec import parse_pipeline
program, *pipelines = sys.stdin.read().split("// -----")
for pipeline in pipelines:
    module = parse(program)
    for pass_ in create_passes(parse_pipeline(pipeline.strip())):
        pass_.apply(context(), module)
    print(text_of(module, locations=True) + "// -----")
"""
PRINT = """
import sys
sys.path[:0] = {paths!r}
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import spec_of
from rlx_passes.core.spec import print_pipeline
from rlx_passes.pipeline.stages import build_pipeline
for word in sys.stdin.read().split():
    target, stage = word.split("/")
    print(print_pipeline(map(spec_of, flatten(build_pipeline(target, stage=stage, origin="rlx")))))
"""


def run(script: str, text: str, seed: str, switches: dict[str, str]) -> str:
    paths = [str(ROOT / part) for part in ("", "passes", "test")]
    kept = {key: value for key, value in os.environ.items() if key not in SWITCHES}
    done = subprocess.run(
        [sys.executable, "-c", script.format(paths=paths)],
        input=text,
        env={**kept, **switches, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_process_lowers_to_the_same_bytes():
    need_program("mlir-opt-22", "mlir-opt")
    wanted = [f"{target}/lower" for target in builtin_targets()]
    wanted.append("metal/codegen")
    pipelines = run(PRINT, " ".join(wanted), "0", {}).splitlines()
    assert len(pipelines) == len(set(pipelines)) == len(wanted)
    assert run(PRINT, " ".join(wanted), "4711", {}).splitlines() == pipelines

    text = "// -----".join((PROGRAM, *pipelines))
    first = run(SCRIPT, text, "0", {}).split("// -----")[:-1]
    switches = {**dict.fromkeys(SWITCHES, "1"), "RLX_FUSE_ATTN_THRESHOLD": "3"}
    again = run(SCRIPT, text, "4711", switches).split("// -----")[:-1]
    assert len(first) == len(wanted)
    for word, one, other in zip(wanted, first, again, strict=True):
        assert other == one, word
        assert "rlx.matmul" not in one, word
