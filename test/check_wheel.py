"""
Build the wheel and try it in an empty environment: `rlx-opt --version`, `rlx-opt --help`, and stock `xdsl-opt` with the dialect and a pass.

Run by `make wheel`; needs the package index, so it is no part of the tests.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}
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


if __name__ == "__main__":
    main()
