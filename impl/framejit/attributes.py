"""Attributes: reading, writing, deleting; methods and properties found on classes."""

from __future__ import annotations

import types
from typing import Any

import torch

from framejit.evaluator import Evaluator
from framejit.faults import planted
from framejit.known import value_of
from framejit.origins import Origin
from framejit.stops import Break
from framejit.tensors import tensor_attribute
from framejit.values import (
    BuiltinMethod,
    Const,
    Container,
    Exception_,
    Function,
    Generator,
    Instance,
    Iterator,
    Known,
    Method,
    Slice,
    Tensor,
    Tuple,
    Value,
)

_MISSING: Any = object()
# Py_TPFLAGS_IMMUTABLETYPE: of a class whose attributes cannot be set.
_IMMUTABLE = 1 << 8


def get(evaluator: Evaluator, owner: Value, name: str, depth: int) -> Value:
    """``owner.name``; raises Break where it is not known what that gives."""
    owner = evaluator.look(owner)
    if isinstance(owner, Tensor):
        return tensor_attribute(evaluator, owner, name)
    if isinstance(owner, Instance):
        return _of_instance(evaluator, owner, name, depth)
    if isinstance(owner, Known):
        return _of_known(evaluator, owner, name)
    if isinstance(owner, Tuple) and name in getattr(owner.cls, "_fields", ()):
        return owner.items[owner.cls._fields.index(name)]  # type: ignore[attr-defined]
    if isinstance(owner, Function):
        return _of_function(owner, name)
    if isinstance(owner, Method) and name in ("__self__", "__func__"):
        return owner.instance if name == "__self__" else owner.function
    if isinstance(owner, Exception_) and name == "args":
        return Tuple(owner.arguments)
    if isinstance(owner, Const) and not callable(getattr(owner.value, name, None)):
        try:
            return value_of(getattr(owner.value, name))
        except AttributeError as error:
            evaluator.raise_(error)
    if name == "__class__" and isinstance(owner, Container):
        return Known(None, owner.cls)
    if isinstance(owner, Slice) and name in _SLICE:
        return owner.parts[_SLICE.index(name)]
    if _is_method(owner, name):
        return BuiltinMethod(owner, name)
    raise Break(f"attribute {name!r} of {type(owner).__name__.lower()}")


_SLICE = ("start", "stop", "step")


def _is_method(owner: Value, name: str) -> bool:
    """Whether a value's class, which is written in C, has a method of that name."""
    if isinstance(owner, (Generator, Iterator)):
        return name == "__next__" or (name == "send" and isinstance(owner, Generator))
    if isinstance(owner, Const):
        cls: type = type(owner.value)
    elif isinstance(owner, (Container, Tuple, Exception_)):
        cls = owner.cls
    else:
        return False
    return not name.startswith("__") and callable(getattr(cls, name, None))


def _of_function(owner: Function, name: str) -> Value:
    if name == "__name__" and owner.real is None:
        return Const(owner.code.co_name)
    raise Break(f"attribute {name!r} of a function")


def _of_known(evaluator: Evaluator, owner: Known, name: str) -> Value:
    real = owner.real
    if isinstance(real, types.ModuleType):
        if name not in vars(real):
            raise Break(f"attribute {name!r} that module {real.__name__} computes")
        written = evaluator.trace.effects.global_written(name, vars(real))
        if written is not None:
            if not written.values:
                raise Break(f"attribute {name!r} that was deleted")
            return written.values[0]
        found = vars(real)[name]
        if owner.origin is None or is_of_torch(real.__name__):
            # torch's own modules do not change while programs run.
            return _pinned(owner, found, name)
        return evaluator.trace.found(found, owner.origin.attribute(name))
    if isinstance(real, type):
        return _of_class(evaluator, owner, name)
    if is_of_torch(type(real).__module__) or is_of_torch(getattr(real, "__module__", "") or ""):
        found = getattr(real, name, _MISSING)
        if found is not _MISSING:
            return _pinned(owner, found, name)
    raise Break(f"attribute {name!r} of {getattr(real, '__name__', type(real).__name__)}")


