"""A target file of a user's own: code for a variant of a chip, with what the package has."""

import json
from pathlib import Path

import pytest
from programs import parse
from tools import need_module
from xdsl.context import Context
from xdsl.dialects.builtin import f32, i1, i32

from rlx_passes.codegen.emit import EmitPass, generator
from rlx_passes.compiler import artefacts
from rlx_passes.core.errors import TargetError
from rlx_passes.lowerings.to_gpu.storage import kept_types, storage_names
from rlx_passes.pipeline.stages import build_pipeline
from rlx_passes.pipeline.target import load_target

VARIANT = """
name = "board"

[lower]
pass = "convert-rlx-to-linalg"

[codegen]
generator = "cpu"
default-chip = "generic"

[storage]
max-buffers = 8
dtypes = { i1 = "i32", f16 = "f32" }
"""
PROGRAM = (
    "func.func @main(%x: tensor<4xf32>) "
    "-> tensor<4xf32> {\n  %0 = rlx.activation exp %x : tensor<4xf32>\n  func.return %0 : tensor<4xf32>\n}"
)


def write(folder: Path, text: str = VARIANT) -> str:
    file = folder / "board.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_code_for_a_variant(tmp_path: Path):
    need_module("llvmlite")
    module = parse(PROGRAM)
    for each in build_pipeline(load_target(write(tmp_path)), origin="rlx"):
        each.apply(Context(), module)
    manifest = json.loads(artefacts(module)["manifest.json"])
    assert (manifest["target"], manifest["chip"]) == ("cpu", "generic")


def test_buffers_as_the_file_says(tmp_path: Path):
    storage = load_target(write(tmp_path)).required_storage()
    assert storage_names(storage) == {"i1": "i32", "f16": "f32"}
    assert {str(narrow): wide for narrow, wide in kept_types(storage).items()} == {"i1": i32, "f16": f32}
    assert kept_types(storage)[i1] == i32
    assert storage.max_buffers == 8


def test_an_emitter_and_a_runner_by_name(tmp_path: Path):
    text = VARIANT.replace('generator = "cpu"', 'emitter = "cpu"\nrunner = "cpu:CpuProgram"')
    assert callable(generator(write(tmp_path, text)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('generator = "cpu"', 'emitter = "cpuu"'), r'codegen.emitter = "cpuu": rlx_passes.codegen has no module'),
        (
            ('generator = "cpu"', 'emitter = "os.path"'),
            r'codegen.emitter = "os.path": rlx_passes.codegen has no module',
        ),
        (('generator = "cpu"', 'runner = "gone:X"'), r'codegen.runner = "gone:X": rlx_passes.runtime has no module'),
        (('generator = "cpu"', 'via = "a"'), r'codegen.via = "a": there is no table `route` to choose from'),
        (
            ("[storage]", '[route.a]\nemitter = "cpuu"\n[storage]'),
            r'route.a.emitter = "cpuu": rlx_passes.codegen has no',
        ),
        (("[storage]", "[route.a]\nspeed = 3\n[storage]"), r"route.a.speed = 3: no such key"),
        (("[storage]", '[route.a]\nemitter = "cpu"\n[storage]'), r"codegen.via = .*: must be one of a"),
        (
            ('generator = "cpu"', 'emitter = "cpu"\n[route.a]'),
            r'codegen.emitter = "cpu": each table of `route` says its own',
        ),
        (('i1 = "i32"', 'i1 = "i33"'), r'storage.dtypes.i1 = "i33": must be one of .*i32'),
        (('i1 = "i32"', 'i2 = "i32"'), r'storage.dtypes.i2 = "i32": no such key'),
        (("max-buffers = 8", "max-buffers = 0"), r"storage.max-buffers = 0: must be at least 1"),
        (("max-buffers", "buffers"), r"storage.buffers = 8: no such key"),
    ],
)
def test_what_a_file_cannot_name(change: tuple[str, str], message: str, tmp_path: Path):
    with pytest.raises(TargetError, match=message):
        load_target(write(tmp_path, VARIANT.replace(*change)))


def test_routes_to_code(tmp_path: Path):
    routes = '[route.a]\nemitter = "cpu"\nrunner = "cpu:CpuProgram"\n[route.b]\nemitter = "native"\n'
    text = VARIANT.replace('generator = "cpu"', 'via = "b"').replace("[storage]", f"{routes}[storage]")
    file = write(tmp_path, text)
    target = load_target(file)
    assert (target.route().emitter, target.route("a").emitter) == ("native", "cpu")
    assert callable(generator(file, "a"))
    with pytest.raises(TargetError, match=r"^via=c: target 'board' knows a, b$"):
        generator(file, "c")
    with pytest.raises(TargetError, match=r"^via=c: target 'cpu' knows iree, native$"):
        build_pipeline(load_target(write(tmp_path)), origin="rlx", via="c")
    assert build_pipeline(target, origin="rlx", via="a")[-1] == EmitPass("board", "generic", "a")


def test_a_target_without_buffers():
    with pytest.raises(TargetError, match="target 'cpu' does not say how buffers are kept"):
        load_target("cpu").required_storage()
