"""What code generation leaves in a module."""

from typing import ClassVar

from xdsl.dialects.builtin import BytesAttr, StringAttr
from xdsl.irdl import BaseAttr, irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.declared import DeclaredOp


@irdl_op_definition
class ArtifactOp(DeclaredOp):
    """
    One file of a compiled program: its name in the bundle and its bytes.

    `rlx-emit` replaces the functions of a module by these, so that code generation is a pass like any other; the tool
    that ran the pipeline writes them out. The name is a plain file name: letters, digits, `.`, `_` and `-`.
    """

    name = "rlx.artifact"
    CHAPTER: ClassVar[str] = "program"

    file = prop_def(StringAttr)
    contents = prop_def(BaseAttr(BytesAttr) | BaseAttr(StringAttr))

    assembly_format = "$file $contents attr-dict"

    def __init__(self, file: str, contents: bytes):
        super().__init__(properties={"file": StringAttr(file), "contents": BytesAttr(contents)})

    @property
    def data(self) -> bytes:
        """The file's bytes. Text that is UTF-8 is read back as a string attribute."""
        contents = self.contents.data
        return contents if isinstance(contents, bytes) else contents.encode()

    def verify_(self) -> None:
        text = self.file.data
        if not text or text.startswith(".") or not all(c.isascii() and (c.isalnum() or c in "._-") for c in text):
            raise VerifyException(f"{self.name}: file must be a plain file name, got '{text}'")
