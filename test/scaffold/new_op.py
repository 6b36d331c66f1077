"""
Write the files of a new op, to start from: `make new-op NAME=my_op`.

Four files, each of which works as it is: the op's definition, its plain form, its meaning in NumPy, and a lit file
whose programs are printed, refused and compared on every backend. Nothing else lists the op.
"""

import argparse
import builtins
import keyword
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEMPLATES = Path(__file__).parent / "op"
LONGEST = 60
FILES = {
    "definition.py.in": "rlx_dialect/ops/{name}.py",
    "plain_form.py.in": "rlx_dialect/decompose/{name}.py",
    "meaning.py.in": "rlx_dialect/reference/{name}.py",
    "examples.mlir.in": "test/filecheck/dialect/{name}.mlir",
}


def scaffold(name: str) -> list[Path]:
    """Write the files of the op `rlx.<name>`. Raises `ValueError` for a name that is taken or no snake case."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise ValueError(f"NAME must be snake case and no word of Python, such as my_op, got {name!r}")
    if len(name) > LONGEST:
        raise ValueError(f"NAME must have at most {LONGEST} letters, got {len(name)}")
    places = {template: ROOT / place.format(name=name) for template, place in FILES.items()}
    if taken := [place.relative_to(ROOT) for place in places.values() if place.exists()]:
        raise ValueError(f"{taken[0]} exists already: choose another NAME")
    sys.path[:0] = [str(ROOT)]
    from rlx_dialect import ops
    from rlx_dialect.builder import Graph
    from rlx_dialect.kinds import KINDS
    from rlx_dialect.ops import ALL_OPS

    if any(op.name == f"rlx.{name}" for op in ALL_OPS) or hasattr(Graph, name):
        raise ValueError(f"rlx.{name} is an op or a method of the builder already: choose another NAME")
    if hasattr(builtins, name):
        raise ValueError(f"a module {name} would hide what Python calls so from its package: choose another NAME")
    cls = "".join(map(str.capitalize, name.split("_")))
    kind = KINDS.get(cls)
    if hasattr(ops, f"{cls}Op") or (kind is not None and kind.op != f"rlx.{name}"):
        raise ValueError(f"the class {cls}Op or its kind {cls} is another's: choose another NAME")
    for template, place in places.items():
        place.write_text((TEMPLATES / template).read_text().replace("@NAME@", name).replace("@CLASS@", cls))
    return list(places.values())


def main() -> int:
    parser = argparse.ArgumentParser(description="write the files of a new op")
    parser.add_argument("name", help="the op's name without the dialect, in snake case: my_op")
    try:
        written = scaffold(parser.parse_args().name)
    except (ValueError, OSError) as error:
        print(f"new-op: {error}", file=sys.stderr)
        return 1
    for place in written:
        print(place.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
