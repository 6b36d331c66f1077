"""What stock xDSL tools see of this package through its entry point."""

import io
import tomllib
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.xdsl_opt_main import xDSLOptMain

from rlx_passes.pipeline.pipeline import PipelinePass
from rlx_passes.universe import PASSES, RLX_UNIVERSE, all_dialects, all_passes

PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

MODULE = """
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}
"""


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    """The environment of an installation: xDSL's universe and the one that pyproject.toml names."""
    group = "xdsl.universe"
    points = [EntryPoint("xdsl", "xdsl.universe:XDSL_UNIVERSE", group)]
    points += [EntryPoint(name, value, group) for name, value in PROJECT["entry-points"][group].items()]

    def entry_points(**_: str) -> list[EntryPoint]:
        return points

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)


@pytest.mark.usefixtures("installed")
def test_stock_xdsl_opt_runs_the_fusions(tmp_path: Path):
    file = tmp_path / "f.mlir"
    file.write_text(MODULE)
    out = io.StringIO()
    with redirect_stdout(out):
        xDSLOptMain(args=[str(file), "-p", 'rlx-fusion{target="rocm"},canonicalize']).run()
    assert "rlx.fused_matmul_bias_act %x, %w, %b" in out.getvalue()


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("origin", ['from="rlx"', "from=rlx"])
def test_f44_stock_xdsl_opt_takes_an_option_that_is_no_name_in_python(origin: str, tmp_path: Path):
    file = tmp_path / "f.mlir"
    file.write_text(MODULE)
    out = io.StringIO()
    with redirect_stdout(out):
        xDSLOptMain(args=[str(file), "-p", f'rlx-pipeline{{target="rocm" stage="fuse" {origin}}}']).run()
    assert "rlx.fused_matmul_bias_act %x, %w, %b" in out.getvalue()
    spec = PipelinePass("rocm", from_="rlx").spec()
    assert (PipelinePass.from_spec(spec), set(spec.parameters)) == (
        PipelinePass("rocm", from_="rlx"),
        {"target", "from"},
    )


@pytest.mark.usefixtures("installed")
def test_no_name_clashes_and_nothing_is_lost():
    multiverse = Universe.get_multiverse()
    assert multiverse.all_passes.keys() == all_passes().keys()
    assert multiverse.all_dialects.keys() == all_dialects().keys()
    assert "rlx" in multiverse.all_dialects


def test_every_pass_is_there_and_well_named():
    for name, factory in RLX_UNIVERSE.all_passes.items():
        cls = factory()
        assert issubclass(cls, ModulePass)
        assert cls.name == name
        assert name.startswith(("rlx-", "convert-"))
        assert cls.__doc__
    assert PASSES.keys() == RLX_UNIVERSE.all_passes.keys()


def test_scripts_exist():
    import importlib

    for place in PROJECT["scripts"].values():
        module, _, function = place.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