def _pinned(owner: Known, found: Any, name: str) -> Value:
    origin = owner.origin.attribute(name) if owner.origin is not None else None
    if type(found) in (bool, int, float, str, type(None), torch.dtype):
        if origin is None:
            return Const(found)
        return Const(found, origin)
    return Known(origin, found)


def _of_class(evaluator: Evaluator, owner: Known, name: str) -> Value:
    cls: type = owner.real
    if name in ("__name__", "__qualname__", "__module__") and type(cls) is type:
        if cls.__flags__ & _IMMUTABLE:
            return Const(getattr(cls, name))
        if owner.origin is not None:
            return evaluator.trace.found(getattr(cls, name), owner.origin.attribute(name))
    if type(cls) is not type or owner.origin is None:
        raise Break(f"attribute {name!r} of class {cls.__name__}")
    found = in_class(cls, name)
    if found is _MISSING:
        raise Break(f"attribute {name!r} that class {cls.__name__} does not have")
    if isinstance(found, staticmethod):
        return evaluator.trace.found(getattr(cls, name), owner.origin.attribute(name))
    if isinstance(found, classmethod):
        evaluator.trace.guards.identity(
            owner.origin.attribute(name).attribute("__func__"), found.__func__
        )
        function = evaluator.trace.found(
            found.__func__, owner.origin.attribute(name).attribute("__func__")
        )
        return Method(function, owner)
    if isinstance(found, types.FunctionType) or not hasattr(type(found), "__get__"):
        return evaluator.trace.found(getattr(cls, name), owner.origin.attribute(name))
    raise Break(f"descriptor {name!r} of class {cls.__name__}")


def in_class(cls: type, name: str) -> Any:
    """What a class or one of its bases has under a name, a marker if none has it."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return _MISSING


def has(cls: type, name: str) -> bool:
    """Whether a class has an attribute that is not object's own."""
    found = in_class(cls, name)
    return found is not _MISSING and found is not vars(object).get(name)


def _of_instance(evaluator: Evaluator, owner: Instance, name: str, depth: int) -> Value:
    _guard_as_object_does(evaluator, owner, "__getattribute__")
    found = in_class(owner.cls, name)
    if name == "__class__" and found is vars(object)["__class__"]:
        return class_value(evaluator, owner)
    if name == "__dict__":
        raise Break("an instance's __dict__")
    if isinstance(found, property):
        getter = _of_property(evaluator, owner, name, found)
        from framejit.calls import call

        return call(evaluator, getter, [owner], {}, depth)
    is_slot = isinstance(found, types.MemberDescriptorType)
    if found is not _MISSING and not is_slot and hasattr(type(found), "__set__"):
        raise Break(f"descriptor {name!r} of an instance")
    own = _own(evaluator, owner, name, is_slot)
    if own is not None:
        return own
    if found is _MISSING or is_slot:
        if issubclass(owner.cls, torch.nn.Module):
            raise Break(f"attribute {name!r} that a module does not have")
        if in_class(owner.cls, "__getattr__") is not _MISSING:
            raise Break("attribute that __getattr__ makes")
        if found is _MISSING:
            without(evaluator, owner, name, "__getattr__")
            text = f"{owner.cls.__name__!r} object has no attribute {name!r}"
            evaluator.raise_(AttributeError(text))
        raise Break(f"slot {name!r} that is empty")
    return _bound(evaluator, owner, name, found)


