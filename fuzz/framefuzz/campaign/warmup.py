"""What a fork server runs before its first child, so that no child has to do it again.

Much of what a process does in its first compiles it does once: caches fill, tables are built,
CPython specializes torch's own bytecode.  What the server has done, its children inherit.
"""

from __future__ import annotations

from framefuzz.case import Case

# A compile, a graph break, a resume function, a guard that fails, a recompile with a dynamic int.
BRIEF = Case(
    "warm",
    '''"""Warm-up."""
import torch

def make():
    count = 0
    def step(x, k):
        nonlocal count
        count += k
        torch._dynamo.graph_break()
        return x * 2 + count
    return step

def calls(fn):
    for k in (1, 2, 3):
        yield (torch.ones(2), k)
''',
    "warm.py",
)

_SCALARS = Case(
    "warm_scalars",
    '''"""Dynamic numbers, branches, loops, output, exceptions."""
import math
import torch

def make():
    count, scale, name = 0, 1.5, "n"
    @torch._dynamo.disable
    def outside(v):
        return v
    def helper(t, k):
        nonlocal count
        count += 1
        for j in range(2):
            t = t + j * k
        torch._dynamo.graph_break()
        return t.sum(), [t, k]
    def step(x, k, s):
        nonlocal scale
        total, parts = helper(x, k)
        print("got", k, f"{scale:>4}", name * 2)
        if total.item() > 3:
            total = total + math.floor(scale) // 2
        try:
            y = x.reshape(-1)[k:] * s if k < 3 else x.view(1, -1).max(dim=1).values
        except (ValueError, IndexError) as error:
            y = x - len(str(error))
        finally:
            scale = scale * s + k
        y = outside(y)
        with torch.no_grad():
            z = torch.cat([y, parts[0]]).to(torch.float64)
            outside(z)
            z = z * 2
        if isinstance(scale, float) and scale > 2:
            raise KeyError(name, count)
        return z, count, int(scale) % 5, min(k, s), -k if k else abs(s)
    return step

def calls(fn):
    yield (torch.ones(3), 1, 0.5)
    yield (torch.ones(4, requires_grad=True), 2, 1.5)
''',
    "warm_scalars.py",
)

_CONTAINERS = Case(
    "warm_containers",
    '''"""Lists, dicts, sets, generators, iterators, classes, captured and changed."""
import collections
import dataclasses
import functools
import torch

@dataclasses.dataclass
class Point:
    a: int
    b: float = 0.5

class Meter:
    base = 2
    def __init__(self, log):
        self.log = log
    @property
    def size(self):
        return len(self.log) + self.base

Pair = collections.namedtuple("Pair", "a b")
LEVEL = 2

def make():
    log, table, queue, seen = [], {"b": 1, "a": 2.0}, collections.deque([1, 2], maxlen=4), {1, 2}
    meter, point, ready = Meter(log), Point(1), False
    def numbers(n):
        for i in range(n):
            yield i * LEVEL
    def read():
        return point.a + len(table)
    def step(x, *rest, k=1, **more):
        nonlocal ready
        items = [v for v in numbers(3) if v != 1]
        table["c"] = read()
        table.update(k=k, **more)
        x = x + meter.size
        torch._dynamo.graph_break()
        queue.append(len(items)); seen.add(k); log.extend(sorted(table))
        a, *others = zip(items, reversed(items))
        pair = Pair(x, k)._replace(b=2)
        point.b += dataclasses.replace(point, a=2).a
        total = functools.reduce(lambda p, q: p + q, map(float, items), 0.0)
        for i, (key, value) in enumerate(table.items()):
            if i == 1:
                log.append((key, value, any(seen), max(queue)))
                break
        it = iter(items)
        first = next(it)
        ready = not ready
        return torch.stack([pair.a, x * total]), others, list(it), dict(table)
    return step

def calls(fn):
    global LEVEL
    yield (torch.ones(2),)
    yield (torch.ones(2), 1)
    LEVEL = 3
    fn.__kwdefaults__["k"] = 2
    yield (torch.zeros(2), 1)
    yield (torch.zeros(3, dtype=torch.float64), 1, 2)
''',
    "warm_containers.py",
)

RICH = (BRIEF, _SCALARS, _CONTAINERS)
