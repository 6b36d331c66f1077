"""Pipeline strings: what parses, what is refused and how, and that printing and parsing undo each other."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from rlx_passes.core.errors import PipelineError
from rlx_passes.core.spec import PassSpec, parse_pipeline, parse_spec, print_pipeline
from rlx_passes.registry.instantiate import create_pass, spec_of


@dataclass(frozen=True)
class SamplePass(ModulePass):
    """One option of every kind."""

    name = "sample-pass"

    text: str = "a"
    number: int = 1
    ratio: float = 0.5
    flag: bool = False
    maybe: int | None = None
    tri_state: bool | None = None
    words: tuple[str, ...] = ("x",)
    choice: Literal["one", "two"] = "one"
    from_: str = ""

    seen: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        return


REGISTRY: dict[str, Callable[[], type[ModulePass]]] = {"sample-pass": lambda: SamplePass}


def sample(text: str) -> ModulePass:
    return create_pass(parse_spec(text), REGISTRY)


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("a,b{x=1},c", "a,b{x=1},c"),
        ("builtin.module(a,b)", "a,b"),
        ("builtin.module( a , builtin.module(b) , c )", "a,b,c"),
        ("", ""),
        ("builtin.module()", ""),
        ("a{ x_y=1   z=p,q }", "a{x-y=1 z=p,q}"),
        ('a{x="gfx942:sramecc+"}', 'a{x="gfx942:sramecc+"}'),
        ("a{x=gfx942:sramecc+}", 'a{x="gfx942:sramecc+"}'),
        ("a{x}", "a{x}"),
        ("a{x=}", "a{x=}"),
        ('a{x="needless"}', "a{x=needless}"),
        ("a{}", "a"),
        ("mlir-opt[canonicalize,cse{a=b}]", "mlir-opt[canonicalize,cse{a=b}]"),
    ],
)
def test_parses_to(text: str, flat: str):
    assert print_pipeline(parse_pipeline(text)) == flat


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("a,func.func(b)", "'func.func' cannot hold a pipeline", 2),
        ("a{x=1, y=2}", "expected a value", 6),
        ("a{x=1", "expected a space or `}`", 5),
        ("a b", "expected `,` or the end", 2),
        ("a,,b", "expected the name of a pass", 2),
        ("builtin.module(a", "expected `,` or `)`", 16),
        ("builtin.module", "expected `(`", 14),
        ("a{x=1 x=2}", "option 'x' is given twice", 6),
        ("a[b]", "only `mlir-opt`", 1),
        ('a{x="b}', "this cannot stand here", 4),
    ],
)
def test_refuses(text: str, message: str, column: int):
    with pytest.raises(PipelineError) as raised:
        parse_pipeline(text)
    first, shown, caret = str(raised.value).split("\n")
    assert message in first
    assert shown == f"  {text}"
    assert caret == "  " + " " * column + "^"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sample-pass", SamplePass()),
        (
            "sample-pass{number=-3 ratio=1e-5 flag words=a,b}",
            SamplePass(number=-3, ratio=1e-5, flag=True, words=("a", "b")),
        ),
        ("sample-pass{text=9}", SamplePass(text="9")),
        ("sample-pass{text=true}", SamplePass(text="true")),
        ("sample-pass{tri-state=false maybe=4}", SamplePass(tri_state=False, maybe=4)),
        ("sample-pass{tri_state}", SamplePass(tri_state=True)),
        ("sample-pass{words=}", SamplePass(words=())),
        ("sample-pass{choice=two from=b}", SamplePass(choice="two", from_="b")),
    ],
)
def test_options_by_type(text: str, expected: SamplePass):
    made = sample(text)
    assert made == expected
    for explicit in (True, False):
        assert create_pass(spec_of(made, explicit=explicit), REGISTRY) == made


@dataclass(frozen=True)
class ChangedPass(SamplePass):
    """The sample as a later version may have it, with other defaults."""

    text: str = "b"
    number: int = 2
    ratio: float = 0.25
    flag: bool = True
    words: tuple[str, ...] = ()
    choice: Literal["one", "two"] = "two"


def test_the_text_does_not_lean_on_defaults():
    made = SamplePass(number=7)
    assert str(spec_of(made, explicit=False)) == "sample-pass{number=7}"
    assert str(spec_of(made)) == "sample-pass{text=a number=7 ratio=0.5 flag=false words=x choice=one}"
    later = create_pass(spec_of(made), {"sample-pass": lambda: ChangedPass})
    assert isinstance(later, ChangedPass)
    assert asdict(later) == asdict(made)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sample-pass{number=x}", "option 'number' of pass 'sample-pass' takes an integer, not 'x'"),
        ("sample-pass{number=1,2}", "takes an integer, not '1,2'"),
        ("sample-pass{number}", "takes an integer, not nothing"),
        ("sample-pass{flag=maybe}", "takes true or false, not 'maybe'"),
        ("sample-pass{choice=tow}", "takes one of one, two, not 'tow'; did you mean 'two'?"),
        ("sample-pass{numbr=1}", "pass 'sample-pass' has no option 'numbr'; did you mean 'number'?"),
        ("sampel-pass", "unknown pass 'sampel-pass'; did you mean 'sample-pass'?"),
    ],
)
def test_wrong_options(text: str, message: str):
    with pytest.raises(PipelineError) as raised:
        sample(text)
    assert message in str(raised.value)


def test_required_option():
    @dataclass(frozen=True)
    class Needs(ModulePass):
        name = "needs"
        target: str

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            return

    with pytest.raises(PipelineError, match="pass 'needs' needs the option 'target'"):
        create_pass(PassSpec("needs"), {"needs": lambda: Needs})


passes = st.builds(
    SamplePass,
    text=st.text(),
    number=st.integers(),
    ratio=st.floats(allow_nan=False),
    flag=st.booleans(),
    maybe=st.none() | st.integers(),
    tri_state=st.none() | st.booleans(),
    words=st.lists(st.text()).map(tuple),
    choice=st.sampled_from(["one", "two"]),
    from_=st.text(),
)


@given(st.lists(passes, max_size=3))
def test_printing_and_parsing_undo_each_other(made: list[SamplePass]):
    text = print_pipeline(map(spec_of, made))
    assert [create_pass(spec, REGISTRY) for spec in parse_pipeline(text)] == made


def test_stock_xdsl_reads_what_is_printed():
    made = SamplePass(text="gfx942:sramecc+", ratio=1e-5, words=("a", "b-c"), flag=True)
    assert PassPipeline.parse_spec(REGISTRY, str(spec_of(made))).passes == (made,)