def _own(evaluator: Evaluator, owner: Instance, name: str, is_slot: bool) -> Value | None:
    """The instance's own attribute, None if it has none of that name."""
    trace = evaluator.trace
    if name in owner.attributes:
        return owner.attributes[name]
    if owner.origin is None:
        return None
    if is_slot:
        value = getattr(owner.real, name, _MISSING)
        if value is _MISSING:
            raise Break(f"slot {name!r} that is empty")
        where = owner.origin.attribute(name)
    else:
        value = getattr(owner.real, "__dict__", {}).get(name, _MISSING)
        where = owner.origin.instance_attribute(name)
    if value is _MISSING and issubclass(owner.cls, torch.nn.Module):
        held = _held_by_module(evaluator, owner, name)
        if held is not None:
            return held
    if value is _MISSING:
        if hasattr(owner.real, "__dict__") and not planted("absent attribute unguarded"):
            trace.guards.absent(where)
        return None
    if not is_slot:
        _guard_not_hidden(evaluator, owner, name)
    found = trace.found(value, where)
    owner.attributes[name] = found
    return found


def _guard_not_hidden(evaluator: Evaluator, owner: Instance, name: str) -> None:
    """The class does not come to have a property, say, that comes before the instance's own."""
    found = in_class(owner.cls, name)
    if found is _MISSING:
        without(evaluator, owner, name)
        return
    where, cls = _class_where(evaluator, owner)
    if where is not None:
        evaluator.trace.guards.type(where.attribute(name), type(getattr(cls, name)))


def _guard_as_object_does(evaluator: Evaluator, owner: Instance, name: str) -> None:
    """The class does not come to do what reaches attributes in a way of its own."""
    where, cls = _class_where(evaluator, owner)
    if where is not None and (cls, name) not in evaluator.trace.as_object_does:
        evaluator.trace.as_object_does.add((cls, name))
        evaluator.trace.guards.identity(where.attribute(name), getattr(object, name))


def _held_by_module(evaluator: Evaluator, owner: Instance, name: str) -> Value | None:
    """A parameter, buffer or submodule, which ``Module.__getattr__`` finds; None if none."""
    assert owner.origin is not None
    for registry in ("_parameters", "_buffers", "_modules"):
        held = owner.real.__dict__[registry]
        where = owner.origin.instance_attribute(registry).item(name)
        if name in held:
            found = evaluator.trace.found(held[name], where)
            owner.attributes[name] = found
            return found
    return None


def _of_property(evaluator: Evaluator, owner: Instance, name: str, found: property) -> Value:
    where, cls = _class_where(evaluator, owner)
    if where is None or found.fget is None or getattr(cls, name, None) is not found:
        raise Break(f"property {name!r} of a class that is not found")
    evaluator.trace.guards.identity(where.attribute(name), found)
    return evaluator.trace.found(found.fget, where.attribute(name).attribute("fget"))


def _class_where(evaluator: Evaluator, owner: Instance) -> tuple[Origin | None, type]:
    """Where the class is found."""
    if owner.origin is not None:
        return owner.origin.type(), owner.cls
    made = evaluator.trace.class_origins.get(owner.cls)
    return made, owner.cls


def _bound(evaluator: Evaluator, owner: Instance, name: str, found: Any) -> Value:
    """A class's attribute, seen through an instance."""
    where, cls = _class_where(evaluator, owner)
    if where is None:
        raise Break(f"attribute {name!r} of class {cls.__name__}, which is not found")
    where = where.attribute(name)
    if hasattr(type(vars(type(cls)).get(name)), "__set__"):
        raise Break(f"attribute {name!r} that the metaclass of {cls.__name__} has too")
    # Something of another type could be a descriptor.
    evaluator.trace.guards.type(where, type(getattr(cls, name)))
    if isinstance(found, types.FunctionType):
        return Method(evaluator.trace.found(found, where), owner)
    if isinstance(found, staticmethod):
        return evaluator.trace.found(found.__func__, where)
    if isinstance(found, classmethod):
        function = evaluator.trace.found(found.__func__, where.attribute("__func__"))
        return Method(function, class_value(evaluator, owner))
    if hasattr(type(found), "__get__"):
        raise Break(f"descriptor {name!r} of class {cls.__name__}")
    return evaluator.trace.found(found, where)


