"""Operations on tensors that return what they were given."""

import torch
import torch.nn.functional as F


def make():
    def f(x):
        a = x.contiguous() is x
        b = x.to(torch.float32) is x
        c = F.dropout(x, 0.5, False) is x
        d = x.float() is x
        e = x.add_(1) is x
        g = torch.add(x, 1, out=x) is x
        h = x.expand_as(x) is x
        i = x.squeeze() is x
        j = x.view_as(x) is x
        k = x.clone() is x
        l = torch.relu_(x) is x
        m = x.type_as(x) is x
        n = x[:] is x
        o = torch.broadcast_tensors(x, x)[0] is x
        p = x.reshape(-1) is x
        q = torch.atleast_1d(x) is x
        r = x.cpu() is x
        s = torch.as_tensor(x) is x
        t = x.real is x
        u = x.detach() is x
        v = x.conj() is x
        w = x.positive() is x
        return (
            a,
            b,
            c,
            d,
            e,
            g,
            h,
            i,
            j,
            k,
            l,
            m,
            n,
            o,
            p,
            q,
            r,
            s,
            t,
            u,
            v,
            w,
            +x is x,
            x.flatten() is x,
        )

    return f


def calls(fn):
    yield (torch.ones(2),)
