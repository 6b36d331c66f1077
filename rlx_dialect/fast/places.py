"""Locations in files, of which every op may have its own."""

from functools import lru_cache

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

_file, _number = lru_cache(16)(StringAttr), lru_cache(1024)(IntAttr)


def place_in(file: str, line: int, column: int) -> FileLineColLoc:
    """
    The same as the constructor gives, without its check of the types of what it is given, which takes longer than all
    else.
    """
    result = object.__new__(FileLineColLoc)
    object.__setattr__(result, "filename", _file(file))
    object.__setattr__(result, "line", IntAttr(line))
    object.__setattr__(result, "column", _number(column))
    return result
