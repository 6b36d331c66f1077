"""What a bundle says about its entries, read off lowered functions."""

import pytest
from gpu_cases import parse
from xdsl.dialects.builtin import StringAttr

from rlx_passes.bundle.manifest import Call, TensorSpec
from rlx_passes.codegen.entries import entry_specs
from rlx_passes.core.errors import CodegenError

PREPARED = """
func.func @f_prepare(%w: tensor<4x2xf32> {rlx.param = "w"}, %v: tensor<3xi8> {rlx.param = "v", rlx.dtype = "ui8"})
    -> (tensor<2x4xf32> {rlx.prepared = "p0"}, tensor<3xi8> {rlx.prepared = "p1", rlx.dtype = "ui8"}) {
  %e = tensor.empty() : tensor<2x4xf32>
  func.return %e, %v : tensor<2x4xf32>, tensor<3xi8>
}
func.func @f(%x: tensor<?x4xbf16> {rlx.input = "x"}, %1: tensor<i1>, %p: tensor<2x4xf32> {rlx.prepared = "p0"},
             %b: tensor<4xf32> {rlx.param = "b"}) -> (tensor<?x4xbf16> {rlx.output = "y"}, tensor<i1>)
    attributes {rlx.prepare = @f_prepare} {
  func.return %x, %1 : tensor<?x4xbf16>, tensor<i1>
}
func.func private @helper(%a: tensor<2xf32>) -> tensor<2xf32> {
  func.return %a : tensor<2xf32>
}
"""


def test_roles_names_and_types() -> None:
    (entry,) = entry_specs(parse(PREPARED))
    assert entry.name == "f"
    assert entry.inputs == (TensorSpec("x", (None, 4), "bf16"), TensorSpec("arg1", (), "i1"))
    assert entry.params == (TensorSpec("b", (4,), "f32"), TensorSpec("w", (4, 2), "f32"), TensorSpec("v", (3,), "ui8"))
    assert entry.prepared == (TensorSpec("p0", (2, 4), "f32"), TensorSpec("p1", (3,), "ui8"))
    assert entry.outputs == (TensorSpec("y", (None, 4), "bf16"), TensorSpec("out1", (), "i1"))
    assert entry.call == Call((("input", "x"), ("input", "arg1"), ("prepared", "p0"), ("param", "b")), ("y", "out1"))
    assert entry.prepare == Call((("param", "w"), ("param", "v")), ("p0", "p1"))


def test_the_name_of_the_prepare_function_may_be_a_string() -> None:
    module = parse(PREPARED)
    list(module.ops)[1].attributes["rlx.prepare"] = StringAttr("f_prepare")
    assert [entry.name for entry in entry_specs(module)] == ["f"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func private @f() {\n  func.return\n}", "no public function"),
        (PREPARED.replace("@f_prepare} {", "@g} {"), "@f names @g as its rlx.prepare, and there is no such function"),
        (
            PREPARED.replace('"b"', '"w"').replace("%w: tensor<4x2xf32> {rlx.param", "%w: tensor<4x2xf32> {rlx.input"),
            "takes input",
        ),
        (
            'func.func @f(%a: tensor<2xf32> {rlx.input = "a"}, '
            '%b: tensor<2xf32> {rlx.input = "a"}) {\n  func.return\n}',
            "@f has more than one input named 'a'",
        ),
        ('func.func @""() {\n  func.return\n}', "a function called '' cannot be an entry"),
        ('func.func @"a\\00b"() {\n  func.return\n}', "a function called .* cannot be an entry"),
        ("func.func @f(%a: f32) {\n  func.return\n}", "'arg0' has type f32; an entry takes and gives ranked tensors"),
        ("func.func @f(%a: tensor<2xindex>) {\n  func.return\n}", "element type index"),
    ],
)
def test_what_is_no_entry(text: str, message: str) -> None:
    with pytest.raises(CodegenError, match=message):
        entry_specs(parse(text))
