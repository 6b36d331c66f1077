"""
lit's configuration: `lit test/filecheck` from the repository root.

`--param processes=1` starts real processes, `--param stock-parser=1` has every command read, verify and print with xDSL
alone.
"""

# ruff: noqa: F821 (lit defines `config` and `lit_config`)

import os
import sys
from pathlib import Path

import lit.formats

root = Path(__file__).parent
paths = [str(root), str(root / "passes"), str(root / "test")]
sys.path[:0] = paths

from lit_format import InProcess  # noqa: E402 (it lies in test/)

from rlx_passes.switches.variables import VARIABLES  # noqa: E402

config.name = "rlx"
config.suffixes = [".mlir", ".test"]
config.excludes = ["docs", "build", "dist", "benchmarks", "models", "data", "unit", "property", "Inputs"]
config.test_exec_root = str(root / "build" / "lit")
Path(config.test_exec_root).mkdir(parents=True, exist_ok=True)

in_processes = lit_config.params.get("processes", "0") == "1"
config.test_format = lit.formats.ShTest(execute_external=False) if in_processes else InProcess(execute_external=False)

# A shell that has fusion switches set must not change what the tests see.
for variable in VARIABLES:
    if variable.read not in ("program", "library"):
        os.environ.pop(variable.name, None)
if lit_config.params.get("stock-parser", "0") == "1":
    os.environ["RLX_STOCK_PARSER"] = "1"

config.environment["PYTHONPATH"] = os.pathsep.join(paths)
os.environ["PYTHONPATH"] = config.environment["PYTHONPATH"]
for name in os.environ:
    if name.startswith("RLX_") or name == "XDSL_MLIR_OPT":
        config.environment[name] = os.environ[name]

for tool in ("rlx_opt", "rlx_compile", "rlx_run"):
    config.substitutions.append((rf"\b{tool.replace('_', '-')}\b", f"{sys.executable} -m rlx_passes.tools.{tool}"))
config.substitutions.append((r"\bfilecheck\b", f"{sys.executable} -m filecheck"))
