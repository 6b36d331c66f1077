"""What is special about a target is in its file: no Python lists or asks for the name of one."""

import ast
from pathlib import Path

import rlx_dialect
import rlx_passes
from rlx_passes.pipeline.target import builtin_targets

ALLOWED = {
    ("rlx_passes/codegen/metal.py", "metal"): "how a version of the language begins",
    ("rlx_passes/codegen/tpu.py", "cpu"): "a platform of JAX",
    ("rlx_passes/codegen/tpu_worker.py", "tpu"): "a platform of JAX",
    ("rlx_passes/dialects/mlx.py", "mlx"): "the name of a dialect",
    ("rlx_passes/universe.py", "mlx"): "the name of a dialect",
    ("rlx_passes/pipeline/options.py", "metal"): "entry points that are called after a target",
    ("rlx_passes/pipeline/options.py", "wgpu"): "entry points that are called after a target",
}
"""By file and string: what else the word means there."""


def named() -> set[tuple[str, str]]:
    """The string constants that are the name of a target, with their files; prose does not count."""
    names, found = set(builtin_targets()), set[tuple[str, str]]()
    for package in (rlx_dialect, rlx_passes):
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and node.value in names:
                    found.add((file.relative_to(root.parent).as_posix(), str(node.value)))
    return found


def test_python_does_not_name_targets():
    assert named() == set(ALLOWED)
