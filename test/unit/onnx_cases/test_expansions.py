"""The bodies that the format gives ops with a rule, in place of these: models of many nodes with the same values."""

import pytest
from onnx_cases import Case, expansions_of
from tools import sampled

OPS = (
    "Attention",
    "Celu",
    "CenterCropPad",
    "Clip",
    "DepthToSpace",
    "Gelu",
    "GroupNormalization",
    "LayerNormalization",
    "LogSoftmax",
    "MeanVarianceNormalization",
    "NegativeLogLikelihoodLoss",
    "PRelu",
    "RMSNormalization",
    "Range",
    "ReduceLogSumExp",
    "RotaryEmbedding",
    "Selu",
    "SoftmaxCrossEntropyLoss",
    "SpaceToDepth",
)
EXPANSIONS = expansions_of(*OPS)


@sampled(5)
@pytest.mark.parametrize("case", EXPANSIONS, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_case(case: Case):
    case.check_import()


def test_every_op_has_expansions():
    assert {case.op_type for case in EXPANSIONS} == set(OPS)
