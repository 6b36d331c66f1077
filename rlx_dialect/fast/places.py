"""
Locations in files, of which every op may have its own, and what becomes of them where ops are fused: the same as the
constructors give, without their checks of what they are given, which take longer than all else.
"""

from collections.abc import Iterable
from functools import lru_cache

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, FusedLoc, IntAttr, LocationAttr, NoneAttr, StringAttr

_file, _number, _none = lru_cache(16)(StringAttr), lru_cache(1024)(IntAttr), NoneAttr()
_set = object.__setattr__


def place_in(file: str, line: int, column: int) -> FileLineColLoc:
    """The location of a line and column, from one."""
    number = object.__new__(IntAttr)
    _set(number, "data", line)
    result = object.__new__(FileLineColLoc)
    _set(result, "filename", _file(file))
    _set(result, "line", number)
    _set(result, "column", _number(column))
    return result


def fused(places: Iterable[LocationAttr]) -> FusedLoc:
    """One location of several."""
    array = object.__new__(ArrayAttr)
    _set(array, "data", tuple(places))
    result = object.__new__(FusedLoc)
    _set(result, "locations", array)
    _set(result, "metadata", _none)
    return result
