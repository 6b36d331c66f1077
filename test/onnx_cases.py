"""
The single-op cases of the `onnx` package, imported as models and run through the reference: values from elsewhere.

A chapter names its modules of the package and lists the cases that the importer refuses, each with the reason. Every
other case must give the values of the package, once as it is and once with its inputs of sizes that only a run knows.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tolerances import FOUR_DIGITS, ONE_OP, SAME_ROUNDING, TRANSFORMED, Tolerance, agree
from tools import need_module

from rlx_dialect.reference import Array, run
from rlx_passes.core.errors import InputError
from rlx_passes.frontends.imported import Imported
from rlx_passes.frontends.onnx.dtypes import OTHERS
from rlx_passes.frontends.onnx.importer import OPSETS, import_model
from rlx_passes.frontends.onnx.model import ModelDef
from rlx_passes.frontends.onnx.protobuf import model_of
from rlx_passes.runtime.program import Program

_PACKAGE = "onnx.backend.test.case.node"


@dataclass(frozen=True)
class Case:
    """One node with what its inputs hold, None where it leaves one out, and the outputs they give."""

    name: str
    op_type: str
    attributes: Mapping[str, Any]
    inputs: Sequence[Array | None]
    outputs: Sequence[Array]
    given: Sequence[str]
    """The names of the inputs, empty where one is left out."""
    names: Sequence[str]
    """The names of the outputs, empty where one is left out."""
    message: Any
    """The `ModelProto`."""

    def model(self, *, symbolic: bool = False) -> ModelDef:
        """
        The case as a model: the inputs of `ON_IMPORT` are stored in it, the others are its inputs.

        Where `symbolic`, only a run knows the sizes of those. A size of 1 stays, since it may be there to be stretched,
        and one of `DIMS_ON_IMPORT`.
        """
        onnx: Any = importlib.import_module("onnx")
        message = onnx.ModelProto()
        message.CopyFrom(self.message)
        for each in message.opset_import:
            if each.domain in ("", "ai.onnx"):
                each.version = max(each.version, OPSETS.start)
        for name in self.stored():
            message.graph.initializer.append(onnx.numpy_helper.from_array(self.fed()[name], name))
        known = DIMS_ON_IMPORT.get(self.op_type, {})
        for each in message.graph.input if symbolic else ():
            dims = each.type.tensor_type.shape.dim
            position = list(self.given).index(each.name)
            for axis, dim in enumerate(dims):
                if dim.dim_value != 1 and axis not in known.get((position, len(dims)), ()):
                    dim.Clear()
        return model_of(message, self.name)

    def fed(self) -> Mapping[str, Array]:
        """What the case gives for each input, by the names of the model."""
        return {name: array for name, array in zip(self.given, self.inputs) if array is not None}

    def stored(self) -> list[str]:
        """The inputs that a rule must know on import."""
        positions = ON_IMPORT.get(self.op_type, ())
        return [self.given[at] for at in positions if at < len(self.given) and self.given[at]]

    def sized(self) -> bool:
        """Whether an input has a dim that may be known at run time only."""
        stored = self.stored()
        return any(set(array.shape) - {1} for name, array in self.fed().items() if name not in stored)

    def check_import(self, *, symbolic: bool = False) -> None:
        """
        Import the case, run it, compare all outputs to the digits of the element type. Raises `InputError` where the
        importer refuses it.
        """

        def by_reference(imported: Imported, fed: Mapping[str, Array]) -> Mapping[str, Array]:
            return run(imported.module, "main", {**fed, **imported.params})

        self._check(by_reference, symbolic, self._tolerances(SAME_ROUNDING))

    def check_on_cpu(self, program: Callable[[Imported], Program]) -> None:
        """The same, by what `program` gives for the imported case."""

        def compiled(imported: Imported, fed: Mapping[str, Array]) -> Mapping[str, Array]:
            loaded = program(imported)
            return (loaded.load(imported.params) if imported.params else loaded)(fed)

        exact = TRANSFORMED if self.op_type in ("DFT", "STFT") else ONE_OP
        self._check(compiled, False, self._tolerances(exact))

    def _check(
        self,
        compute: Callable[[Imported, Mapping[str, Array]], Mapping[str, Array]],
        symbolic: bool,
        tolerances: Mapping[str, Tolerance],
    ) -> None:
        imported, stored = import_model(self.model(symbolic=symbolic)), self.stored()
        got = compute(imported, {name: array for name, array in self.fed().items() if name not in stored})
        assert set(got) == set(filter(None, self.names))
        for name, expected in zip(filter(None, self.names), self.outputs):
            agree(got[name], expected, tolerances, name)

    def _tolerances(self, exact: Mapping[str, Tolerance]) -> Mapping[str, Tolerance]:
        return FOUR_DIGITS if self.name in CUT_OFF else exact


CUT_OFF = frozenset(
    {
        "test_averagepool_2d_ceil_last_window_starts_on_pad",
        "test_gridsample_bicubic",
        "test_roialign_aligned_false",
        "test_roialign_aligned_true",
    }
)
"""The cases whose outputs are in the package's text, with four digits."""

