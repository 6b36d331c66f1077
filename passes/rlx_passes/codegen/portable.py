"""One native bundle for many machines: an object file for each level, of which the one that fits is loaded."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from rlx_passes.bundle.manifest import MANIFEST, Manifest
from rlx_passes.codegen.c_header import HEADER
from rlx_passes.codegen.entries import with_code

PORTABLE = "portable"
"""The chip that stands for all levels."""

CODE, RUNTIME = "program.o", "runtime.o"

LEVELS = {"x86-64-v4": "x86_64", "x86-64-v3": "x86_64", "x86-64-v2": "x86_64", "aarch64": "aarch64"}
"""The processor family of each level; of those that fit a machine the first one is taken."""


def portable(make: Callable[[str], Mapping[str, bytes]], triple: str) -> dict[str, bytes]:
    """
    The files of a bundle for all levels, each of which `make` compiles for a chip, on the system of `triple`.

    `<level>.json` is the manifest of a level; that of the bundle names them, and says what entries take and give.
    """
    system = triple.partition("-")[2]
    files: dict[str, bytes] = {}
    manifests: list[Manifest] = []
    for level, family in LEVELS.items():
        made = make(f"{family}-{system}" + (f":{level}" if level != family else ""))
        code, header = f"{level}.o", f"{level}.h"
        manifest = Manifest.from_json(made[MANIFEST])
        entries = tuple(with_code(entry, {**entry.code, "file": code}) for entry in manifest.entries)
        manifests.append(replace(manifest, chip=level, entries=entries))
        files[code] = made[CODE]
        files[f"{family}.{RUNTIME}"] = made[RUNTIME]
        files[header] = (
            made[HEADER].replace(CODE.encode(), code.encode()).replace(RUNTIME.encode(), f"{family}.{RUNTIME}".encode())
        )
        files[f"{level}.json"] = manifests[-1].to_json().encode()
    first = manifests[0]
    entries = tuple(with_code(entry, {}) for entry in first.entries)
    root = replace(first, chip=PORTABLE, entries=entries, levels=tuple(f"{level}.json" for level in LEVELS))
    return {MANIFEST: root.to_json().encode(), **files}
