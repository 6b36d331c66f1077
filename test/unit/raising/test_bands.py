"""Bands of keys: read from flags, read from text, and said by an attention."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rlx_dialect.attributes import CompareKind
from rlx_dialect.builder import Graph
from rlx_dialect.ops import AttentionConfig
from rlx_passes.raising.attention_bands import Band, band_in, band_of
from rlx_passes.raising.attention_places import band_between
from rlx_passes.rewriting.evaluation import evaluated

BOUNDS = (None, *range(-5, 6))


@pytest.mark.parametrize("queries", [2, 3, 5])
@pytest.mark.parametrize("keys", [1, 3, 4])
def test_f26_a_band_is_said_by_an_attention_and_read_back(queries: int, keys: int):
    for low, high in product(BOUNDS, BOUNDS):
        band = Band(low, high)
        flags = band.flags(queries, keys)
        assert band.shows_a_key(queries, keys) == flags.any(1).all()
        config = band.reduced(queries, keys).config(AttentionConfig.make(1, 1), queries, keys)
        assert (config.window_left or 0) >= 0
        assert (config.window_right or 0) >= 0
        back = band_in(config, queries, keys)
        assert back is not None
        assert np.array_equal(back.flags(queries, keys), flags)
        read = band_of(flags)
        assert (read is None) == (not flags.any(1).all())
        assert read is None or np.array_equal(read.flags(queries, keys), flags)


def test_f26_what_is_no_band_is_none():
    assert band_of(np.array([[True, False, True], [True, True, True]])) is None
    assert band_of(np.array([[True, False], [True, False]])) is None
    assert band_of(np.array([[False, False], [True, False]])) is None


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("kind", CompareKind)
@pytest.mark.parametrize("shift", [-2, 0, 1])
@pytest.mark.parametrize("mirrored", [False, True])
def test_f26_a_comparison_of_places_is_the_band_that_it_shows(
    kind: CompareKind, shift: int, mirrored: bool, inverted: bool
):
    g = Graph()
    query = g.reshape(g.iota((5,), axis=0, dtype="i64"), (5, 1)) + shift
    key = g.transpose(g.iota((4, 1), axis=0, dtype="i64"), (1, 0))
    shown = g.compare(kind, key, query) if mirrored else g.compare(kind, query, key)
    flags = evaluated(shown.value)
    assert flags is not None
    band = band_between(shown.value, inverted)
    if band is None:
        assert (kind, inverted) in ((CompareKind.NE, False), (CompareKind.EQ, True))
    else:
        assert np.array_equal(band.flags(5, 4), flags != inverted)


def test_a_difference_of_unsigned_places_is_no_line():
    g = Graph()
    query, key = g.iota((5, 1), axis=0, dtype="ui32"), g.iota((1, 5), axis=1, dtype="ui32")
    shown = g.compare(CompareKind.LT, query - key, g.constant(np.array(3, np.uint32)))
    assert band_between(shown.value, False) is None
