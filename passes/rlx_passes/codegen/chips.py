"""Names of chips: checked before a compiler sees them, as LLVM aborts on an unknown one."""

from collections.abc import Iterable

from rlx_passes.codegen.errors import CodegenError
from rlx_passes.errors import did_you_mean


def known_chip(target: str, chip: str, known: Iterable[str]) -> str:
    """`chip`, if it is one of `known`; else a `CodegenError` that lists them."""
    names = list(known)
    if chip not in names:
        raise CodegenError(
            f"'{chip}' is no chip known for {target}{did_you_mean(chip, names)} (known: {', '.join(names)})"
        )
    return chip