ON_IMPORT: Mapping[str, Sequence[int]] = {
    "AffineGrid": (1,),
    "BlackmanWindow": (0,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "ConstantOfShape": (0,),
    "Conv": (1,),
    "ConvTranspose": (1,),
    "CumProd": (1,),
    "CumSum": (1,),
    "DFT": (1, 2),
    "Dropout": (1, 2),
    "Expand": (1,),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "MaxUnpool": (2,),
    "OneHot": (1,),
    "Pad": (1, 2, 3),
    "Range": (0, 1, 2),
    "ReduceL1": (1,),
    "ReduceL2": (1,),
    "ReduceLogSum": (1,),
    "ReduceLogSumExp": (1,),
    "ReduceMax": (1,),
    "ReduceMean": (1,),
    "ReduceMin": (1,),
    "ReduceProd": (1,),
    "ReduceSum": (1,),
    "ReduceSumSquare": (1,),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "STFT": (1, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "TopK": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
}
"""By op type, the inputs that its rule must know on import."""


_HEADS: Mapping[int, Sequence[int]] = {4: (1, 3), 3: (2,)}
DIMS_ON_IMPORT: Mapping[str, Mapping[tuple[int, int], Sequence[int]]] = {
    "Attention": {(at, rank): axes for at in (0, 1, 2, 4, 5) for rank, axes in _HEADS.items()},
    "GridSample": {(1, rank): (rank - 1,) for rank in (4, 5)},
    "NonMaxSuppression": {(0, 3): (2,)},
    "RoiAlign": {(1, 2): (1,)},
    "RotaryEmbedding": {(0, rank): axes for rank, axes in _HEADS.items()},
}
"""The axes whose size a rule must know on import, by op type, input and its rank: heads, coordinates."""


def check_import(case: Case, refused: Mapping[str, str], *, symbolic: bool = False) -> None:
    """The case holds, or it is one of `refused` and the importer says what is there, after what names the node."""
    if case.name not in refused:
        case.check_import(symbolic=symbolic)
        return
    with pytest.raises(InputError) as problem:
        case.check_import(symbolic=symbolic)
    assert reason_of(case, problem.value) == refused[case.name]


def reason_of(case: Case, problem: InputError) -> str:
    """What a refusal says, without what names the case, its node, and the node in the function of that."""
    said = str(problem).removeprefix(f"{case.name}: ")
    said = re.sub(r"^node (of )?'.*?' \([\w.]+\): ", "", said)
    said = re.sub(r"^in its function, node (of )?'.*?' \([\w.]+\): ", "", said)
    return re.sub(r"node (of )?'.*?' \(([\w.]+)\)", r"\2", said)


def sized(all_cases: Iterable[Case], unsupported: Mapping[str, str]) -> list[Case]:
    """The cases that are supported and can be run with sizes that only a run knows."""
    return [case for case in all_cases if case.name not in unsupported and case.sized()]


_MODULES: Mapping[str, str] = {
    "And": "and_",
    "ArrayFeatureExtractor": "ai_onnx_ml.array_feature_extractor",
    "BatchNormalization": "batch_normalization",
    "Binarizer": "ai_onnx_ml.binarizer",
    "CausalConvWithState": "causal_conv_with_state",
    "CenterCropPad": "center_crop_pad",
    "GreaterOrEqual": "greater_or_equal",
    "If": "if_",
    "ImageDecoder": "image_decoder",
    "InstanceNormalization": "instance_normalization",
    "LabelEncoder": "ai_onnx_ml.label_encoder",
    "LessOrEqual": "less_or_equal",
    "LinearAttention": "linear_attention",
    "Not": "not_",
    "Or": "or_",
    "Range": "rangeop",
    "ReduceLogSum": "reduce_log_sum",
    "ReduceLogSumExp": "reduce_log_sum_exp",
    "RegexFullMatch": "regex_full_match",
    "SequenceMap": "sequence_map",
    "SoftmaxCrossEntropyLoss": "softmax_cross_entropy_loss",
    "StringConcat": "string_concat",
    "StringSplit": "string_split",
    "TreeEnsemble": "ai_onnx_ml.tree_ensemble",
}
"""The modules of the package that are not called as their op is, in lower case."""


def cases_of(*op_types: str) -> list[Case]:
    """The cases of these ops, but no expansion of another. Skips the calling module where the package is absent."""
    need_module("onnx")
    package: Any = importlib.import_module(_PACKAGE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases divide by zero and overflow on purpose
        # The public `collect_testcases` works out every case of every op, which takes ten seconds.
        for name in op_types:
            importlib.import_module(f"{_PACKAGE}.{_MODULES.get(name, name.lower())}")
    wanted = {
        each.name: each
        for each in package._NodeTestCases
        if "_expanded" not in each.name and each.model.graph.node[0].op_type in op_types
    }
    return [_case(each) for each in wanted.values()]


def expansions_of(*op_types: str) -> list[Case]:
    """The cases of these ops with the body that the format gives the op in place of it: models of many nodes."""
    originals = {case.name: case for case in cases_of(*op_types)}
    found: list[Case] = []
    for each in importlib.import_module(_PACKAGE)._NodeTestCases:
        original = originals.get(each.name.partition("_expanded")[0])
        if original is not None and each.name != original.name:
            found.append(replace(original, name=each.name, message=each.model))
    return found


def foreign(all_cases: Iterable[Case]) -> dict[str, str]:
    """Of each case with an element type that the dialect has not, what the importer says: the first such type."""
    found: dict[str, str] = {}
    for case in all_cases:
        values = [*case.message.graph.input, *case.message.graph.output]
        types = [each.type.tensor_type.elem_type for each in values]
        if first := next((OTHERS[each] for each in types if each in OTHERS), None):
            found[case.name] = f"element type {first} has no counterpart in the dialect"
    return found


def _case(made: Any) -> Case:
    onnx: Any = importlib.import_module("onnx")
    (node,) = made.model.graph.node
    ((given, outputs),) = made.data_sets
    values = iter(map(_array, given))
    attributes = {each.name: _plain(onnx.helper.get_attribute_value(each)) for each in node.attribute}
    inputs = [next(values) if name else None for name in node.input]
    names = list(node.input), list(node.output)
    return Case(made.name, node.op_type, attributes, inputs, list(map(_array, outputs)), *names, made.model)


def _array(value: Any) -> Any:
    """Elements that NumPy has no type for come as a message of the format; sequences and text stay as they are."""
    onnx: Any = importlib.import_module("onnx")
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def _plain(value: Any) -> Any:
    """An attribute with text in place of bytes."""
    return value.decode() if isinstance(value, bytes) else value
