"""Under sys.settrace and sys.setprofile."""

import sys
import torch


def make():
    def f(x):
        y = x + 1
        print("a")
        return y * 2

    return f


def calls(fn):
    yield (torch.ones(2),)
    seen = []

    def tracer(fr, ev, arg):
        if fr.f_code.co_name == "f":
            seen.append(ev)
        return tracer

    sys.settrace(tracer)
    try:
        r = fn(torch.ones(2))
    finally:
        sys.settrace(None)
    print(r, seen[:1])
    prof = []
    sys.setprofile(lambda fr, ev, arg: prof.append(ev) if fr.f_code.co_name == "f" else None)
    try:
        fn(torch.ones(2))
    finally:
        sys.setprofile(None)
    print(prof)
    yield (torch.ones(2),)
