"""Private copies of the codec's modules, some of them with other text.

A mutant of a primitive is the codec with one line changed. The line is changed in a copy of the module that
no other code imports, so the codec itself and the judging code stay the same. Copies share the classes of
errors, values, layouts and record batches with the original, so the harness judges their answers like any
others.
"""

import builtins
import importlib.util
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType, ModuleType
from typing import Any, Final

_PACKAGE: Final = "kafkawire"
_SHARED: Final = ("errors", "values", "caching", "schema", "canonical", "records.model")
"""The modules, below the package, that every copy shares with the original."""


class PatchMismatchError(LookupError):
    """The text that a patch replaces does not occur in its module exactly once."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A replacement of text in one module.

    Attributes:
        module: below the package, such as ``wire.lengths``.
        old: the text to replace; it occurs exactly once.
    """

    module: str
    old: str
    new: str


class SourceCopy:
    """A copy of the codec's modules. Each is loaded at its first use.

    Raises:
        PatchMismatchError: a patch does not match its module.
    """

    def __init__(self, patches: Iterable[Patch] = ()) -> None:
        self._texts: dict[str, str] = {}
        for patch in patches:
            name = f"{_PACKAGE}.{patch.module}"
            text = self._texts.get(name) or _source(name)
            if text.count(patch.old) != 1:
                raise PatchMismatchError(f"{name} has {patch.old!r} {text.count(patch.old)} times")
            self._texts[name] = text.replace(patch.old, patch.new)
        self._modules: dict[str, ModuleType] = {}
        self._builtins = ModuleType("builtins")
        vars(self._builtins).update(vars(builtins), __import__=self._import)

    def module(self, below: str) -> Any:
        """The copy of a module, by its name below the package."""
        return self._load(f"{_PACKAGE}.{below}")

    def _load(self, name: str) -> ModuleType:
        package = name.rpartition(".")[0]
        if package != _PACKAGE and package not in self._modules:
            self._load(package)  # as Python does: a package imports its own modules in the order that works
        if name not in self._modules:
            module = self._modules[name] = ModuleType(name)
            vars(module)["__builtins__"] = self._builtins
            text = self._texts.get(name)
            exec(_code(name) if text is None else compile(text, f"<mutant {name}>", "exec"), vars(module))  # noqa: S102 - our own source, one line of it changed by us
        return self._modules[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if name == "builtins":  # generated code is run with these: its imports come here too
            return self._builtins
        if not _copied(name):
            return builtins.__import__(name, globals, locals, fromlist, level)
        module = self._load(name)
        for part in fromlist:
            if not hasattr(module, part):  # a module of the package
                setattr(module, part, self._load(f"{name}.{part}"))
        return module


def _copied(name: str) -> bool:
    """Test if a module is copied. All imports of the codec are of the form ``from module import name``."""
    below = name.removeprefix(f"{_PACKAGE}.")
    if below == name:
        return False
    return not any(below == shared or below.startswith(f"{shared}.") for shared in _SHARED)


@cache
def _source(name: str) -> str:
    """The text of a module's file: loaders that rewrite modules, such as pytest's, provide no source."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise PatchMismatchError(f"{name} has no source")
    with tokenize.open(spec.origin) as file:
        return file.read()


@cache
def _code(name: str) -> CodeType:
    spec = importlib.util.find_spec(name)
    return compile(_source(name), spec.origin or name if spec else name, "exec")
