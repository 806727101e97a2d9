"""Attributes, methods, operators and subscripts of tensors."""

import torch


def make():
    def f(x, y):
        a, b = x.max(dim=0)
        s = x.sort().values
        t = torch.topk(x, 1)
        u = x.split(1)
        v, w = torch.chunk(x, 2)
        n = x.shape[0] * 2 + x.size(-1)
        z = torch.stack([x, x]).sum(dim=(0, 1))
        x2 = x.new_zeros(2)
        m = torch.cat([x, y], dim=-1) if y.dim() == 1 else None
        q = x.unsqueeze(0).expand(3, -1)
        r = x[None, :, None], x[x > 0], x[[0, 1]], x[torch.tensor([True, False])]
        e = torch.einsum("i,i->", x, x)
        g = (
            (x > 0).sum(),
            x.eq(1),
            x == y,
            x != 1,
            2**x,
            1 / x,
            3 - x,
            x // 2,
            x % 2,
            -x,
            ~(x > 0),
            x & x if x.dtype == torch.int64 else 0,
        )
        i = len(x), list(x), tuple(x.shape), x.shape == (2,), str(x.dtype), x.numel(), x.ndim
        h = x.__class__.__name__, isinstance(x, torch.Tensor), callable(x), type(x) is torch.Tensor
        return a, b, s, t, u, v, w, n, z, x2, m, q, r, e, g, i, h

    return f


def calls(fn):
    yield (torch.tensor([3.0, 1.0]), torch.ones(2))
    yield (torch.tensor([3.0, 1.0]), torch.ones(2))
    yield (torch.tensor([3.0, 1.0]), torch.tensor(1.0))
