"""`make new-fusion` in a copy of the tree: three files, and all that is to hold of a fusion holds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOUCHED = {
    "passes/rlx_passes/fusion/fuse_twice_relu.py",
    "passes/rlx_passes/policy/policy.py",
    "test/filecheck/fusion/fuse_twice_relu.mlir",
}
"""A fusion is these three files."""

TESTS = (
    *("test/unit/pipeline/test_replay.py", "test/unit/pipeline/test_composite.py", "test/unit/tools/test_universe.py"),
    *("test/unit/fusion/test_misses.py", "test/unit/fusion/test_option_values.py", "test/unit/test_value_check.py"),
    "test/unit/tools/test_target_check.py",
)
CHOSEN = "replay or composite or universe or promises or makes_no_sense or twice_relu"
"""The policy's tests and those of the new fusion."""


def texts(root: Path) -> dict[str, bytes]:
    found = (path for part in ("passes", "rlx_dialect", "test", "docs") for path in (root / part).rglob("*"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found if path.suffix in (".py", ".mlir", ".md")}


@pytest.fixture(name="copy", scope="module")
def _copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree") / "copy"
    ignored = shutil.ignore_patterns("__pycache__", ".venv", ".git", "build", "*.onnx", "*.npz", ".pytest_cache")
    for part in ("passes", "rlx_dialect", "test", "docs", "examples"):
        shutil.copytree(ROOT / part, root / part, ignore=ignored)
    for file in ("pyproject.toml", "lit.cfg.py"):
        shutil.copy(ROOT / file, root / file)
    return root


def run(copy: Path, *command: str) -> str:
    paths = os.pathsep.join(str(copy / part) for part in ("", "passes", "test"))
    # All its cases, since which of them are left to `make test-all` depends on what else is there.
    variables = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "RLX_TESTS": "all"}
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_fusion_touches_three_files_and_its_tests_pass(copy: Path):
    before = texts(copy)
    run(copy, "test/scaffold/new_fusion.py", "twice_relu")
    after = texts(copy)
    assert {path for path in after if after[path] != before.get(path)} == TOUCHED
    assert before.keys() <= after.keys()
    run(
        copy,
        "-c",
        "from lit.main import main; main()",
        "-q",
        "test/filecheck/fusion/fuse_twice_relu.mlir",
        "test/filecheck/tools/fusion.mlir",
    )
    passed = run(copy, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS, "-k", CHOSEN, "-rA")
    for test in ("test_guards_give_their_reason", "test_values_stay"):
        assert any(test in line and "twice_relu" in line for line in passed.splitlines()), test
    run(copy, "-m", "ruff", "check", *(path for path in TOUCHED if path.endswith(".py")))
    run(copy, "-m", "ruff", "format", "--check", *(path for path in TOUCHED if path.endswith(".py")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Bad-Name",), "'Bad-Name': a fusion is named in snake case"),
        (("a\nb",), r"'a\nb': a fusion is named in snake case"),
        (("x" * 300,), "the name of a fusion has at most 60 letters, got 300"),
        (("residual_ln",), "fuse_residual_ln.py is there already"),
        (("other", "--kind", "FusedSwiGlu"), "no op kind 'FusedSwiGlu'; did you mean 'FusedSwiGLU'?"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], message: str):
    script = str(ROOT / "test" / "scaffold" / "new_fusion.py")
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
