"""Object code from the text of LLVM, by the compiler in the Python package llvmlite."""

import re
import subprocess
import sys
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from rlx_passes.core.errors import CodegenError, ToolMissing

INSTALL = "pip install rlx-dialect[cpu]"


class Machine(NamedTuple):
    """What code is made for: the system, the CPU and what it has beyond its name, as LLVM calls them."""

    triple: str
    cpu: str
    features: str = ""


def object_code(text: str, chip: str, runtime: str = "") -> bytes:
    """
    The object file of a module of LLVM, linked with the module `runtime`, for `chip`.

    `chip` is `host` for the machine that compiles, `generic`, a CPU name of LLVM, or a triple of LLVM, which a colon
    and a CPU name may follow. Raises `ToolMissing` without llvmlite, `CodegenError` for an unknown chip and for text
    that LLVM refuses.
    """
    return _object_code(text, chip, runtime)


@lru_cache(maxsize=64)
def _object_code(text: str, chip: str, runtime: str) -> bytes:
    machine = _target_machine(chip)
    return machine.emit_object(_optimized(text, machine, runtime))


def assembly(text: str, chip: str, runtime: str = "") -> str:
    """The same as assembly text."""
    machine = _target_machine(chip)
    return machine.emit_assembly(_optimized(text, machine, runtime))


def optimized_ir(text: str, chip: str, runtime: str = "") -> str:
    """The text of LLVM that code is made from."""
    return str(_optimized(text, _target_machine(chip), runtime))


@cache
def converts_half(chip: str) -> bool:
    """Whether `chip` has instructions between f16 and f32. Raises as `object_code` does."""
    probe = "define float @f(half %x) {\n  %y = fpext half %x to float\n  ret float %y\n}\n"
    return "__" not in assembly(probe, chip)


@cache
def has_fma(chip: str) -> bool:
    """Whether `chip` has an instruction for a product and a sum that are rounded once. Raises as `object_code` does."""
    probe = (
        "declare float @llvm.fma.f32(float, float, float)\ndefine float @f(float %x) {\n"
        "  %y = call float @llvm.fma.f32(float %x, float %x, float %x)\n  ret float %y\n}\n"
    )
    return "fmaf" not in assembly(probe, chip)


@cache
def _binding() -> Any:
    try:
        from llvmlite import binding
    except ImportError as error:
        raise ToolMissing(f"the Python package 'llvmlite' is needed for target cpu: {INSTALL}") from error
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


def machine_of(chip: str) -> Machine:
    """What `chip` means here. Raises `CodegenError` for a name that LLVM does not know."""
    binding = _binding()
    here = cast("str", binding.get_process_triple())
    if chip == "host":
        features = cast("str", binding.get_host_cpu_features().flatten())
        return Machine(here, cast("str", binding.get_host_cpu_name()), features)
    if not re.fullmatch(r"[A-Za-z0-9_.+:-]+", chip):
        raise _unknown(chip)
    triple, _, cpu = chip.partition(":")
    if not re.match(r"(x86_64|i686|aarch64|arm64|riscv64|powerpc64le|s390x)-", triple):
        triple, cpu = here, chip
    if cpu in ("", "generic"):
        cpu = "x86-64" if triple.startswith("x86_64") else "generic"
    if cpu not in _COMMON and not _is_known(triple, cpu):
        raise _unknown(chip)
    return Machine(triple, cpu)


_COMMON = frozenset(("generic", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"))
"""Names that need no look-up."""


def _unknown(chip: str) -> CodegenError:
    return CodegenError(f"'{chip}' is no name of a CPU; say 'host', 'portable', 'generic', or one that LLVM knows")


@cache
def _is_known(triple: str, cpu: str) -> bool:
    """LLVM says on its standard error alone that it does not know a name, so that a process of its own is asked."""
    script = (
        "import sys; from llvmlite import binding as b; b.initialize_all_targets(); b.initialize_all_asmprinters(); "
        "b.Target.from_triple(sys.argv[1]).create_target_machine(sys.argv[2])"
    )
    told = subprocess.run([sys.executable, "-c", script, triple, cpu], capture_output=True, text=True, check=False)
    return told.returncode == 0 and "not a recognized processor" not in told.stderr


def _target_machine(chip: str) -> Any:
    machine = machine_of(chip)
    try:
        target = _binding().Target.from_triple(machine.triple)
    except RuntimeError as error:
        raise _unknown(chip) from error
    # How wide plain code gets is LLVM's own knowledge of the CPU: wider registers make some slow down.
    return target.create_target_machine(machine.cpu, machine.features, opt=3, reloc="pic", codemodel="small")


def _optimized(text: str, machine: Any, runtime: str) -> Any:
    binding = _binding()
    module = _parsed(text, machine)
    if runtime:
        module.link_in(_parsed(runtime, machine))
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = True
    options.loop_unrolling = False  # ten times the time to compile, for nothing that could be measured
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def _parsed(text: str, machine: Any) -> Any:
    binding = _binding()
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    try:
        module = binding.parse_assembly(f"{head}{text}")
        module.verify()
    except RuntimeError as error:
        raise CodegenError(f"LLVM cannot read this module: {' '.join(str(error).split())}") from error
    return module
