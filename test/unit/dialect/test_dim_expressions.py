"""Expressions of sizes: what they print as, what they come to, and that they mean what Python's integers mean."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlx_dialect.dims import Atom, Dim, Size, Symbol, Undecided, at_least, equal, larger, product, smaller, substituted

NAMES = ("k", "m", "n")
K, M, N = (Dim.of(Symbol(name)) for name in NAMES)

TEXTS: list[tuple[Size, str]] = [
    (N, "n"),
    (2 * N + 1, "2*n + 1"),
    (1 - N, "-n + 1"),
    (N - M, "-m + n"),
    (N * N * M - 3, "m*n*n - 3"),
    (N // 2, "(n // 2)"),
    ((N + 1) // 2 * 3, "3*((n + 1) // 2)"),
    (N // (M + 1), "(n // (m + 1))"),
    (8 // N, "(8 // n)"),
    (larger(N - 2, 0), "max(0, n - 2)"),
    (smaller(N, M) + 4, "min(m, n) + 4"),
]


@pytest.mark.parametrize(("size", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_text(size: Size, text: str):
    assert str(size) == text


EQUAL: list[tuple[Size, Size]] = [
    ((4 * N + 6) // 4, N + N // 1 - N + (2 * 0 + 1)),
    ((N - 3) // 2 + 2, (N + 1) // 2),
    (6 * N // 4, 3 * N // 2),
    ((2 * N + 1) // 2, N),
    ((2 * N + 1) // 4, N // 2),
    (-N // 2, N // 2 - N),
    ((N * M + 3) // M, N + 3 // M),
    (N % 1, 0),
    ((2 * N) % 2, 0),
    (larger(N, 0), N),
    (larger(N + 1, N), N + 1),
    (smaller(N + 1, N), N),
    (larger(M, N), larger(N, M)),
    (larger(3, 5), 5),
    (smaller(3, 5), 3),
]


@pytest.mark.parametrize(("a", "b"), EQUAL, ids=map(str, range(len(EQUAL))))
def test_one_form(a: Size, b: Size):
    assert a == b
    assert hash(a) == hash(b)


def test_what_could_be_negative_stays_in_a_quotient():
    assert (N * M - 3) // M != N + -3 // M


def test_substitution():
    assert substituted(N * M + N // 2, {Symbol("n"): 2 * M}) == 2 * M * M + M
    assert substituted(2 * N, {Symbol("n"): 3}) == 6
    assert substituted(larger(N, M), {Symbol("n"): 4, Symbol("m"): 7}) == 7
    assert N.evaluate({Symbol("n"): 5}) == 5
    with pytest.raises(KeyError, match="n"):
        N.evaluate({Symbol("m"): 2})


def test_atoms():
    size = N // (M + 1)
    assert isinstance(size, Dim)
    assert list(size.atoms()) == [size.atom(), Symbol("n"), Symbol("m")]


def test_the_atom_that_a_size_is():
    assert N.atom() == Symbol("n")
    assert [size.atom() for size in (2 * N, N * N, N + M) if isinstance(size, Dim)] == [None, None, None]


def test_comparisons_are_decided_where_all_runs_agree():
    assert N >= 0
    assert N + 1 > N
    assert not N + 1 <= N
    assert 2 * N >= N
    for undecided in (lambda: N > 3, lambda: N <= M):
        with pytest.raises(Undecided):
            undecided()


SIZES = st.recursive(
    st.integers(0, 9) | st.sampled_from(NAMES),
    lambda inner: st.tuples(st.sampled_from(("+", "-", "*", "//", "%", "max", "min")), inner, inner),
    max_leaves=8,
)
RUN = st.fixed_dictionaries({name: st.integers(0, 12) for name in NAMES})
Tree = int | str | tuple[str, "Tree", "Tree"]


def dim(tree: Tree) -> Size:
    if not isinstance(tree, tuple):
        return tree if isinstance(tree, int) else Dim.of(Symbol(tree))
    return applied(tree[0], dim(tree[1]), dim(tree[2]))


def number(tree: Tree, run: dict[str, int]) -> int:
    if not isinstance(tree, tuple):
        return tree if isinstance(tree, int) else run[tree]
    a, b = number(tree[1], run), number(tree[2], run)
    found = applied(tree[0], a, b)
    assert isinstance(found, int)
    return found


def applied(operator: str, a: Size, b: Size) -> Size:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//":
            return a // b
        case "%":
            return a % b
        case "max":
            return larger(a, b)
        case _:
            return smaller(a, b)


def nonnegative(tree: Tree, run: dict[str, int]) -> bool:
    """Sizes are: no part of a program makes another."""
    return number(tree, run) >= 0 and (not isinstance(tree, tuple) or all(nonnegative(each, run) for each in tree[1:]))


@settings(max_examples=400)
@given(tree=SIZES, run=RUN)
def test_an_expression_comes_to_what_integers_do(tree: Tree, run: dict[str, int]):
    values: dict[Atom, int] = {Symbol(name): size for name, size in run.items()}
    try:
        if not nonnegative(tree, run):
            return
        size = dim(tree)
        found = size if isinstance(size, int) else size.evaluate(values)
    except (ZeroDivisionError, Undecided):
        return
    assert found == number(tree, run)


@settings(max_examples=200)
@given(a=SIZES, b=SIZES, run=RUN)
def test_what_is_decided_holds_in_each_run(a: Tree, b: Tree, run: dict[str, int]):
    try:
        if not (nonnegative(a, run) and nonnegative(b, run)):
            return
        x, y = dim(a), dim(b)
    except (ZeroDivisionError, Undecided):
        return
    for decide, truth in ((equal, number(a, run) == number(b, run)), (at_least, number(a, run) >= number(b, run))):
        with suppress(Undecided):
            assert decide(x, y) == truth
    assert product([x, y]) == product([y, x])
