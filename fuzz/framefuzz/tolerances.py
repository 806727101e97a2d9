"""The differences that are no divergence: one named rule each, all of which can be switched off.

Eager CPython is right; a tolerance says where a compiler may differ from it all the same.
``framefuzz check --strict NAME`` switches one off, ``--strict all`` every one.
"""

from __future__ import annotations

TOLERANCES: dict[str, str] = {
    "torch-runtime-error": (
        "An operator raised a RuntimeError under eager, the compiler a TorchRuntimeError in the "
        "same call. Never when eager did not raise, or ran a raise statement of the program's."
    ),
    "from-user-code": (
        "An exception's text gains 'from user code' and the lines after it; what stands before "
        "must be the same."
    ),
    "compiler-context": (
        "An exception gains a __context__ or __cause__ that is the compiler's own exception."
    ),
    "compiler-globals": (
        "The program's module gains names that begin with two underscores or "
        "torch_dynamo_resume: resume functions, compiled graphs, modules that guards refer to. Or "
        "the name, with a number after it, of a function marked by assume_constant_result, whose "
        "result is kept there."
    ),
    "compiler-marks": (
        "A function, class, instance or tensor gains attributes that begin with _torchdynamo, "
        "_torch_dynamo, _dynamo, _is_torch_compile, __compiled or _framejit."
    ),
    "tracing-calls": (
        "In a program that defines __hash__, __getattr__ or __getattribute__, and of which "
        "something was compiled: an int is larger, a list or the output has further items or "
        "lines between eager's. Tracing calls such methods, and the program may note it."
    ),
    "fresh-identity": (
        "A recompile in an unchanged state is accepted if a guard that failed compares the "
        "identity of an object, which the program may have made anew. STEADY is not affected."
    ),
    "printed-equality": (
        "A guard printed as X == constant also checks the type of X: an evaluation of the "
        "printed text does so too."
    ),
    "inexact-bits": (
        "Backends that generate their own kernels (inductor, aot_eager) may round differently: "
        "elements must agree within torch.testing's tolerances for their dtype."
    ),
}

ALL: frozenset[str] = frozenset(TOLERANCES)
