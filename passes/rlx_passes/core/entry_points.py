"""The entry points of a group, of which there are hardly ever any. Python's own search takes longer than small runs."""

import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def entry_points_of(group: str) -> "Iterable[EntryPoint]":
    """What `importlib.metadata` finds; it is not loaded where no package can have any."""
    if "importlib.metadata" not in sys.modules and not may_offer(group):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=group)


def may_offer(group: str) -> bool:
    """
    Whether a file of entry points in the folders of `sys.path` has the name of the group.

    True where packages come from elsewhere, such as a zip file or a finder of somebody's own.
    """
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    places = [Path(place) for place in sys.path]
    if finders != [PathFinder] or any(map(Path.is_file, places)):
        return True
    return any(
        group.encode() in points.read_bytes()
        for place in places
        if place.is_dir()
        for package in place.iterdir()
        if package.name.lower().endswith("-info") and (points := package / "entry_points.txt").is_file()
    )
