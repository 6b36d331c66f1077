"""`--fusion-lock=FILE`: how many ops of each fused family every function has, so that losing a fusion is an error."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_passes.core.errors import InputError, UsageError
from rlx_passes.policy.policy import CHECK, all_rows
from rlx_passes.reading.diagnostics import Diagnostic, DiagnosticError
from rlx_passes.report.families import family
from rlx_passes.tools.output import check_output, write_output

FORMAT = 1

Counts = Mapping[str, Mapping[str, int]]
"""By function, then by family."""


def count_families(module: ModuleOp) -> Counts:
    """The fused ops and regions of each function with a body, nested regions included; functions ordered by name."""
    found: dict[str, Counter[str]] = {}
    for op in module.walk():
        if isinstance(op, FuncOp) and op.body.blocks:
            found.setdefault(_function(op), Counter())
        elif name := family(op):
            found.setdefault(_function(op), Counter())[name] += 1
    return {name: dict(sorted(families.items())) for name, families in sorted(found.items())}


def _function(op: Operation) -> str:
    """The symbols around `op`, as `@outer::@function`."""
    names: list[str] = []
    current: Operation | None = op
    while current is not None:
        name = getattr(current, "sym_name", None)
        if name is not None:
            names.append(f"@{name.data}")
        current = current.parent_op()
    return "::".join(reversed(names))


def differences(locked: Counts, now: Counts) -> Iterator[str]:
    """Each difference on one line."""
    for function in sorted(locked.keys() | now.keys()):
        if function not in now:
            yield f"{function}: locked, and not in the program"
        elif function not in locked:
            yield f"{function}: in the program, and not locked"
        else:
            before, after = locked[function], now[function]
            for family in sorted(before.keys() | after.keys()):
                if before.get(family, 0) != after.get(family, 0):
                    yield f"{function}: {family}: {before.get(family, 0)} locked, {after.get(family, 0)} now"


@dataclass(frozen=True)
class FusionLock:
    """A lock file, and the pass of a pipeline after which the program is held against it."""

    file: str
    after: ModulePass
    update: bool = False

    @staticmethod
    def of(file: str, update: bool, passes: Iterable[ModulePass]) -> "FusionLock | None":
        """From the flags; None without a file. Raises UsageError if no pass fuses, InputError if it is unwritable."""
        if not file:
            if update:
                raise UsageError("--update-fusion-lock needs --fusion-lock=FILE")
            return None
        fusing = {row.name for row in (*all_rows(), CHECK)}
        last = next((pass_ for pass_ in reversed(tuple(passes)) if pass_.name in fusing), None)
        if last is None:
            raise UsageError("--fusion-lock: no pass of this pipeline fuses anything")
        check_output(file)
        return FusionLock(file, last, update)

    def hold(self, module: ModuleOp) -> None:
        """Write the counts for a new file or an update; otherwise raise DiagnosticError with each difference."""
        now = count_families(module)
        if self.update or not Path(self.file).exists():
            write_output(self.file, json.dumps({"format": FORMAT, "functions": now}, indent=2) + "\n")
            return
        found: Sequence[str] = tuple(differences(read_lock(self.file), now))
        if found:
            raise DiagnosticError(
                [
                    *(Diagnostic("error", f"{self.file}: {line}") for line in found),
                    Diagnostic("note", "if this is as it should be, run again with --update-fusion-lock"),
                ]
            )


def read_lock(file: str) -> Counts:
    """The counts of a lock file. Raises InputError for a file that is none."""
    try:
        data: Any = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{file}: not a fusion lock: {error}") from None
    if not isinstance(data, dict) or cast(dict[str, object], data).get("format") != FORMAT:
        raise InputError(f"{file}: not a fusion lock of format {FORMAT}")
    functions: Any = cast(dict[str, object], data).get("functions")
    if not isinstance(functions, dict) or not all(map(_is_counts, cast(dict[str, object], functions).values())):
        raise InputError(f"{file}: not a fusion lock: functions must hold a table of counts for each function")
    return cast(Counts, functions)


def _is_counts(value: object) -> bool:
    return isinstance(value, dict) and all(type(number) is int for number in cast(dict[str, object], value).values())
