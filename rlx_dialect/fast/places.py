"""
Locations in files, of which every op may have its own: the same as the constructor gives, without its checks of what it
is given, which take longer than all else.
"""

from functools import lru_cache

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

_file, _number = lru_cache(16)(StringAttr), lru_cache(1024)(IntAttr)
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
