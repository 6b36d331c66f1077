"""The four files of `make new-op`, in a copy of the tree: they work as written, on every backend that runs here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = "scaffolded"
TESTS = (
    "test/unit/dialect/test_kinds.py",
    "test/unit/dialect/test_docs_of_ops.py",
    "test/unit/dialect/test_composite_ops.py",
    "test/unit/lowerings/test_values_of_examples.py",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what git tracks or would, so that nothing here is written to."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    copy = tmp_path_factory.mktemp("tree")
    for name in filter(lambda name: (ROOT / name).is_file(), listed):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    return copy


def in_tree(tree: Path, *command: str) -> str:
    """What Python prints for a command that works on the copy. Fails with its output where the command does."""
    paths = os.pathsep.join(str(tree / part) for part in (".", "passes", "test", "test/models"))
    # All its cases, since which of them are left to `make test-all` depends on what else is there.
    variables = os.environ | {"PYTHONPATH": paths, "RLX_TESTS": "all"}
    done = subprocess.run([sys.executable, *command], cwd=tree, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents(tree: Path) -> Mapping[str, bytes]:
    files = (path for path in tree.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in files}


def test_a_new_op_is_four_files(tree: Path):
    before = contents(tree)
    written = in_tree(tree, "test/scaffold/new_op.py", NAME).splitlines()
    after = contents(tree)
    assert sorted(written) == sorted(name for name in after if after[name] != before.get(name))
    assert len(written) == 4
    kinds = (
        "from rlx_dialect.builder import Graph; from rlx_dialect.kinds import KINDS; "
        "print(KINDS['Scaffolded'].op, Graph.scaffolded.__name__)"
    )
    assert in_tree(tree, "-c", kinds).split() == [f"rlx.{NAME}", NAME]
    in_tree(tree, "-c", "from lit.main import main; main()", "-q", f"test/filecheck/dialect/{NAME}.mlir")
    tried = in_tree(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, "-k", NAME)
    assert " passed" in tried


def test_a_name_that_does_not_do(tree: Path):
    command = [sys.executable, "test/scaffold/new_op.py"]
    for name, message in (
        ("spline", "new-op: rlx_dialect/ops/spline.py exists already: choose another NAME\n"),
        ("matmul", "new-op: rlx.matmul is an op or a method of the builder already: choose another NAME\n"),
        ("input", "new-op: rlx.input is an op or a method of the builder already: choose another NAME\n"),
        *(
            (name, f"new-op: NAME must be snake case and no word of Python, such as my_op, got {name!r}\n")
            for name in ("MyOp", "", "../x", "a b", "x__y", "1x", "a\nb", "class")
        ),
        ("x" * 300, "new-op: NAME must have at most 60 letters, got 300\n"),
        ("type", "new-op: a module type would hide what Python calls so from its package: choose another NAME\n"),
        ("conv3d", "new-op: the class Conv3dOp or its kind Conv3d is another's: choose another NAME\n"),
        ("region", "new-op: the class RegionOp or its kind Region is another's: choose another NAME\n"),
        ("rlx", "new-op: the class RlxOp or its kind Rlx is another's: choose another NAME\n"),
    ):
        done = subprocess.run([*command, name], cwd=tree, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
