"""Globals and locals, written and deleted across breaks."""

import torch

G = 1


def make():
    def f(x, k):
        global G, H
        H = k
        y = x + G
        G += 1
        print(G, H)
        G = G + k
        del H
        try:
            H
        except NameError as e:
            print(e)
        t = 5
        del t
        try:
            t
        except UnboundLocalError as e:
            print(e)
        return y * G

    return f


def calls(fn):
    for k in range(3):
        yield (torch.ones(2), k)


def observe(fn):
    return G, "H" in globals()
