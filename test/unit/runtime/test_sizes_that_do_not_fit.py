"""Calls whose sizes do not fit what the code relies on: refused by name, with both sizes, before anything runs."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from programs import parse
from tools import need_module

import rlx_passes
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import run
from rlx_passes import from_onnx
from rlx_passes.core.errors import RunError
from rlx_passes.runtime.program import Program

Shape = tuple[int, ...]

MODEL = Path(__file__).parents[2] / "models" / "bert_tiny_eager_ts.onnx"
NEEDED = {"cpu": "llvmlite", "mlx": "mlx"}

SUM = """
func.func @main(%x: tensor<?x2xf32> {rlx.dims = ["n", 2]}, %y: tensor<?x2xf32> {rlx.dims = ["n", 2]})
    -> tensor<?x2xf32> {
  %0 = rlx.binary add %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  func.return %0 : tensor<?x2xf32>
}
"""
PRODUCT = """
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = rlx.matmul %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
"""
CONCAT = """
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = rlx.concat %x, %y axis(0) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
"""
RESHAPE = """
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x14xf32>) -> tensor<?x14xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x14xf32>
  %0 = rlx.reshape %x sizes(%n) : tensor<?x?xf32> -> tensor<?x14xf32>
  func.return %0 : tensor<?x14xf32>
}
"""
EVEN = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = rlx.fft %x norm(none) : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
"""
PART = """
func.func @main(%x: tensor<?x2xf32>, %y: tensor<?xf32>) -> tensor<3x2xf32> {
  %0 = rlx.narrow %x axis(0) start(1) length(3) : tensor<?x2xf32> -> tensor<3x2xf32>
  func.return %0 : tensor<3x2xf32>
}
"""


def compiled(text: str, backend: str) -> Program:
    need_module(NEEDED[backend])
    return rlx_passes.compile(text, backend, origin="rlx")


@pytest.mark.parametrize("backend", NEEDED)
@pytest.mark.parametrize(
    ("text", "shapes", "message"),
    [
        (SUM, ((3, 2), (1, 2)), "dim 0 of input 'arg0' must be equal to dim 0 of input 'arg1', got 3 and 1"),
        (SUM, ((1, 2), (3, 2)), "dim 0 of input 'arg0' must be equal to dim 0 of input 'arg1', got 1 and 3"),
        (PRODUCT, ((2, 4), (3, 3)), "dim 1 of input 'arg0' must be equal to dim 0 of input 'arg1', got 4 and 3"),
        (PRODUCT, ((2**40, 0), (0, 2**40)), " must be at most 281474976710656, got 1208925819614629174706176 and "),
        (CONCAT, ((2, 4), (3, 3)), "dim 1 of input 'arg0' must be equal to dim 1 of input 'arg1', got 4 and 3"),
        (RESHAPE, ((4, 5), (1, 14)), " must be equal to 14*dim 0 of input 'arg1', got 20 and 14"),
        (PART, ((3, 2), (0,)), "dim 0 of input 'arg0' must be at least 4, got 3 and 4"),
    ],
)
def test_f02_sizes_that_do_not_fit_are_named(backend: str, text: str, shapes: Sequence[Shape], message: str):
    arrays = [np.zeros(shape, np.float32) for shape in shapes]
    with pytest.raises(RunError) as refused:
        compiled(text, backend)(dict(zip(("arg0", "arg1"), arrays)))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(ValueError, match=r"^@main: ") as judged:
        run(parse(text), None, arrays)
    assert message in str(judged.value)


def test_f02_a_multiple():
    with pytest.raises(ValueError, match=r"^@main: dim 0 of input 'arg0' must be a multiple of 2, got 3 and 2$"):
        run(parse(EVEN), None, [np.zeros(3, np.float32)])


@pytest.mark.parametrize("backend", NEEDED)
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_f01_dims_of_one_name_do_not_broadcast(backend: str, rows: int):
    x = np.ones((rows, 2), np.float32)
    assert compiled(SUM, backend)({"arg0": x, "arg1": x})["out0"].shape == (rows, 2)


def test_f02_inputs_of_a_model_fit_each_other():
    need_module("onnx")
    need_module(NEEDED["cpu"])
    model = from_onnx(MODEL)
    program = rlx_passes.compile(model.module, "cpu", origin="rlx").load(model.params)
    sizes = {"input_ids": (2, 16), "attention_mask": (2, 16), "token_type_ids": (2, 16)}
    program({name: np.ones(shape, np.int64) for name, shape in sizes.items()})
    for name, shape in (("attention_mask", (2, 9)), ("token_type_ids", (2, 4)), ("token_type_ids", (1, 16))):
        given = {each: np.ones(shape if each == name else size, np.int64) for each, size in sizes.items()}
        with pytest.raises(RunError, match=f"must be equal to dim . of input '{name}', got (2|16) and (1|4|9)$"):
            program(given)


