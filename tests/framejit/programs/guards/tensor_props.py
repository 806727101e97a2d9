"""Layout, dtype, requires_grad, class and modes of a tensor change."""

import torch


class T(torch.Tensor):
    pass


def make():
    w = torch.nn.Parameter(torch.ones(2))

    def f(x):
        y = x * 2 + 1
        return (
            y,
            y.requires_grad,
            y.is_contiguous(),
            x.dtype,
            isinstance(x, torch.nn.Parameter),
            type(x).__name__,
            y.stride(),
            torch.is_grad_enabled(),
            torch.get_default_dtype(),
            torch.ones(1),
        )

    return f


def calls(fn):
    a = torch.ones(2, 2)
    yield (a,)
    yield (a.t(),)
    yield (torch.ones(2, 3).t(),)
    yield (torch.ones(4, 2)[::2],)
    yield (a.double(),)
    yield (a.clone().requires_grad_(),)
    with torch.no_grad():
        yield (a.clone().requires_grad_(),)
    with torch.inference_mode():
        yield (torch.ones(2, 2),)
    yield (torch.nn.Parameter(a),)
    yield (a.as_subclass(T),)
    torch.set_default_dtype(torch.float64)
    try:
        yield (a,)
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        yield (a,)
    yield (torch.tensor(3.0),)
    yield (torch.ones(0),)
    yield (a.to_sparse(),)
    yield (torch.view_as_complex(torch.ones(2, 2)).conj(),)
