"""Chips by name: the numbers that schedules follow from."""

import pytest

from rlx_passes.core.errors import TargetError
from rlx_passes.pipeline.chip import chip, chips, nearest


@pytest.mark.parametrize("name", chips())
def test_numbers_of_a_chip_fit_together(name: str):
    found = chip(name)
    assert found.vector_bits in (128, 256, 512)
    assert found.registers >= 16
    assert found.l1 < found.l2 <= found.l3 or found.name in ("apple-m1", "sapphirerapids", "x86-64-v4")
    assert found.lanes(32) == 2 * found.lanes(64)


def test_rows_cover_other_names():
    assert chip("znver2") is chip("znver3")
    assert chip("haswell") is chip("x86-64-v3")
    assert chip("haswell").lanes(32) == 8


def test_the_host_has_a_row():
    assert chip("host") in chips().values()


def test_an_unknown_name_is_one_line():
    with pytest.raises(TargetError, match=r"^unknown chip 'znver9'; did you mean 'znver"):
        chip("znver9")


def test_code_for_an_unknown_chip_has_the_lowest_level_of_its_kind():
    assert nearest("x86_64-pc-linux-gnu:pentium-m") is chip("x86-64-v2")
    assert nearest("aarch64-unknown-linux-gnu") is chip("aarch64")
    assert nearest("x86_64-pc-linux-gnu:znver4") is chip("znver4")
