"""set_grad_enabled(True) inside ``with no_grad()``, then a break: grad mode must stay on."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["(True, True)", "(True, True)"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    def step(x):
        with torch.no_grad():
            torch.set_grad_enabled(True)
            torch._dynamo.graph_break()
            y = x * 2
            enabled = torch.is_grad_enabled()
        return y.requires_grad, enabled

    return step


def calls(fn):
    yield (torch.ones(2, requires_grad=True),)
    yield (torch.ones(2, requires_grad=True),)