CHOICES: Mapping[str, Callable[[Graph, Tensor, Tensor], Tensor]] = {
    "gather": lambda g, x, i: g.gather(x, i, 1),
    "gather_elements": lambda g, x, i: g.gather_elements(x, i, 1),
    "gather_nd": lambda g, x, i: g.gather_nd(x, g.expand(g.reshape(i, (*i.shape[:1], 3, 1)), (4, 3, 2))),
    "scatter_elements": lambda g, x, i: g.scatter_elements(x, i, g.cast(i, "f32"), 1),
}


@pytest.mark.parametrize("backend", NEEDED)
@pytest.mark.parametrize("name", CHOICES)
def test_f02_nothing_is_chosen_from_an_axis_without_elements(name: str, backend: str):
    """An index into it cannot be moved inside: code read, or wrote, memory of others."""
    need_module(NEEDED[backend])
    g = Graph()
    g.output("y", CHOICES[name](g, g.input("x", (4, None)), g.input("i", (4, 3), "i64")))
    program = rlx_passes.compile(g.module(), backend, origin="rlx")
    given = {"x": np.ones((4, 5), np.float32), "i": np.ones((4, 3), np.int64)}
    assert program(given)["y"].size
    with pytest.raises(RunError, match="dim 1 of input 'x' must be at least 1, got 0 and 1"):
        program({**given, "x": np.ones((4, 0), np.float32)})


def _in_a_branch(g: Graph) -> None:
    x, y = g.input("x", (None, 4)), g.input("y", (None, 4))
    (z,) = g.cond(g.input("t", (), "i1"), [x, y], lambda a, b: [a + b], lambda a, b: [a])
    g.output("z", z)


@pytest.mark.parametrize("backend", NEEDED)
@pytest.mark.parametrize(("turn", "rows", "fits"), [(True, 3, True), (False, 1, True), (True, 1, False)])
def test_f02_code_looks_at_sizes_in_a_branch(turn: bool, rows: int, fits: bool, backend: str):
    """Where the caller cannot know whether they have to fit."""
    need_module(NEEDED[backend])
    g = Graph()
    _in_a_branch(g)
    program = rlx_passes.compile(g.module(), backend, origin="rlx")
    given = {"x": np.ones((3, 4), np.float32), "y": np.ones((rows, 4), np.float32), "t": np.array(turn)}
    if fits:
        assert program(given)["z"].shape == (3, 4)
        return
    with pytest.raises(RunError, match=r"^entry 'main'( failed)?: rlx.binary: \? must be equal to \?"):
        program(given)


@pytest.mark.parametrize(("rows", "message"), [(2, ""), (-1, "at least 0"), (2**40, "at most 2147483647")])
def test_f02_code_looks_at_sizes_that_data_say(rows: int, message: str):
    need_module(NEEDED["cpu"])
    g = Graph()
    g.output("z", g.expand(g.input("x", (1, 4)), (g.size_at(g.input("n", (), "i64")), 4)))
    program = rlx_passes.compile(g.module(), "cpu", origin="rlx")
    given = {"x": np.ones((1, 4), np.float32), "n": np.array(rows)}
    if not message:
        assert program(given)["z"].shape == (rows, 4)
        return
    with pytest.raises(RunError, match=message):
        program(given)


@pytest.mark.parametrize(("rows", "length"), [(0, 0), (3, 0), (3, 3), (3, 4), (0, 1)])
def test_f02_code_reads_no_more_entries_than_there_are(rows: int, length: int):
    need_module(NEEDED["cpu"])
    g = Graph()
    g.output("z", g.slice(g.input("x", (None, 2)), (0, 0), (g.size_at(g.input("n", (), "i64")), 2)))
    program = rlx_passes.compile(g.module(), "cpu", origin="rlx")
    given = {"x": np.ones((rows, 2), np.float32), "n": np.array(length)}
    if length <= rows:
        assert program(given)["z"].shape == (length, 2)
        return
    with pytest.raises(RunError, match=r"^entry 'main' failed: rlx.slice: .* must be at least "):
        program(given)
