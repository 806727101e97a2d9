"""Every way to set the grad mode, across breaks."""

import torch


def make():
    def f(x, k):
        with torch.no_grad():
            a = x * 2
            with torch.enable_grad():
                b = x * 3
            if k:
                print("brk")
            c = x * 4
        d = x * 5
        torch.set_grad_enabled(False)
        e = x * 6
        torch.set_grad_enabled(True)
        with torch.inference_mode():
            g = x * 7

        @torch.no_grad()
        def h(v):
            return v * 8

        with torch.autocast("cpu", dtype=torch.bfloat16):
            m = x.view(1, -1) @ x.view(-1, 1)
        with torch.set_grad_enabled(k):
            n = x * 9
        return (
            [t.requires_grad for t in (a, b, c, d, e, g, h(x), m, n)],
            m.dtype,
            torch.is_grad_enabled(),
        )

    return f


def calls(fn):
    yield (torch.ones(2, requires_grad=True), False)
    yield (torch.ones(2, requires_grad=True), True)
