"""Elements read at reckoned places: compiled for the cpu, alone in a program, and compared with the reference."""

import numpy as np
import pytest
from graph_op import Build, program_of
from tools import need_module, sampled

import rlx_passes
from rlx_dialect.builder import Graph
from rlx_dialect.reference import Array, run
from rlx_dialect.shape_rules.indexing import GatherNumbers

X = np.arange(2 * 5 * 6, dtype=np.float32).reshape(2, 5, 6)
HALF = X.astype(np.float16)
TRUTH = X % 3 == 0
PLACE = np.array(4, np.int32)
PAIRS = np.array([[0, 1], [1, 4], [1, -1], [0, 0]], np.int64)
FAR = np.array([[0, 9], [-7, 4], [5, 3]], np.int32)
ROWS = GatherNumbers((1,), (0, 1), (), (), (0, 1), 1)
WINDOWS = GatherNumbers((1, 2, 3), (), (), (), (1, 2), 1)
BATCHES = GatherNumbers((2,), (1,), (0,), (0,), (1,), 2)

CASES: dict[str, tuple[Build, tuple[Array, ...]]] = {
    "slice": (lambda g, x: g.slice(x, (0, 1, 0), (2, 2, 3), (1, 2, 2)), (X,)),
    "slice_backwards": (lambda g, x: g.slice(x, (1, 4, 5), (2, 5, 3), (-1, -1, -2)), (HALF,)),
    "slice_truth": (lambda g, x: g.slice(x, (0, 0, 1), (2, 5, 5)), (TRUTH,)),
    "slice_of_nothing": (lambda g, x: g.slice(x, (0, 0, 1), (2, 0, 5)), (X,)),
    "reverse": (lambda g, x: g.reverse(x, [0, -1]), (X,)),
    "reverse_truth": (lambda g, x: g.reverse(x, [1]), (TRUTH,)),
    "dynamic_slice": (lambda g, x, i: g.dynamic_slice(x, [i, i, i], (1, 2, 3)), (X, PLACE)),
    "dynamic_slice_before": (lambda g, x, i: g.dynamic_slice(x, [i, i, i], (2, 2, 3)), (X, np.array(-3, np.int64))),
    "dynamic_update": (lambda g, x, u, i: g.dynamic_update_slice(x, u, [i, i, i]), (X, -X[:1, :2], PLACE)),
    "dynamic_update_of_much": (
        lambda g, x, u, i: g.dynamic_update_slice(x, u, [i, i]),
        (np.zeros((2048, 1024), np.float32), np.ones((1, 8), np.float32), PLACE),
    ),
    "dynamic_update_whole": (lambda g, x, u, i: g.dynamic_update_slice(x, u, [i, i, i]), (HALF, -HALF, PLACE)),
    "gather_nd": (lambda g, x, i: g.gather_nd(x, i), (X, PAIRS)),
    "gather_nd_batch": (lambda g, x, i: g.gather_nd(x, i, batch_dims=1), (X, PAIRS.reshape(2, 2, 2) % 5)),
    "gather_elements": (lambda g, x, i: g.gather_elements(x, i, 1), (X, np.arange(60).reshape(2, 5, 6) % 5)),
    "rows": (lambda g, x, i: g.general_gather(x, i, ROWS, (1, 1, 6)), (X, FAR)),
    "windows": (lambda g, x, i: g.general_gather(x, i, WINDOWS, (2, 2, 3)), (X, FAR)),
    "batches": (lambda g, x, i: g.general_gather(x, i, BATCHES, (1, 1, 6)), (X, np.array([[[1], [7]], [[0], [4]]]))),
    "iota": (lambda g, x: g.iota((2, 5, 6), 1, "f32") + x, (X,)),
    "iota_alone": (lambda g, x: g.iota((3, 4), 0, "i32"), (X,)),
}


@sampled(4)
@pytest.mark.parametrize("name", CASES)
def test_on_the_cpu(name: str):
    need_module("llvmlite")
    build, arrays = CASES[name]
    module = program_of(build, *arrays)
    given = {f"x{i}": array for i, array in enumerate(arrays)}
    expected = run(module, inputs=given)["y0"]
    np.testing.assert_array_equal(rlx_passes.compile(module, "cpu", origin="rlx")(given)["y0"], expected)


def test_sizes_known_at_run_time():
    """The last column but one of each row, counted; the number of rows is known then."""
    need_module("llvmlite")
    g = Graph()
    x = g.input("x", (None, 6))
    rows = g.dim(x, 0)
    part = g.slice(x, (0, 4), (rows, 1), (1, 1))
    g.output("y", part + g.iota((rows, 1), 0, "f32"))
    g.output("z", g.reverse(x, [0]))
    module = g.module()
    program = rlx_passes.compile(module, "cpu", origin="rlx")
    for count in (1, 5):
        given = {"x": np.arange(count * 6, dtype=np.float32).reshape(count, 6)}
        for name, value in run(module, inputs=given).items():
            np.testing.assert_array_equal(program(given)[name], value)
