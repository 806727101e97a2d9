"""The part of a case's source that a script needs, in the words of the case."""

from __future__ import annotations

import ast
from collections.abc import Collection

# Defined for framefuzz, or asked for by the oracle that objects.
OPTIONAL = frozenset({"observe", "STEADY", "CONFIG", "KW"})


def excerpt(source: str, needed: Collection[str] = ()) -> str:
    """The source without its docstring and without top-level definitions that nothing uses.

    What is left stands as it was written, comments and layout included.  Of OPTIONAL only the
    names in ``needed`` stay.  A definition is left out only where executing it does nothing but
    bind a name: imports, functions without decorators and defaults, names of lambdas, attributes
    and displays of constants.
    """
    tree = ast.parse(source)
    body = list(tree.body)
    if ast.get_docstring(tree) is not None:
        del body[0]
    while True:
        used = {"make", "calls", *needed}.union(*map(_mentioned, body))
        kept = [statement for statement in body if not _is_unused(statement, used)]
        if len(kept) == len(body):
            return _text(source, tree.body, kept)
        body = kept


def _mentioned(statement: ast.stmt) -> set[str]:
    """The names that a statement reads, and those that functions in it declare or write."""
    inside: ast.AST = statement.value if isinstance(statement, ast.Assign) else statement
    names: set[str] = set()
    for node in ast.walk(inside):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Global):
            names.update(node.names)
    return names


def _is_unused(statement: ast.stmt, used: Collection[str]) -> bool:
    names = _bound(statement)
    return bool(names) and not any(name in used for name in names)


def _bound(statement: ast.stmt) -> list[str]:
    """The names that a statement binds, if that is all it does."""
    match statement:
        case ast.Import(names) | ast.ImportFrom(names=names):
            # The harness needs torch; a future statement changes how the rest is compiled.
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                return []
            bound = [(alias.asname or alias.name).partition(".")[0] for alias in names]
            return [] if "torch" in bound or "*" in bound else bound
        case ast.FunctionDef(name, decorator_list=[], args=arguments):
            return [] if arguments.defaults or any(arguments.kw_defaults) else [name]
        case ast.Assign(targets=[ast.Name(name)], value=value) if _is_inert(value):
            return [name]
        case _:
            return []


def _is_inert(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.Lambda(args=ast.arguments(defaults=[], kw_defaults=[])):
            return True
        case ast.Name():
            return True
        case ast.Attribute(inner):
            return _is_inert(inner)
        case ast.List(items) | ast.Tuple(items):
            return all(map(_is_inert, items))
        case ast.Dict(keys, values):
            return all(key is not None and _is_inert(key) for key in keys) and all(
                _is_inert(item) for item in values
            )
        case _:
            return False


def _text(source: str, before: list[ast.stmt], kept: list[ast.stmt]) -> str:
    lines = source.split("\n")
    wanted = [True] * len(lines)
    keep = {id(statement) for statement in kept}
    for statement in before:
        if id(statement) not in keep:
            end = statement.end_lineno or statement.lineno
            while end < len(lines) and not lines[end].strip():
                end += 1
            wanted[statement.lineno - 1 : end] = [False] * (end - statement.lineno + 1)
    # A line that also holds something that is kept stays whole.
    for statement in kept:
        end = statement.end_lineno or statement.lineno
        wanted[statement.lineno - 1 : end] = [True] * (end - statement.lineno + 1)
    text = "\n".join(line for line, want in zip(lines, wanted, strict=True) if want)
    return text.strip("\n") + "\n"