def class_value(evaluator: Evaluator, owner: Instance) -> Value:
    """An instance's class."""
    where, cls = _class_where(evaluator, owner)
    return Known(where, cls)


def special(evaluator: Evaluator, owner: Instance, name: str) -> Value | None:
    """A special method, which is looked for on the class only; None if it is not defined."""
    found = in_class(owner.cls, name)
    if found is _MISSING:
        without(evaluator, owner, name)
        return None
    if found is None:
        raise Break(f"{name} that is None")
    if found is vars(object).get(name):
        where, _ = _class_where(evaluator, owner)
        if where is not None:
            evaluator.trace.guards.identity(where.attribute(name), found)
        return None
    if not isinstance(found, types.FunctionType):
        raise Break(f"{name} that is no function")
    return _bound(evaluator, owner, name, found)


def without(evaluator: Evaluator, owner: Instance, *names: str) -> None:
    """Guard that an instance's class has no attributes of some names, as it has none now."""
    where, _ = _class_where(evaluator, owner)
    if where is not None:
        for name in names:
            evaluator.trace.guards.absent(where.attribute(name))


def set_(evaluator: Evaluator, owner: Value, name: str, value: Value, depth: int) -> None:
    """``owner.name = value``."""
    owner = evaluator.look(owner)
    if not isinstance(owner, Instance):
        raise Break(f"assignment to an attribute of {type(owner).__name__.lower()}")
    found = in_class(owner.cls, name)
    if isinstance(found, property) and found.fset is not None:
        where, _ = _class_where(evaluator, owner)
        if where is None:
            raise Break("property of a class that is not found")
        from framejit.calls import call

        where = where.attribute(name)
        evaluator.trace.guards.identity(where, found)
        setter = evaluator.trace.found(found.fset, where.attribute("fset"))
        call(evaluator, setter, [owner, value], {}, depth)
        return
    check_plain_set(owner.cls, name, found)
    _guard_as_object_does(evaluator, owner, "__setattr__")
    if not isinstance(found, types.MemberDescriptorType):
        _guard_not_hidden(evaluator, owner, name)
    evaluator.trace.touch()
    evaluator.trace.effects.set_attribute(owner, name, value)


def check_plain_set(cls: type, name: str, found: Any) -> None:
    """Raises Break if setting an attribute does more than that."""
    if cls.__setattr__ is not object.__setattr__:  # type: ignore[comparison-overlap]
        raise Break(f"assignment to an attribute of {cls.__name__}, which defines it")
    if name in ("__class__", "__dict__"):
        raise Break(f"assignment to {name}")
    is_slot = isinstance(found, types.MemberDescriptorType)
    if not is_slot and not cls.__dictoffset__:
        raise Break(f"assignment to attribute {name!r}, which {cls.__name__} cannot have")
    if found is not _MISSING and not is_slot and hasattr(type(found), "__set__"):
        raise Break(f"assignment to descriptor {name!r}")


def delete(evaluator: Evaluator, owner: Value, name: str) -> None:
    """``del owner.name``."""
    owner = evaluator.look(owner)
    if not isinstance(owner, Instance) or owner.cls.__delattr__ is not object.__delattr__:  # type: ignore[comparison-overlap]
        raise Break("deletion of an attribute")
    if in_class(owner.cls, name) is not _MISSING or _own(evaluator, owner, name, False) is None:
        raise Break(f"deletion of attribute {name!r}")
    _guard_as_object_does(evaluator, owner, "__delattr__")
    evaluator.trace.touch()
    evaluator.trace.effects.set_attribute(owner, name, None)


def is_of_torch(module: str) -> bool:
    """Whether a module is torch's own."""
    return module == "torch" or module.startswith("torch.")
