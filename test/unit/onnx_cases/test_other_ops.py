"""
The ops without a rule of their own against the cases of the `onnx` package: read by the body that the format gives
them, made of bodies themselves, or refused.
"""

import pytest
from onnx_cases import Case, cases_of, check_import, foreign, sized

from rlx_dialect.shapes import ShapeError

READ = (
    "AffineGrid",
    "BlackmanWindow",
    "CausalConvWithState",
    "FlexAttention",
    "HammingWindow",
    "HannWindow",
    "LinearAttention",
)
BODIES = ("If", "Loop", "Scan")
DOMAIN = "the model says no version of the default op set"
NO_RULE = "no rule reads {}"
REFUSED = {
    "Adagrad": DOMAIN,
    "Adam": DOMAIN,
    "ArrayFeatureExtractor": DOMAIN,
    "Bernoulli": "no rule reads this op",
    "Binarizer": DOMAIN,
    "BitCast": "no rule reads BitCast; did you mean 'Cast'?",
    "DeformConv": NO_RULE,
    "ImageDecoder": NO_RULE,
    "LabelEncoder": "",
    "MelWeightMatrix": NO_RULE,
    "Momentum": DOMAIN,
    "OptionalGetElement": NO_RULE,
    "OptionalHasElement": NO_RULE,
    "RegexFullMatch": "",
    "SequenceInsert": "'sequence' is of type sequence; only tensors are read",
    "SequenceMap": "'x0' is of type sequence; only tensors are read",
    "SplitToSequence": NO_RULE,
    "StringConcat": "",
    "StringNormalizer": "",
    "StringSplit": "",
    "TfIdfVectorizer": NO_RULE,
    "TreeEnsemble": DOMAIN,
}
"""By op type; nothing where each case is about text."""
CASES = cases_of(*READ, *BODIES, *REFUSED)

OPTIONAL = "'optional_input' is of type optional; only tensors are read"
GRAPH = "no rule reads this op, which has a graph as its attribute 'score_mod'"
STRETCHED = "whether a dim is stretched or has that size already is known at run time only"
CARRIED = "carried value #0 is tensor<?x?x?x?xf32>, but the body yields tensor<?x4x?x?xf32>"

UNSUPPORTED = {
    **{case.name: REFUSED[case.op_type].format(case.op_type) for case in CASES if case.op_type in REFUSED},
    "test_flexattention_score_mod": GRAPH,
    "test_flexattention_causal_mask": GRAPH,
    "test_flexattention_soft_cap": GRAPH,
    "test_flexattention_relative_positional": GRAPH,
    "test_flexattention_prob_mod": GRAPH.replace("score", "prob"),
    "test_if_seq": "no rule reads SequenceConstruct",
    "test_if_opt": "Optional: attribute 'type' is of a type that is not read (TYPE_PROTO)",
    "test_loop11": "a loop that may end early stacks its outputs, whose number only a run knows",
    "test_loop13_seq": "'seq_empty' is of type sequence; only tensors are read",
    "test_loop16_seq_none": "'opt_seq' is of type optional; only tensors are read",
    "test_optional_get_element_optional_tensor": OPTIONAL,
    "test_optional_get_element_optional_sequence": OPTIONAL,
    "test_optional_get_element_sequence": "'optional_input' is of type sequence; only tensors are read",
    "test_optional_has_element_tensor_input": OPTIONAL,
    "test_optional_has_element_optional_input": OPTIONAL,
    "test_optional_has_element_empty_optional_input": OPTIONAL,
    "test_scan_sum": "Scan is read as op set 9 and later define it",
    "test_sequence_map_identity_1_sequence": "'x' is of type sequence; only tensors are read",
    "test_sequence_map_extract_shapes": "'in_seq' is of type sequence; only tensors are read",
    **foreign(CASES),
}
BY_OP = {"FlexAttention": STRETCHED, "CausalConvWithState": "no rule reads this op"}
STATIC = {case.name: BY_OP[case.op_type] for case in CASES if case.op_type in BY_OP} | {
    "test_causal_conv_with_state_b1_c1_degenerate": "the sizes of the kernel must be known on import",
    "test_linear_attention_decode_step": CARRIED,
    "test_linear_attention_fp16": STRETCHED,
    "test_linear_attention_gated_delta_gqa": STRETCHED,
    "test_linear_attention_gated_delta_mqa": STRETCHED,
    "test_linear_attention_no_past_explicit_zeros": CARRIED,
    "test_linear_attention_prefill_with_past": CARRIED,
}


MET = ("test_linear_attention_gated_delta_beta_scalar", "test_linear_attention_gated_per_head_decay")
"""Where a dim that only a run knows is 1 inside of a loop, and would have to stretch: refused by the run."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, UNSUPPORTED)


@pytest.mark.parametrize("case", sized(CASES, UNSUPPORTED), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    if case.name in MET:
        with pytest.raises(ShapeError, match=r"^rlx\.binary: sizes 1 and . meet at dim -2"):
            check_import(case, STATIC, symbolic=True)
        return
    check_import(case, STATIC, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == {*READ, *BODIES, *REFUSED}
    assert set(UNSUPPORTED) | set(STATIC) <= {case.name for case in CASES}
