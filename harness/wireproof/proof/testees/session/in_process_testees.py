"""Testees that are Python objects in this process: their import, and their handlers of requests."""

import contextlib
import importlib
import importlib.util
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol, TypeAlias

from wireproof.proof.testees.description.manifest import shipped_folder
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.testee_errors import TesteeError

_KIT: Final = "wireproof_testee"
_RECORDS: Final = "wireproof_records"
_DEFAULT_LIMITS: Final = ResourceLimits()
_OWN_PACKAGES: Final = frozenset({"__main__", "kafkawire", "tests", "wireproof", _KIT, _RECORDS})


class InProcessHandler(Protocol):
    """The interface of `wireproof_testee.RequestHandler`."""

    def answer(self, request: Any) -> str:
        """Return the JSON text of the answer."""


HandlerFactory: TypeAlias = Callable[[], InProcessHandler]


def load_kit() -> ModuleType:
    """Import the kit for Python, under the names by which adapters import its modules."""
    kit, _ = (_load(name) for name in (_KIT, _RECORDS))
    return kit


def _load(name: str) -> ModuleType:
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, shipped_folder() / "kits" / "python" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def forget_modules(folder: Path) -> None:
    """Remove the modules of a folder from `sys.modules`: the next import reads their files again.

    Installed packages and wireproof's own modules stay.
    """
    places: dict[str, str] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and "site-packages" not in file and name.partition(".")[0] not in _OWN_PACKAGES:
            places[name] = os.path.dirname(file)
    inside = {each for each in {*places.values()} if Path(each).resolve().is_relative_to(folder)}
    for name in [name for name, place in places.items() if place in inside]:
        del sys.modules[name]
    importlib.invalidate_caches()


def handler_of(thing: Any) -> InProcessHandler:
    """Return the kit's handler of an object.

    Args:
        thing: a `Testee` of the kit, or a function that makes one.

    Raises:
        TesteeError: it is neither, or the kit cannot serve it.
    """
    kit = load_kit()
    testee = thing if isinstance(thing, kit.Testee) or not callable(thing) else thing()
    if not isinstance(testee, kit.Testee):
        raise TesteeError(
            f"{thing!r} is not a testee", "Give a wireproof_testee.Testee, or a function that makes one."
        )
    try:
        handler: InProcessHandler = kit.RequestHandler(testee)
    except kit.AdapterError as error:
        raise TesteeError(f"{testee.name} cannot be served: {error}") from error
    return handler


@dataclass(frozen=True, slots=True)
class PythonObject:
    """A testee by the name of a Python object or program; plain data.

    Attributes:
        source: a module, or the path of a program for the kit, which is run until it serves.
        name: the object's name in the module; empty for a program.
        limits: only the two limits of time apply.
    """

    source: str
    name: str = ""
    limits: ResourceLimits = _DEFAULT_LIMITS

    @classmethod
    def parse(cls, text: str) -> "PythonObject":
        """Parse ``MODULE:OBJECT`` or ``FILE.py``.

        Raises:
            TesteeError: it is neither.
        """
        if text.endswith(".py"):
            if not Path(text).is_file():
                raise TesteeError(f"there is no {text}")
            return cls(str(Path(text).resolve()))
        source, _, name = text.partition(":")
        if not (source and name):
            raise TesteeError(
                f"python:{text} names no object", "Write python:MODULE:OBJECT, or python:FILE.py."
            )
        return cls(source, name)

    @property
    def file(self) -> Path | None:
        """The file of the module or the program; None for a module without one.

        Raises:
            TesteeError: there is no such module.
        """
        if not self.name:
            return Path(self.source)
        _add_working_folder()
        with _import_errors(self):
            found = importlib.util.find_spec(self.source)
        if found is None:
            raise TesteeError(
                f"there is no module {self.source}", "It is looked for where Python is started."
            )
        return Path(found.origin) if found.has_location and found.origin else None

    def load(self) -> InProcessHandler:
        """Import the object and return its handler.

        Raises:
            TesteeError: it cannot be imported, or is not a testee.
        """
        kit = load_kit()
        if not self.name:
            return self._run()
        _add_working_folder()
        with kit.hosted(), _import_errors(self):
            thing: Any = importlib.import_module(self.source)
            for part in self.name.split("."):
                thing = getattr(thing, part)
        return handler_of(thing)

    def _run(self) -> InProcessHandler:
        sys.path.insert(0, str(Path(self.source).parent))
        arguments, sys.argv = sys.argv, [self.source]
        try:
            with load_kit().hosted() as handlers, _import_errors(self):
                runpy.run_path(self.source, run_name="__main__")
        finally:
            sys.argv = arguments
        if not handlers:
            raise TesteeError(f"{self.source} ends without serving", "A program for the kit calls kit.serve.")
        handler: InProcessHandler = handlers[0]
        return handler

    def __str__(self) -> str:
        return f"python:{self.source}:{self.name}" if self.name else f"python:{self.source}"


@dataclass(frozen=True, slots=True)
class LiveObject:
    """A testee that the caller holds; it stays in its process.

    Attributes:
        thing: a `Testee` of the kit, or a function that makes one.
        limits: only the two limits of time apply.
    """

    thing: Any
    limits: ResourceLimits = _DEFAULT_LIMITS

    def load(self) -> InProcessHandler:
        """Return the object's handler.

        Raises:
            TesteeError: it is not a testee.
        """
        return handler_of(self.thing)


def _add_working_folder() -> None:
    """Let Python find modules in the folder in which wireproof was started, as ``python -m`` does."""
    here = str(Path.cwd())
    if "" not in sys.path and here not in sys.path:
        sys.path.insert(0, here)


@contextlib.contextmanager
def _import_errors(thing: PythonObject) -> Iterator[None]:
    """Turn any error of an import into a `TesteeError`."""
    try:
        yield
    except TesteeError:
        raise
    except (Exception, SystemExit) as error:  # a foreign module may raise anything
        raise TesteeError(f"{thing} cannot be loaded: {type(error).__name__}: {error}") from error
