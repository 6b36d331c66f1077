"""The table of variables is complete, documented and alone in reading them; what `compat-*` options restore."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from rlx_passes.pipeline.fusion import FusionPass
from rlx_passes.policy.flags import FusionFlags
from rlx_passes.switches.original import ENTRIES, PARTS, field_of, original_name, restored, restored_by, restored_words
from rlx_passes.switches.variables import OPTIONS, VARIABLES, changes
from rlx_passes.universe import RLX_UNIVERSE

ROOT = Path(__file__).parents[2]
SOURCES = {path: path.read_text() for path in (ROOT / "passes" / "rlx_passes").rglob("*.py")}
NO_VARIABLES = {"RLX_UNIVERSE", "RLX_TENSOR"}
LLVM = {"RLX_MLIR_OPT", "RLX_MLIR_TRANSLATE", "RLX_LLVM_MC", "RLX_LD_LLD"}
"""Their names are made of those of the programs."""


def test_every_variable_is_in_the_table_and_does_something():
    table = ROOT / "passes" / "rlx_passes" / "switches" / "variables.py"
    elsewhere = "\n".join(text for path, text in SOURCES.items() if path != table)
    named = set(re.findall(r"\bRLX_[A-Z_]+\b", elsewhere)) - NO_VARIABLES
    names = {variable.name for variable in VARIABLES}
    assert named <= names
    assert names - named <= {variable.name for variable in OPTIONS} | LLVM


def test_nothing_else_reads_the_environment():
    readers = {path.name for path, text in SOURCES.items() if "environ" in re.sub(r"environment|Environment", "", text)}
    assert readers == {"environment.py", "metal_host.py", "tpu.py"}, "those two hand theirs on to other programs"


def test_every_variable_is_in_the_docs():
    page = (ROOT / "docs" / "environment.md").read_text()
    for variable in VARIABLES:
        assert f"| `{variable.name}` |" in page
        assert variable.effect in page


def test_options_are_fields():
    flags = {field.name for field in fields(FusionFlags)}
    assert {variable.option for variable in OPTIONS} <= flags
    assert not any(variable.option for variable in VARIABLES[len(OPTIONS) :])


def test_the_later_of_two_variables_wins():
    names = ("RLX_NO_NATIVE_FK_REGIONS", "RLX_NATIVE_FK_REGIONS")
    assert changes(names, lambda name: True, lambda name: True) == {"native_fk_regions": False}
    assert changes(names[1:], lambda name: True, lambda name: True) == {"native_fk_regions": True}


@pytest.mark.parametrize("name", [name for name in RLX_UNIVERSE.all_passes if name.startswith("rlx-fuse-")])
def test_a_pass_and_its_row_restore_the_same(name: str):
    cls = RLX_UNIVERSE.all_passes[name]()
    known = {field.name for field in fields(cls)}
    for part in PARTS:
        if field_of(part) not in known:
            continue
        after = restored(cls(**{field_of(part): True}))
        for key, value in restored_by(part, name).items():
            if key in known:
                assert getattr(after, key) == value
                words = restored_words(frozenset({part}), name, key.replace("_", "-"))
                assert words == (value if isinstance(value, tuple) else (str(value).lower(),))
    assert restored(cls()) == cls()


def test_each_part_can_be_asked_for():
    names = {field.name for field in fields(FusionPass)}
    assert {field_of(part) for part in PARTS} <= names
    assert {field_of(part) for part in PARTS} == {name for name in names if name.startswith("compat_")}


def test_names_and_entries():
    assert original_name("rlx-lower-control-flow") == "LowerControlFlow"
    assert original_name("rlx-fuse-residual-ln") == "fuse_residual_ln"
    assert [name for name, entry in ENTRIES.items() if entry.of_target] == ["fuse"]
