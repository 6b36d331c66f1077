"""The folder of a bundle, written whole or not at all."""

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from rlx_passes.bundle.manifest import MANIFEST, Manifest, check_file_name, checked_entry
from rlx_passes.core.errors import BundleError


def write_bundle(path: Path | str, artefacts: Mapping[str, bytes]) -> None:
    """
    Write `artefacts`, file name to content, as the bundle folder `path`: whole, or not at all.

    A bundle that is there already is replaced. Raises `BundleError` for a name that is no plain file name, when there
    is no manifest among them, and as `check_replaceable` does.
    """
    path = Path(path)
    names = [check_file_name(name) for name in artefacts]
    if MANIFEST not in names:
        raise BundleError(f"a bundle needs a {MANIFEST}")
    manifest = replace(Manifest.from_json(artefacts[MANIFEST]), files=tuple(sorted(names)))
    check_replaceable(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise BundleError(f"cannot write beside {path}: {error.strerror}") from error
    try:
        for name, content in {**artefacts, MANIFEST: manifest.to_json().encode()}.items():
            (fresh / name).write_bytes(content)
        fresh.chmod(0o777 & ~_umask())
        _put_in_place(fresh, path)
    except OSError as error:
        raise BundleError(f"cannot write the bundle {path}: {error.strerror}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def check_replaceable(path: Path | str) -> None:
    """
    Raise `BundleError` when there is something at `path` that writing a bundle there would lose: anything but an empty
    folder, or a bundle with no other files than its manifest names.
    """
    path = Path(path)
    if "\0" in str(path):
        raise BundleError(f"{str(path)!r} is no path: it holds a NUL")
    while (there := _identity(path)) is not None:
        try:
            return _check_contents(path)
        except (BundleError, FileNotFoundError):
            # Somebody else may have replaced the bundle while it was looked at.
            if _identity(path) == there:
                raise


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file or folder from all others; None where there is none."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def _check_contents(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        raise BundleError(f"{path} exists and is not a bundle folder: choose another output or remove it")
    inside = list(path.iterdir())
    if inside and not (path / MANIFEST).is_file():
        raise BundleError(f"{path} is a folder without a {MANIFEST}, not a bundle: it is left as it is")
    if strange := sorted(each.name for each in inside if each.is_dir()):
        raise BundleError(f"{path} holds folders ({', '.join(strange[:3])}), which no bundle does: it is left as it is")
    if inside and (foreign := sorted({each.name for each in inside} - _file_names(path / MANIFEST))):
        raise BundleError(
            f"{path} holds files that its {MANIFEST} does not name ({', '.join(foreign[:3])}): "
            "it is left as it is; move them, or choose another output"
        )


def _file_names(manifest: Path) -> set[str]:
    """The files of the bundle with `manifest`, of whatever format, itself among them."""
    try:
        data: object = json.loads(manifest.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BundleError(f"{manifest} cannot be read ({error}): its folder is left as it is") from error
    if not isinstance(data, dict) or not {"format", "target", "entries", "files"} <= data.keys():
        raise BundleError(f"{manifest} is not that of a bundle: its folder is left as it is")
    return {MANIFEST, *map(str, checked_entry(cast(object, data), "files", list, MANIFEST))}


def _put_in_place(fresh: Path, path: Path) -> None:
    """
    Rename `fresh` to `path`; an older bundle moves away first, and comes back when the rename fails.

    Where others write the same bundle at the same time, the last of them stays.
    """
    while not _take_place(fresh, path):
        check_replaceable(path)
        old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
        try:
            path.rename(old)
        except OSError as error:
            old.rmdir()
            if isinstance(error, FileNotFoundError):
                continue  # somebody else moved it away
            raise
        try:
            done = _take_place(fresh, path)
        except BaseException:
            old.rename(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
        if done:
            return


def _take_place(fresh: Path, path: Path) -> bool:
    """Rename `fresh` to `path`, unless there is something; whether it did."""
    try:
        fresh.rename(path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@dataclass(frozen=True)
class Bundle:
    """A bundle folder that was read: its manifest, and its files on demand."""

    path: Path
    manifest: Manifest

    def file(self, name: str) -> Path:
        """Where the file `name` of the bundle is; raises `BundleError` when it is not there."""
        found = self.path / check_file_name(name)
        if not found.is_file():
            raise BundleError(f"the bundle {self.path} has no file '{name}', which its manifest names")
        return found

    def read(self, name: str) -> bytes:
        """The content of the file `name`."""
        return self.file(name).read_bytes()


def read_bundle(path: Path | str) -> Bundle:
    """Read the manifest of the bundle folder `path`; raises `BundleError` when it is none."""
    path = Path(path)
    if not path.is_dir():
        raise BundleError(f"{path} is not a bundle: no such folder")
    if not (path / MANIFEST).is_file():
        raise BundleError(f"{path} is not a bundle: it has no {MANIFEST}")
    try:
        return Bundle(path, Manifest.from_json((path / MANIFEST).read_bytes()))
    except BundleError as error:
        raise BundleError(f"{path}: {error}") from error
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
