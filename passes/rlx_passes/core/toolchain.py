"""Finding and running the external compilers: environment variable, then PATH; no shell, bounded time and output."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rlx_passes.core.errors import CodegenError, ToolMissing
from rlx_passes.switches.environment import var

STDERR_LINES = 12
STDERR_CHARACTERS = 2000
MLIR_VERSION = 22
ELF = b"\x7fELF"
"""How an object file begins."""


@dataclass(frozen=True)
class Tool:
    """
    An external program.

    `variable` is the environment variable that names it, `programs` the names tried on PATH in order, `purpose` what it
    is needed for, `install` how to get it.
    """

    name: str
    variable: str
    programs: tuple[str, ...]
    purpose: str
    install: str

    def find(self) -> Path | None:
        """Where the program is, or None. A variable that names a file which is not there is an error, not a miss."""
        if named := var(self.variable):
            found = shutil.which(named)
            if found is None:
                raise ToolMissing(f"{self.variable}={named} names no executable program ({self.name}: {self.purpose})")
            return Path(found)
        for program in self.programs:
            if found := shutil.which(program):
                return Path(found)
        return None

    def path(self) -> Path:
        """Where the program is; raises `ToolMissing`."""
        if (found := self.find()) is not None:
            return found
        raise ToolMissing(
            f"{self.name} was not found, it is needed {self.purpose}: "
            f"install it ({self.install}) or set {self.variable} to its path"
        )


def _llvm_tool(name: str, purpose: str, package: str) -> Tool:
    variable = "RLX_" + name.upper().replace("-", "_").replace(".", "_")
    return Tool(name, variable, (f"{name}-{MLIR_VERSION}", name), purpose, f"Debian package '{package}'")


MLIR_OPT = _llvm_tool("mlir-opt", "to lower linalg and gpu code", "mlir-22-tools")
MLIR_TRANSLATE = _llvm_tool("mlir-translate", "to write SPIR-V", "mlir-22-tools")
LLVM_MC = _llvm_tool("llvm-mc", "to assemble AMD GPU code", "llvm-22")
LD_LLD = _llvm_tool("ld.lld", "to link AMD GPU code", "lld-22")
SPIRV_CROSS = Tool(
    "spirv-cross", "RLX_SPIRV_CROSS", ("spirv-cross",), "to write Metal source", "Debian package 'spirv-cross'"
)
PTXAS = Tool(
    "ptxas",
    "RLX_PTXAS",
    ("ptxas",),
    "to assemble PTX into a cubin",
    "the CUDA toolkit, or the Python package 'nvidia-cuda-nvcc'",
)

TOOLS = {tool.name: tool for tool in (MLIR_OPT, MLIR_TRANSLATE, LLVM_MC, LD_LLD, SPIRV_CROSS, PTXAS)}


def run(tool: Tool, arguments: Sequence[str | Path], stdin: bytes = b"", *, timeout: float = 300.0) -> bytes:
    """
    The standard output of `tool` run with `arguments` on `stdin`.

    Raises `ToolMissing`, or `CodegenError` with the head of what the tool said when it fails or runs over `timeout`
    seconds.
    """
    command = [str(tool.path()), *(str(argument) for argument in arguments)]
    pipe = subprocess.PIPE
    try:
        # A session of its own, so that what the tool has started ends with it and cannot hold the pipes open.
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise CodegenError(f"{tool.name} ({command[0]}) could not be started: {error.strerror}") from error
    try:
        output, messages = process.communicate(stdin, timeout)
    except subprocess.TimeoutExpired as late:
        raise CodegenError(f"{tool.name} ran over its {timeout:g} s and was stopped") from late
    finally:
        _stop(process)
    if process.returncode != 0:
        raise CodegenError(f"{tool.name} failed with exit code {process.returncode}:\n{_head(messages)}")
    return output


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End a process that still runs, with its session; wait for it."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def checked(tool: Tool, code: bytes, start: bytes) -> bytes:
    """`code`, which `tool` made; raises `CodegenError` where it does not start as that kind of file does."""
    if not code.startswith(start):
        raise CodegenError(f"{tool.name} ({tool.path()}) ended well, but what it wrote is not what it is run for")
    return code


def run_to_file(tool: Tool, arguments: Sequence[str | Path], output: Path, start: bytes) -> bytes:
    """What `tool arguments` wrote to `output`, checked to begin with `start`. Raises as `run` and `checked` do."""
    run(tool, arguments)
    return checked(tool, output.read_bytes() if output.is_file() else b"", start)


def _head(text: bytes) -> str:
    """The first lines of a tool's messages, without the module dump that may follow them."""
    lines = text.decode("utf-8", "replace").splitlines()
    head = "\n".join(lines[:STDERR_LINES])[:STDERR_CHARACTERS]
    return head + f"\n... ({len(lines) - STDERR_LINES} more lines)" if len(lines) > STDERR_LINES else head


def mlir_opt(text: str, pipeline: str) -> str:
    """
    `text` after the passes of `pipeline`, a list as inside `builtin.module(...)`; generic form, locations local.

    The version of the tool is checked once; any other than `MLIR_VERSION` raises `ToolMissing`.
    """
    _check_mlir_version(MLIR_OPT.path())
    arguments = (
        "-",
        f"--pass-pipeline=builtin.module({pipeline})",
        "--mlir-print-op-generic",
        "--mlir-print-local-scope",
        "--allow-unregistered-dialect",
    )
    lowered = run(MLIR_OPT, arguments, text.encode())
    try:
        return checked(MLIR_OPT, lowered, b'"builtin.module"(').decode()
    except UnicodeDecodeError as error:
        raise CodegenError(f"{MLIR_OPT.name} ({MLIR_OPT.path()}) wrote no UTF-8 text: {error}") from error


@cache
def _check_mlir_version(path: Path) -> None:
    said = run(MLIR_OPT, ("--version",)).decode("utf-8", "replace")
    match = re.search(r"LLVM version (\d+)", said)
    if match is None or int(match[1]) != MLIR_VERSION:
        version = match[1] if match else "unknown"
        raise ToolMissing(
            f"{path} is of LLVM version {version}, {MLIR_VERSION} is needed: "
            f"install {MLIR_OPT.install} or set {MLIR_OPT.variable}"
        )
