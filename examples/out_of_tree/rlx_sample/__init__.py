"""What the package adds to rlx-dialect: two entry points, which load the dialect and the pass only when used."""

from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.universe import Universe

from rlx_passes.policy.conditions import Row, claims
from rlx_passes.policy.extensions import Extension
from rlx_sample.reasons import SampleReason

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass


def _dialect() -> "Dialect":
    from rlx_sample.squared_difference import SAMPLE

    return SAMPLE


def _pass() -> "type[ModulePass]":
    from rlx_sample.squared_difference import FuseSquaredDifferencePass

    return FuseSquaredDifferencePass


UNIVERSE = Universe(all_dialects={"sample": _dialect}, all_passes={"sample-fuse-squared-difference": _pass})

EXTENSION = Extension(
    name="rlx-sample",
    universe=UNIVERSE,
    rows=(
        Row(
            "sample-fuse-squared-difference",
            claims("SquaredDifference"),
            "SquaredDifference",
            ("dtypes",),
            before="rlx-mark-elementwise-regions",
        ),
    ),
    kinds={"SquaredDifference": "sample.squared_difference"},
    targets=(Path(__file__).with_name("sample.toml"),),
    reasons=(SampleReason,),
)
