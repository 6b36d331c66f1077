"""From StableHLO text on disk to an array on disk, through the real CPU backend and both tools."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from tools import need_module

from rlx_passes.bundle.folder import read_bundle
from rlx_passes.core.spec import print_pipeline
from rlx_passes.pipeline.stages import build_pipeline
from rlx_passes.registry.instantiate import spec_of
from rlx_passes.tools import rlx_compile, rlx_opt, rlx_run

STABLEHLO = """
"builtin.module"() ({
  "func.func"() <{sym_name = "main",
      function_type = (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>}> ({
  ^bb0(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>):
    %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}>
        : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = "stablehlo.broadcast_in_dim"(%b) <{broadcast_dimensions = array<i64: 1>}>
        : (tensor<16xf32>) -> tensor<4x16xf32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %3 = "stablehlo.tanh"(%2) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%3) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_stablehlo_to_an_array(tmp_path: Path):
    need_module("llvmlite")
    source, out, y = tmp_path / "in.mlir", tmp_path / "out", tmp_path / "y.npy"
    source.write_text(STABLEHLO)
    rng = np.random.default_rng(1)
    x, w, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((4, 8), (8, 16), (16,)))
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "params.npz", w=w, b=b)

    flags = ["--target=cpu", "--names=x,w,b", "--params=1-", "-o", str(out)]
    assert rlx_compile.main([str(source), *flags]) == 0
    manifest = read_bundle(out).manifest
    assert [spec.name for spec in manifest.entries[0].params] == ["w", "b"]
    assert "rlx-fuse-matmul-bias-act" in manifest.pipeline

    run = [str(out), "--input", f"x={tmp_path}/x.npy", "--params", f"{tmp_path}/params.npz", "--output", str(y)]
    assert rlx_run.main(run) == 0
    np.testing.assert_allclose(np.load(y), np.tanh(x @ w + b), rtol=1e-5, atol=1e-5)

    # A process of its own says nothing on its way out: what the runtime holds is freed in order.
    code = "from rlx_passes.tools.rlx_run import main; raise SystemExit(main())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", code, *run]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_manifest_string_leaves_the_same_program(tmp_path: Path):
    """`rlx-opt` under the flat string of `rlx-pipeline` and under the composite itself."""
    source, a, b = tmp_path / "in.mlir", tmp_path / "a.mlir", tmp_path / "b.mlir"
    source.write_text(STABLEHLO)
    composite = "--rlx-pipeline=target=cpu stage=lower params=1-"
    assert rlx_opt.main([str(source), composite, "-o", str(a)]) == 0
    flat = print_pipeline(map(spec_of, build_pipeline("cpu", stage="lower", params=("1-",))))
    assert rlx_opt.main([str(source), "-p", flat, "-o", str(b)]) == 0
    assert a.read_text() == b.read_text()
    assert "linalg.matmul" in a.read_text()
