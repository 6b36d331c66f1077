"""Extensions whose own parts are wrong: refused in one line when they join or load."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from rlx_passes.core.errors import ExtensionError
from rlx_passes.policy import extensions
from rlx_passes.policy.conditions import Condition, Row, of_target, option
from rlx_passes.policy.extensions import Extension, register, registered
from rlx_passes.rewriting.miss import CodedReason
from rlx_passes.tools.rlx_opt import main
from rlx_passes.universe import RLX_UNIVERSE
from rlx_sample import EXTENSION
from rlx_sample.reasons import SampleReason

FUSE = "sample-fuse-squared-difference"
PLACE = "rlx-mark-elementwise-regions"


class Borrowed(CodedReason):
    """A code that is not the package's own."""

    TAKEN = ("RLX-F999", "taken", "It is not the package's own.")


class Twice(CodedReason):
    """One code for two reasons."""

    FIRST = ("TWICE-F001", "first", "It is.")
    SECOND = ("TWICE-F001", "second", "It is too.")


class Again(CodedReason):
    """A code of the sample's."""

    TAKEN = ("SAMPLE-F001", "taken", "It is the sample's.")


class Lower(CodedReason):
    """The prefix of this package in other letters."""

    TAKEN = ("rlx-F001", "taken", "It is not the package's own.")


class Bare(CodedReason):
    """A reason that nobody could name."""

    BLANK = (" ", "blank", "It has no code.")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": (Row("sample-x"),)}, "'sample-x' must say before= or after= which pass it runs"),
        ({"rows": (Row("sample-x", before="a", after="b"),)}, "must say before= or after="),
        ({"kinds": {"MatMul": "sample.matmul"}}, "the op kind 'MatMul' is 'rlx.matmul', not 'sample.matmul'"),
        ({"reasons": (Borrowed,)}, "the code RLX-F999 of 'taken' needs a prefix of its own"),
        ({"reasons": (Lower,)}, "the code rlx-F001 of 'taken' needs a prefix of its own"),
        ({"reasons": (Twice,)}, "the code TWICE-F001 of 'second' is that of 'first' already"),
        ({"reasons": (SampleReason, Again)}, "the code SAMPLE-F001 of 'taken' is that of 'not-a-square' already"),
        ({"reasons": (Bare,)}, "reasons: BLANK must have a code, a title and a text"),
        ({"reasons": (3,)}, "reasons: 3 is not derived from CodedReason"),
        ({"reasons": SampleReason}, "must be a tuple of enumerations derived from CodedReason"),
        ({"universe": None}, "universe = None: must be a Universe of xDSL"),
        ({"rows": ("x",)}, "rows: 'x' is no Row"),
        ({"rows": Row(FUSE, after=PLACE)}, "must be a tuple of Rows"),
        ({"rows": (Row("", after=PLACE),)}, "a row has the name '', which is no pass"),
        ({"rows": (Row(FUSE, options="dtypes", after=PLACE),)}, "options = 'dtypes': must be a tuple of texts"),  # pyright: ignore[reportArgumentType]  # wrong
        ({"rows": (Row(FUSE, "MatMul", after=PLACE),)}, "when = 'MatMul': must be a condition such as claims(..)"),  # pyright: ignore[reportArgumentType]  # wrong
        ({"kinds": ["x"]}, "kinds = ['x']: must map op kinds to the names of their ops"),
        ({"kinds": {"My Op": "sample.op"}}, "the op kind 'My Op' must be a word such as MyOp"),
        (
            {"kinds": {"MyOp": "op"}},
            "the op kind 'MyOp' needs the name of an op with its dialect, such as 'mine.my_op'",
        ),
        ({"targets": ("sample.toml",)}, "targets: 'sample.toml' is no Path of a TOML file"),
    ],
)
def test_what_does_not_join(change: dict[str, object], message: str):
    with pytest.raises(ExtensionError) as raised:
        register(replace(EXTENSION, **change))
    assert str(raised.value).startswith("extension 'rlx-sample': ")
    assert message in str(raised.value)
    assert extensions.installed() == ()


