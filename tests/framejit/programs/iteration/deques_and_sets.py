"""Deques, sets, ordered and default dicts."""

import collections
import torch


def make():
    def f(x, dq, st, od):
        dq.append(1)
        dq.appendleft(2)
        dq.rotate(1)
        a = dq.pop()
        b = dq.popleft()
        st.add(9)
        st.discard(1)
        st |= {4}
        st &= {4, 9, 2}
        st -= {2}
        u = st | {1}
        w = st ^ {9}
        od["z"] = 1
        od.move_to_end("a")
        od.popitem(last=False)
        dd = collections.defaultdict(list)
        dd["q"].append(x)
        cn = collections.Counter("aab")
        return x + a, dq, b, st, sorted(u), sorted(w), od, dd, cn["a"], frozenset([1]) <= u

    return f


def calls(fn):
    yield (torch.ones(2), collections.deque([5, 6], 3), {1, 2}, collections.OrderedDict(a=1, b=2))
    yield (torch.ones(2), collections.deque([5]), {1, 2, 3}, collections.OrderedDict(b=1, a=2))
