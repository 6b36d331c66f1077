"""Which integers of a program are 0 or more for certain."""

from collections.abc import Callable

import numpy as np
import pytest

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.builder import Graph, Tensor
from rlx_passes.frontends.signs import never_negative

COUNTED = np.arange(12, dtype=np.int32).reshape(3, 4)

CERTAIN: dict[str, Callable[[Graph], Tensor]] = {
    "constant": lambda g: g.constant(COUNTED),
    "empty": lambda g: g.constant(COUNTED[:0]),
    "iota": lambda g: g.iota((4,), 0),
    "arg_max": lambda g: g.arg_max(g.input("x", (3, 4))),
    "argsort": lambda g: g.argsort(g.input("x", (3, 4))),
    "moved": lambda g: g.transpose(g.reshape(g.narrow(g.constant(COUNTED), 1, 1, 2), (2, 3)), (1, 0)),
    "sliced": lambda g: g.slice(g.reverse(g.constant(COUNTED), (0,)), (0, 1), (2, 2), (2, 1)),
    "stretched": lambda g: g.expand(g.tile(g.iota((1, 2), 1), (1, 2)), (3, 4)),
    "picked": lambda g: g.gather(g.constant(COUNTED), g.input("i", (2,), "i64")),
    "joined": lambda g: g.concat([g.constant(COUNTED), g.iota((3, 1), 0, "i32")], 1),
    "widened": lambda g: g.cast(g.constant(COUNTED), "i64"),
}
UNCERTAIN: dict[str, Callable[[Graph], Tensor]] = {
    "input": lambda g: g.input("i", (2,), "i64"),
    "param": lambda g: g.param("i", (2,), "i64"),
    "constant": lambda g: g.constant(COUNTED - 1),
    "float": lambda g: g.constant(np.ones(3, np.float32)),
    "joined": lambda g: g.concat([g.constant(COUNTED), g.input("i", (3, 1), "i32")], 1),
    "narrowed": lambda g: g.cast(g.iota((4,), 0), "i32"),
    "from floats": lambda g: g.cast(g.input("x", (4,)), "i64"),
    "difference": lambda g: g.binary(BinaryKind.SUB, g.iota((4,), 0), 1),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_never_negative(name: str):
    assert never_negative(CERTAIN[name](Graph()).value)


@pytest.mark.parametrize("name", UNCERTAIN)
def test_perhaps_negative(name: str):
    assert not never_negative(UNCERTAIN[name](Graph()).value)