@pytest.mark.parametrize("change", [{"name": 3}, {"name": " "}, {"name": "a\nb", "universe": None}])
def test_names_that_are_none(change: dict[str, object]):
    with pytest.raises(ExtensionError, match=r"name = |universe = None") as raised:
        register(replace(EXTENSION, **change))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("wrong", ["x", None, EXTENSION.universe])
def test_what_is_no_extension(wrong: Extension):
    with pytest.raises(ExtensionError, match=r"^.* is no Extension$"):
        register(wrong)


def test_two_extensions_with_one_code():
    other = Extension("other", Universe(), reasons=(Again,))
    with registered(EXTENSION):
        with pytest.raises(ExtensionError, match="extension 'other': the code SAMPLE-F001 of 'taken' is that of"):
            register(other)
        with registered(Extension("other", Universe(), reasons=EXTENSION.reasons)):
            pass


def test_conditions_on_fields_that_are_not_there():
    with pytest.raises(
        ExtensionError, match=r"FusionFlags has no field 'fk_fussion'; did you mean 'fk_fusion'.*known: "
    ):
        option("fk_fussion")
    with pytest.raises(ExtensionError, match="FusionTarget has no field 'tea'; did you mean 'tee'"):
        of_target("tea")


def failing() -> NoReturn:
    raise RuntimeError("no\nluck")


def leaving() -> NoReturn:
    sys.exit("gone")


class Panic(BaseException):
    """What packages in Rust raise."""


def panicking() -> NoReturn:
    raise Panic("lost")


def fails(_: object) -> bool:
    raise KeyError("no\nluck")


@dataclass(frozen=True)
class Choosy(ModulePass):
    """A pass that does not take what the targets say."""

    name = FUSE

    dtypes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.dtypes:
            raise ValueError(f"no\n{self.dtypes[0]}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (Row(FUSE, Condition("luck", fails), before=PLACE), f"the condition 'luck' of '{FUSE}' fails: KeyError: "),
        (Row(FUSE, options=("dtypes",), before=PLACE), f"pass '{FUSE}' refuses its options: ValueError: no\\nf32"),
    ],
)
def test_what_fails_when_it_is_asked(row: Row, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "mine.mlir"
    path.write_text("builtin.module {}")
    with registered(Extension("rlx-sample", Universe(all_passes={FUSE: lambda: Choosy}), rows=(row,))):
        assert main(["--rlx-fusion=target=cpu", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"rlx-opt: error: {message}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("universe", "message"),
    [
        (Universe(all_passes={FUSE: failing}), f"the pass '{FUSE}' cannot be loaded: RuntimeError: no luck"),
        (Universe(all_passes={FUSE: leaving}), f"the pass '{FUSE}' cannot be loaded: SystemExit: gone"),
        (Universe(all_passes={FUSE: panicking}), f"the pass '{FUSE}' cannot be loaded: Panic: lost"),
        (Universe(all_passes={FUSE: lambda: 3}), f"what is loaded as the pass '{FUSE}' is no pass of that name"),  # pyright: ignore[reportArgumentType]  # wrong
        (
            Universe(all_passes={FUSE: RLX_UNIVERSE.all_passes["rlx-canonicalize"]}),
            f"what is loaded as the pass '{FUSE}' is no pass of that name",
        ),
        (Universe(all_passes={"cse": failing}), "'cse' is a name of xDSL or of another package"),
        (Universe(all_passes={"rlx-canonicalize": failing}), "'rlx-canonicalize' is a name of this package"),
        (Universe(all_dialects={"mine": failing}), "the dialect 'mine' cannot be loaded: RuntimeError: no luck"),
        (
            Universe(all_dialects={"mine": RLX_UNIVERSE.all_dialects["rlx"]}),
            "what is loaded as the dialect 'mine' is no dialect of that name",
        ),
    ],
)
def test_universes_that_do_not_load(
    universe: Universe, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    path = tmp_path / "mine.mlir"
    path.write_text('"mine.op"() : () -> ()')
    with registered(Extension("rlx-sample", universe)):
        assert main([f"--{FUSE}" if universe.all_passes else "--canonicalize", str(path)]) == 1
    error = capsys.readouterr().err
    tool = f"{path}:1:10: error" if universe.all_dialects else "rlx-opt: error"
    assert error.startswith(f"{tool}: extension 'rlx-sample': ")
    assert message in error.splitlines()[0]
