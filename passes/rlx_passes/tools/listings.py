"""What `--version`, `--show-dialects`, `--list-passes` and `--list-targets` print."""

import sys
from pathlib import Path

from rlx_passes import __version__


def version_line(tool: str) -> str:
    """The tool's version, and xDSL's."""
    return f"{tool} {__version__} (xdsl {_xdsl_version()})"


def _xdsl_version() -> str:
    """From the name of the folder that an installation leaves; `importlib.metadata` takes longer than all else here."""
    for place in sys.path:
        for folder in Path(place).glob("xdsl-*.dist-info"):
            return folder.stem.partition("-")[2]
    from importlib.metadata import version

    return version("xdsl")


def dialects() -> str:
    """The registered dialects on one line."""
    from rlx_passes.reading.dialects import tool_context

    return "Available Dialects: " + ", ".join(sorted(tool_context().registered_dialect_names))


def targets() -> str:
    """The targets that have a name, with their summaries."""
    from rlx_passes.pipeline.target import load_target, target_files

    return "\n".join(f"{name:8}{load_target(name).summary}" for name in target_files())


def passes() -> str:
    """The passes: this package's with summary and options, then the names of all others."""
    import inspect

    from rlx_passes.core.spec import options_of
    from rlx_passes.universe import RLX_UNIVERSE, all_passes

    lines: list[str] = []
    for name, factory in sorted(RLX_UNIVERSE.all_passes.items()):
        cls = factory()
        summary = (inspect.getdoc(cls) or "").strip().split("\n\n")[0].replace("\n", " ")
        lines += [f"{name}", f"    {summary}"]
        if keys := options_of(cls):
            lines.append(f"    options: {', '.join(keys)}")
    others = sorted(name for name in all_passes() if name not in RLX_UNIVERSE.all_passes)
    return "\n".join([*lines, "", "from xDSL and other packages:", "    " + ", ".join(others)])
