"""What an observation of a module of the program's own leaves out, and what it does not."""

from __future__ import annotations

import torch
from describe import edges, node


def test_hooks_without_their_numbers() -> None:
    def described() -> object:
        module = torch.nn.Linear(1, 1)
        module.register_forward_hook(print)
        return [(edge, part.kind) for edge, part in edges(node(module))["._forward_hooks"].parts]

    first = described()
    torch.nn.Linear(1, 1).register_forward_hook(print)
    assert described() == first
