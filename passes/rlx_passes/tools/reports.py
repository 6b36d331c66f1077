"""`--report` and `--report-file`: the report of a run, as text or JSON, to standard error or a file."""

import argparse
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rlx_passes.core.errors import UsageError
from rlx_passes.tools.output import STDOUT, check_output, write_output

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from rlx_passes.reading.diagnostics import Place
    from rlx_passes.report.model import Report
    from rlx_passes.report.places import Origin
    from rlx_passes.report.recording import Recording

    SourceLine = Callable[[Place], str | None]

FORMATS = ("text", "json")


def add_report(parser: argparse.ArgumentParser) -> None:
    """`--report[=text|json]` and `--report-file`."""
    parser.add_argument(
        "--report",
        choices=FORMATS,
        help="what the run fused, what it did not and why, on standard error: `text` (default) or `json`",
    )
    parser.add_argument(
        "--report-file",
        metavar="FILE",
        help="the report goes there instead; a name that ends in .json is enough to ask for JSON",
    )


@dataclass
class Reports:
    """The reports of a tool's run, one for each program, and where they go."""

    form: str = "text"
    path: str = ""
    several: bool = False
    target: str = ""
    """That of the run, where its passes do not name it."""
    made: "list[Report]" = field(default_factory=list["Report"])

    @staticmethod
    def of(flags: argparse.Namespace, *others: str, several: bool = False, target: str = "") -> "Reports | None":
        """
        From the flags, or the variable RLX_FUSION_REPORT; None where nobody asks. `others` are files that are written
        as well. Raises `InputError` for a file that cannot be written, `UsageError` for one that would be lost.
        """
        from rlx_passes.switches.environment import flag
        from rlx_passes.switches.variables import REPORT

        path = flags.report_file or ""
        if flags.report_file is not None:
            if path in ("", STDOUT):
                raise UsageError("--report-file needs a file; without it the report goes to standard error")
            check_output(path)
            if path in others:
                raise UsageError(f"{path}: is given as --report-file and as another output, and one would be lost")
        if not (flags.report or path or flag(REPORT)):
            return None
        return Reports(flags.report or ("json" if path.endswith(".json") else "text"), path, several, target)

    @contextmanager
    def watching(self, module: "ModuleOp", asked: "Sequence[ModulePass]") -> "Generator[Recording]":
        """Record the passes that run in a `with` block."""
        from rlx_passes.pipeline.reports import recording_for, recording_of

        recording = recording_for(self.target) if self.target else recording_of(asked)
        with recording.watching(module):
            yield recording
        self.made.append(recording.report())

    def write(self, source_line: "SourceLine") -> None:
        """Print or write the reports; on a terminal each miss stands above its line of the source."""
        text = self._json() if self.form == "json" else self._text(source_line)
        if self.path:
            write_output(self.path, text)
        else:
            sys.stderr.write(text)

    def _json(self) -> str:
        import json

        found = [report.to_json() for report in self.made]
        return f"{json.dumps(found if self.several else found[0] if found else None, indent=1)}\n"

    def _text(self, source_line: "SourceLine") -> str:
        from rlx_passes.report.text import no_excerpt

        def excerpt(origin: "Origin") -> str:
            return excerpt_of(origin, source_line)

        show = no_excerpt if self.path or not sys.stderr.isatty() else excerpt
        return "".join(f"{report.text(show)}\n" for report in self.made)


def excerpt_of(origin: "Origin", source_line: "SourceLine") -> str:
    """The line of the source at a place, with a caret below, or nothing where it is not at hand."""
    from rlx_passes.reading.diagnostics import Diagnostic, Place

    if not origin.file:
        return ""
    rendered = Diagnostic("remark", "", Place(origin.file, origin.line, origin.column)).render(source_line)
    return rendered.partition("\n")[2]
