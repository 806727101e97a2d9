"""Which code an exception went through, without reading its source."""

from __future__ import annotations

import traceback
import types


def codes_of(error: BaseException) -> list[types.CodeType]:
    """The code objects of the traceback's frames, the outermost first."""
    return [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
