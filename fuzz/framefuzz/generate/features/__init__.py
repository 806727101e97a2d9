"""The language features, one function each, grouped a concept a file.

To add one, write its function in the file whose concept it belongs to, under ``@feature(...)``
(framefuzz.generate.registry), and a test in tests/generate/.  A new concept is a new file here,
named in MODULES.
"""

from importlib import import_module

# In the order in which features are offered: the simplest first, where shrinking ends.
MODULES = (
    "arithmetic",
    "breaks",
    "nonlocals",
    "siblings",
    "scalars",
    "strings",
    "containers",
    "control",
    "contexts",
    "exceptions",
    "iterators",
    "tensors",
    "functions",
    "classes",
    "protocols",
    "changes",
)

for module in MODULES:
    import_module(f"{__name__}.{module}")
