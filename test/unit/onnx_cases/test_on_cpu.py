"""The cases of the `onnx` package compiled for the cpu: each that the reference gets right is right there."""

from collections.abc import Callable, Mapping
from functools import cache

import pytest
from onnx_cases import Case
from onnx_counts import compared
from programs import joined
from tools import need_module, shared

import rlx_passes
from rlx_passes.core.errors import CodegenError
from rlx_passes.frontends.imported import Imported
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.runtime.program import Program, load_bundle

need_module("onnx")

LACKING: Mapping[str, str] = {}
"""What the compiled cpu says of a case that it cannot run, by the name of the case."""

PARTS = 36
"""The cases of a part, every 36th, are compiled at once: two thirds of the time that they take one by one."""

CASES = compared()

Programs = Callable[[Imported], Program]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Programs]:
    """Of a case, what gives its program; one by one for a part that does not compile, so that the right one fails."""
    need_module("llvmlite")

    @cache
    def compile_part(part: int) -> bool:
        modules = {case.name: import_model(case.model()).module for case in CASES[part::PARTS]}
        try:
            rlx_passes.compile(joined(modules), "cpu", origin="rlx", entry=next(iter(modules)), output=folder(part))
        except CodegenError:
            return False
        return True

    @cache
    def folder(part: int):
        return tmp_path_factory.mktemp("part") / str(part)

    def programs(case: Case) -> Programs:
        part = CASES.index(case) % PARTS
        if compile_part(part):
            return lambda _: load_bundle(folder(part), case.name)
        return lambda imported: rlx_passes.compile(imported.module, "cpu", origin="rlx")

    return programs


@pytest.mark.parametrize("case", shared(CASES, PARTS), ids=lambda case: case.name)
def test_case(case: Case, compiled: Callable[[Case], Programs]):
    if case.name not in LACKING:
        case.check_on_cpu(compiled(case))
        return
    with pytest.raises(Exception) as problem:
        case.check_on_cpu(compiled(case))
    assert LACKING[case.name] in str(problem.value)


def test_what_is_lacking_is_there():
    assert set(LACKING) <= {case.name for case in CASES}
