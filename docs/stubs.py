"""What type checkers and editors know of names that are made at run time: `.pyi` files, written by `generate.py`."""

from itertools import groupby

from rlx_dialect import ops

HEADER = '"""Made by docs/generate.py."""\n'


def ops_stub() -> str:
    """Every class that `rlx_dialect.ops` gives on, from its chapter."""
    classes = [value for value in vars(ops).values() if isinstance(value, type) and value.__module__.startswith("rlx_dialect.ops.")]
    lines = [HEADER, "from xdsl.irdl import IRDLOperation\n"]
    for module, members in groupby(classes, key=lambda cls: cls.__module__):
        lines += [f"from {module} import {cls.__name__} as {cls.__name__}" for cls in members]
    return "\n".join([*lines, "", "ALL_OPS: tuple[type[IRDLOperation], ...]", ""])
