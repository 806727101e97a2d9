"""Methods of lists."""

import torch


def make():
    def f(x, l):
        l.append(x)
        l.insert(0, "a")
        l.extend([1, 2])
        l.reverse()
        p = l.pop()
        q = l.pop(0)
        l.remove(1)
        i = l.index(5) if 5 in l[:1] else -1
        m = [3, 1, 2]
        m.sort()
        m.sort(reverse=True)
        n = sorted(m, key=lambda v: -v)
        l2 = l[::-1]
        l2[0:1] = [7, 8]
        del l2[0]
        l2 *= 2
        c = l.copy()
        c.clear()
        t = (1, 2) + tuple(m)
        t2 = t * 2
        for v in reversed(m):
            m[0] = v * 10
        return l, p, q, i, m, n, l2, c, t2, t.count(1), t.index(2), x + len(l)

    return f


def calls(fn):
    yield (torch.ones(2), [5])
    yield (torch.ones(2), [5, 6])
