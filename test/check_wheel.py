"""
Build the wheel and try it in an empty environment: `rlx-opt --version`, `rlx-opt --help`, and stock `xdsl-opt` with the
dialect and a pass. Then the sample of `examples/out_of_tree` : a package that adds a fusion, an op and a target.

Run by `make wheel`; needs the package index, so it is no part of the tests.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
PROGRAM = """
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}
"""


DIFFERENCE = """
func.func @error(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary sub %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = rlx.binary mul %0, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}
"""


REPORT = """
import sys
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes import Fuse
from rlx_passes.registry.context import fresh_context
text = sys.stdin.read()
for each in (text, text.replace("mul %0, %0", "mul %0, %x")):
    print(Fuse("sample").run_with_report(parse_module(fresh_context(), each))[1])
"""


def run(*command: str | Path, text: str | None = None) -> str:
    done = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(text: str, wanted: str, what: str) -> None:
    if wanted not in text:
        sys.exit(f"{what}: expected '{wanted}' in:\n{text}")
    print(f"ok: {what}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        dist, env = Path(folder) / "dist", Path(folder) / "env"
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", dist, ROOT)
        (wheel,) = dist.glob("*.whl")
        print(f"ok: built {wheel.name}")
        expect("\n".join(ZipFile(wheel).namelist()), "rlx_passes/codegen/native_runtime.ll", "threads in the wheel")
        venv.create(env, with_pip=True)
        run(env / "bin" / "python", "-m", "pip", "install", "--quiet", wheel)
        bin = env / "bin"
        expect(run(bin / "rlx-opt", "--version"), "rlx", "rlx-opt --version")
        expect(run(bin / "rlx-opt", "--help"), "--rlx-fusion", "rlx-opt --help")
        expect(
            run(bin / "rlx-opt", "--rlx-fusion=target=rocm", "-", text=PROGRAM),
            "rlx.fused_matmul_bias_act",
            "rlx-opt fuses",
        )
        stock = run(bin / "xdsl-opt", "-p", "rlx-fuse-matmul-bias-act", text=PROGRAM)
        expect(stock, "rlx.fused_matmul_bias_act", "stock xdsl-opt sees the dialect and the passes")
        check_sample(bin, Path(folder))


def check_sample(bin: Path, folder: Path) -> None:
    """Install the sample package as a wheel and try what it adds."""
    dist, lock, file = folder / "sample", folder / "error.lock", folder / "own.toml"
    run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", dist, ROOT / "examples/out_of_tree"
    )
    (wheel,) = dist.glob("*.whl")
    print(f"ok: built {wheel.name}")
    run(bin / "python", "-m", "pip", "install", "--quiet", wheel)
    file.write_text('name = "own"\nclaims = ["SquaredDifference"]\n')
    fused = "sample.squared_difference"
    for target in ("target=sample", f"target-file={file}"):
        printed = run(bin / "rlx-opt", f"--rlx-fusion={target}", f"--fusion-lock={lock}", "-", text=DIFFERENCE)
        expect(printed, fused, f"the fusion of the sample runs for {target}")
        pipeline = run(bin / "rlx-opt", f"--rlx-fusion={target}", "--print-pass-pipeline", "-", text=DIFFERENCE)
        expect(pipeline, "sample-fuse-squared-difference{dtypes=f32", f"the pipeline of {target} has it in its place")
    expect(lock.read_text(), fused, "the fusion lock counts its op")
    expect(run(bin / "rlx-opt", "--list-targets"), "sample", "the target of the sample is listed")
    expect(run(bin / "rlx-opt", "--list-passes"), "sample-fuse-squared-difference", "so is its pass")
    expect(run(bin / "rlx-opt", "--check-target=sample"), "nothing is wrong", "--check-target knows its claim")
    report = run(bin / "python", "-c", REPORT, text=DIFFERENCE)
    expect(report, f"{fused}=1", "the report counts its op")
    expect(report, "SAMPLE-F001 not-a-square", "and knows its reasons")
    stock = run(bin / "xdsl-opt", "-p", "sample-fuse-squared-difference", text=DIFFERENCE)
    expect(stock, fused, "stock xdsl-opt runs its pass")


if __name__ == "__main__":
    main()
