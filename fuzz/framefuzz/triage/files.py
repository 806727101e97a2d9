"""Files and folders that appear whole or not at all, whenever the process or the disk gives out.

What is written goes to a temporary name in the folder where it shall stand, reaches the disk, and
is renamed.  ``tidy`` removes, after a kill, what never got its name.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

_UNFINISHED = ".unfinished-"
_REPLACED = ".replaced-"


def write_file(path: Path, text: str) -> None:
    """Write a text file that afterwards is on disk whole; raises OSError and leaves the old one."""
    unfinished = path.parent / (_UNFINISHED + path.name)
    try:
        _write_durably(unfinished, text)
        unfinished.rename(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write a new folder of text files, on disk and whole once this returns.

    Raises OSError, leaving nothing, if the disk is full or ``folder`` exists.
    """
    unfinished = folder.parent / (_UNFINISHED + folder.name)
    try:
        unfinished.mkdir()
        for name, text in files.items():
            _write_durably(unfinished / name, text)
        sync_folder(unfinished)
        unfinished.rename(folder)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    sync_folder(folder.parent)


def move_folder(source: Path, target: Path) -> None:
    """Rename a folder to ``target``, taking the place of one that stands there.

    A kill in between leaves the old one under a name from which ``tidy`` brings it back.
    """
    replaced = target.parent / (_REPLACED + target.name)
    if target.exists():
        target.rename(replaced)
    source.rename(target)
    sync_folder(target.parent)
    sync_folder(source.parent)
    shutil.rmtree(replaced, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder such that it is never seen with a part of its files."""
    doomed = folder.parent / (_UNFINISHED + folder.name)
    if folder.exists():
        folder.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)


def tidy(parent: Path) -> None:
    """Undo what a killed process had begun among the folders and files of ``parent``."""
    for left in sorted(parent.iterdir()):
        if left.name.startswith(_REPLACED):
            target = parent / left.name.removeprefix(_REPLACED)
            if target.exists():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.rename(target)
        elif left.name.startswith(_UNFINISHED):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Bring a folder's own entries (new names, renames) to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_durably(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
