"""Breaks in try, except, else and finally, nested, in a loop."""

import torch
import framejit


def make():
    def f(x, k):
        out = []
        for i in range(3):
            try:
                y = x + i
                framejit.graph_break()
                if k == i:
                    raise ValueError(i)
                if k == 5:
                    return y, out
                if k == 6:
                    continue
                if k == 7:
                    break
            except ValueError as e:
                out.append(str(e))
                print("handler", e)
                try:
                    z = y * 2
                    print("inner")
                    if k == 1:
                        {}[1]
                except KeyError as e2:
                    print("key", e2, type(e2.__context__).__name__)
                    z = y
                else:
                    out.append("else")
                out.append(z)
            else:
                out.append("outer else")
            finally:
                print("finally", i)
                x = x + 1
                out.append(x)
        return x, out

    return f


def calls(fn):
    for k in (0, 1, 2, 3, 5, 6, 7):
        yield (torch.ones(2), k)
