"""Lit functions of the dialect with a `VALUES` line agree with the reference on every backend that runs here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from backends import Runner, on_cpu, on_mlx, on_xla
from programs import parse, random_inputs
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from rlx_dialect.description.facts import accepted
from rlx_dialect.reference import run
from rlx_passes.core.numerics import difference

DIALECT = Path(__file__).parents[2] / "filecheck" / "dialect"


def functions() -> Iterator[tuple[str, ModuleOp]]:
    """Each function that has results and no `?`, alone in a module, by file and name."""
    for path in sorted(DIALECT.glob("*.mlir")):
        if "\n// VALUES: " not in path.read_text():
            continue
        for text in accepted(path):
            for func in parse(text, path.name).ops:
                if isinstance(func, FuncOp) and func.function_type.outputs and "?" not in str(func):
                    alone = func.clone()
                    alone.sym_name = StringAttr("main")  # XLA runs no other
                    yield f"{path.stem}-{func.sym_name.data}", ModuleOp([alone])


FUNCTIONS = dict(functions())


@pytest.mark.parametrize("runner", [on_cpu, on_xla, on_mlx])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_backend_computes_the_same(name: str, runner: Runner, tmp_path: Path):
    module = FUNCTIONS[name].clone()
    inputs = random_inputs(next(func for func in module.ops if isinstance(func, FuncOp)))
    expected = run(module, None, inputs)
    got = runner(module, list(inputs.values()), tmp_path)
    assert [difference(value, wanted) for value, wanted in zip(got, expected.values(), strict=True)] == [None] * len(
        got
    )
