"""framefuzz: a differential fuzzer for compilers that replace CPython's frame evaluation."""

__version__ = "0.1.0"
