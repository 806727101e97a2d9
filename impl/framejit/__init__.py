"""framejit: a frame-evaluating compiler of Python closures to torch.fx graphs.

``compile`` is the way in.  A compiled function's frames, and those of the program's functions that
it calls, are traced (tracing), the operations on tensors captured as a graph (graph), what was
assumed guarded (guards), and code made that calls the graph (transforming), which the native core
runs in place of the frame's own from then on.
"""

from __future__ import annotations

from framejit.api import compile, graph_break, on_code, reset
from framejit.asking import Answer, ask
from framejit.compiler import Compiled, Skipped, listeners
from framejit.explaining import Explanation, explain

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Compiled",
    "Explanation",
    "Skipped",
    "ask",
    "compile",
    "explain",
    "graph_break",
    "listeners",
    "on_code",
    "reset",
]
