"""After a break, a handler long enough for EXTENDED_ARG, in a try with a finally."""

import types

import torch

ORIGIN = "found by framefuzz"
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
]
RIGHT_OBSERVED = ["[]", "[]", "['tried', 'ended']"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "survival"}}


def make():
    state = types.SimpleNamespace(log=[], verbose=True)

    def step(x, skip):
        x = x + 1
        torch._dynamo.graph_break()
        if skip:
            pass
        else:
            try:
                state.log.append("tried")
            except ValueError as error:
                if state.verbose:
                    state.log.append("one")
                    state.log.append("two")
                    state.log.append("three")
                    state.log.append("four")
                    state.log.append("five")
                    state.log.append("six")
                    state.log.append("seven")
                    state.log.append("eight")
                    state.log.append("nine")
                    state.log.append("ten")
                    state.log.append("eleven")
                    state.log.append("twelve")
                    return error
            finally:
                state.log.append("ended")
        return x

    return step


def calls(fn):
    for skip in (True, True, False):
        yield torch.ones(2), skip


def observe(fn):
    return fn.__closure__[0].cell_contents.log
