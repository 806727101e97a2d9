"""Coroutines and generators beside a compiled function."""

import asyncio
import torch


def make():
    async def co(x):
        y = x + 1
        await asyncio.sleep(0)
        return y * 2

    def gen(x):
        for i in range(3):
            y = x + i
            yield y

    def f(x):
        a = asyncio.run(co(x))
        b = list(gen(x))
        g = gen(x)
        next(g)
        print("x")
        return a + sum(b) + next(g), g

    return f


def calls(fn):
    yield (torch.ones(2),)
