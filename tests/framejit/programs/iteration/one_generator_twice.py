"""One generator reached in several ways, partly consumed."""

import torch


def make():
    log = []

    def gen(n):
        for i in range(n):
            log.append(i)
            yield i
        log.append("end")
        return "r"

    def f(x):
        g = gen(3)
        z = zip(g, g)
        a = next(z)
        h = gen(3)
        b = [v for v, _ in zip(h, "a")]
        c = list(h)
        e = enumerate(gen(4), 5)
        d = next(e)
        print(list(e), list(z))
        k = gen(2)
        l = (v * 2 for v in k)
        m = next(l)
        k2 = next(k)
        print(next(k, "none"), list(l))

        def outer():
            r = yield from gen(2)
            log.append(r)
            yield r

        return x + a[0] + d[0], b, c, m, k2, list(outer()), any(v > 0 for v in gen(5)), log

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
