"""Native bundles for many machines: the level that fits is loaded, and code for aarch64 runs there."""

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends import cpu_bundle
from numpy.typing import NDArray
from tools import need_module, need_program

from rlx_passes.codegen.portable import LEVELS
from rlx_passes.core.errors import RunError
from rlx_passes.runtime import native
from rlx_passes.runtime.objects import misfit
from rlx_passes.runtime.program import load_bundle

SAMPLE = Path(__file__).parents[3] / "examples" / "run_bundle.c"

TEXT = """
func.func @main(%x: tensor<70x96xf32> {rlx.input = "x"}, %w: tensor<96x80xf32> {rlx.param = "w"},
    %b: tensor<80xf32> {rlx.param = "b"}) -> (tensor<70x80xf32> {rlx.output = "y"}) {
  %y = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu)
      : (tensor<70x96xf32>, tensor<96x80xf32>, tensor<80xf32>) -> tensor<70x80xf32>
  func.return %y : tensor<70x80xf32>
}
"""
WEIGHTS = {"w": (96, 80), "b": (80,)}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("llvmlite")
    return cpu_bundle(TEXT, tmp_path_factory.mktemp("portable") / "bundle", "native", "portable")


def random(*shape: int) -> NDArray[Any]:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def test_what_it_holds(bundle: Path):
    data = json.loads((bundle / "manifest.json").read_text())
    assert data["chip"] == "portable"
    assert data["levels"] == [f"{level}.json" for level in LEVELS]
    assert "aarch64.o" in data["files"]
    assert "x86_64.runtime.o" in data["files"]
    machines = {level: (bundle / f"{level}.o").read_bytes()[18] for level in LEVELS}
    assert machines == {"x86-64-v4": 62, "x86-64-v3": 62, "x86-64-v2": 62, "aarch64": 183}  # of the head of ELF


@pytest.mark.parametrize("lacks", ["", "avx512f", "avx2"])
def test_the_best_level_that_fits_is_loaded(bundle: Path, lacks: str, monkeypatch: pytest.MonkeyPatch):
    def told(triple: str, needs: list[str]) -> str:
        return f"lacks {lacks}" if lacks in needs else misfit(triple, needs)

    best = [level for level in LEVELS if not told(*_wanted(bundle, level))]
    if not best:
        pytest.skip("no level fits this machine")
    monkeypatch.setattr(native, "misfit", told)
    program = load_bundle(bundle).load({name: random(*shape) for name, shape in WEIGHTS.items()})
    assert program.bundle.manifest.chip == best[0]
    x = random(70, 96)
    again = load_bundle(bundle).load({name: random(*shape) for name, shape in WEIGHTS.items()})({"x": x})["y"]
    assert np.array_equal(program({"x": x})["y"], again)
    z = x @ random(96, 80) + random(80)
    erf = np.vectorize(math.erf)
    assert np.allclose(again, z * (1 + erf(z / 2**0.5)) / 2, rtol=1e-4, atol=1e-4)


def test_a_machine_that_has_no_level_is_told_all_reasons(bundle: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(native, "misfit", lambda triple, needs: f"not {triple.partition('-')[0]}")  # pyright: ignore
    with pytest.raises(RunError, match=r"cannot run here: x86-64-v4: not x86_64; .*; aarch64: not aarch64; compile it"):
        load_bundle(bundle)


def test_it_runs_on_aarch64(bundle: Path, tmp_path: Path):
    compiler, emulator = need_program("aarch64-linux-gnu-gcc"), need_program("qemu-aarch64", "qemu-aarch64-static")
    shutil.copy(bundle / "aarch64.h", tmp_path / "program.h")
    flags = ["-std=c99", "-static", "-DENTRY=main", "-DPREPARE", f"-I{tmp_path}"]
    objects = [bundle / "aarch64.o", bundle / "aarch64.runtime.o"]
    run = tmp_path / "run"
    subprocess.run([compiler, *flags, SAMPLE, *objects, "-lpthread", "-lm", "-o", run], check=True)
    header = (bundle / "aarch64.h").read_text()
    order = sorted(WEIGHTS, key=lambda name: header.index(f'{{"{name}"'))
    (tmp_path / "weights.bin").write_bytes(b"".join(random(*WEIGHTS[name]).tobytes() for name in order))
    x = random(70, 96)
    (tmp_path / "inputs.bin").write_bytes(x.tobytes())
    command = [emulator, run, tmp_path / "weights.bin", tmp_path / "inputs.bin"]
    made = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, np.float32).reshape(70, 80)
    here = load_bundle(bundle).load({name: random(*shape) for name, shape in WEIGHTS.items()})({"x": x})["y"]
    assert np.allclose(made, here, rtol=1e-5, atol=1e-5)


def _wanted(bundle: Path, level: str) -> tuple[str, list[str]]:
    code = json.loads((bundle / f"{level}.json").read_text())["entries"][0]["code"]
    return code["triple"], code["needs"]
