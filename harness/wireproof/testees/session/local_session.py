"""A testee that is a Python object in this process: the kit's calls of the codec, and no pipe between.

The questions and answers are those of the protocol, so that the report is the same. What a process of its own
would give is not there: no limit but those of time, and who takes the process down takes more than itself.
"""

import contextlib
import importlib
import importlib.util
import io
import json
import runpy
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol, TypeAlias

from wireproof.model import HANG, CpuTime, FatalSites, MutationSite
from wireproof.testees.description.hello import PROTOCOL, Hello
from wireproof.testees.description.manifest import shipped_folder
from wireproof.testees.limits.resource_limits import ResourceLimits
from wireproof.testees.limits.time_limits import AnswerTimes, HangError, TimeLimit
from wireproof.testees.limits.watchdog import Watchdog
from wireproof.testees.process.transport import STDERR_CHARACTERS
from wireproof.testees.session.protocol_answers import (
    EndedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
    read_answers,
)
from wireproof.testees.session.protocol_answers import allowed as allowed_by
from wireproof.testees.session.stderr_tail import StderrTail
from wireproof.testees.testee_errors import ProtocolViolationError, TesteeError

__all__ = ["InProcessHandler", "LiveObject", "LocalSession", "PythonObject", "handler_of", "load_kit"]

_KIT: Final = "wireproof_testee"
_RECORDS: Final = "wireproof_records"
_USUAL: Final = ResourceLimits()


class InProcessHandler(Protocol):
    """What answers requests: `wireproof_testee.RequestHandler`."""

    def answer(self, request: Any) -> str:
        """The JSON text of the answer."""
        ...


HandlerFactory: TypeAlias = Callable[[], InProcessHandler]


def load_kit() -> ModuleType:
    """The kit for Python, under the names by which adapters import its modules."""
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


def handler_of(thing: Any) -> InProcessHandler:
    """What answers for an object that the kit could serve.

    Args:
        thing: a `Testee` of the kit, or something that gives one when it is called.

    Raises:
        TesteeError: it is something else.
    """
    kit = load_kit()
    testee = thing if isinstance(thing, kit.Testee) or not callable(thing) else thing()
    if not isinstance(testee, kit.Testee):
        raise TesteeError(
            f"{thing!r} is no testee", "Give a wireproof_testee.Testee, or a function that makes one."
        )
    try:
        handler: InProcessHandler = kit.RequestHandler(testee)
    except kit.AdapterError as error:
        raise TesteeError(f"{testee.name} cannot be served: {error}") from error
    return handler


@dataclass(frozen=True, slots=True)
class PythonObject:
    """A testee by the name of what Python can import; plain data.

    Attributes:
        place: a module, or the path of a program for the kit, which is run until it serves.
        name: of the object in the module; empty for a program.
        limits: of these the two that are of time.
    """

    place: str
    name: str = ""
    limits: ResourceLimits = _USUAL

    @classmethod
    def parse(cls, text: str) -> "PythonObject":
        """``MODULE:OBJECT`` or ``FILE.py``.

        Raises:
            TesteeError: it is neither.
        """
        if text.endswith(".py"):
            if not Path(text).is_file():
                raise TesteeError(f"there is no {text}")
            return cls(str(Path(text).resolve()))
        place, _, name = text.partition(":")
        if not (place and name):
            raise TesteeError(
                f"python:{text} names no object", "Write python:MODULE:OBJECT, or python:FILE.py."
            )
        return cls(place, name)

    @property
    def home(self) -> Path | None:
        """The folder of the module or the program; None where there is none.

        Raises:
            TesteeError: there is no such module.
        """
        if not self.name:
            return Path(self.place).parent
        _see_working_folder()
        with _whatever_importing_raises(self):
            found = importlib.util.find_spec(self.place)
        if found is None:
            raise TesteeError(f"there is no module {self.place}", "It is looked for where Python is started.")
        return Path(found.origin).parent if found.has_location and found.origin else None

    def load(self) -> InProcessHandler:
        """What answers for it.

        Raises:
            TesteeError: it cannot be imported, or is no testee.
        """
        kit = load_kit()
        if not self.name:
            return self._run()
        _see_working_folder()
        with kit.hosted(), _whatever_importing_raises(self):
            thing: Any = importlib.import_module(self.place)
            for part in self.name.split("."):
                thing = getattr(thing, part)
        return handler_of(thing)

    def _run(self) -> InProcessHandler:
        sys.path.insert(0, str(Path(self.place).parent))
        arguments, sys.argv = sys.argv, [self.place]
        try:
            with load_kit().hosted() as handlers, _whatever_importing_raises(self):
                runpy.run_path(self.place, run_name="__main__")
        finally:
            sys.argv = arguments
        if not handlers:
            raise TesteeError(f"{self.place} ends without serving", "A program for the kit calls kit.serve.")
        handler: InProcessHandler = handlers[0]
        return handler

    def __str__(self) -> str:
        return f"python:{self.place}:{self.name}" if self.name else f"python:{self.place}"


@dataclass(frozen=True, slots=True)
class LiveObject:
    """A testee that the caller holds; it stays in its process.

    Attributes:
        thing: a `Testee` of the kit, or a function that makes one.
        limits: of these the two that are of time.
    """

    thing: Any
    limits: ResourceLimits = _USUAL

    def load(self) -> InProcessHandler:
        """What answers for it.

        Raises:
            TesteeError: it is no testee.
        """
        return handler_of(self.thing)


def _see_working_folder() -> None:
    """Modules are looked for where wireproof was started, too, as ``python -m`` does."""
    here = str(Path.cwd())
    if "" not in sys.path and here not in sys.path:
        sys.path.insert(0, here)


@contextlib.contextmanager
def _whatever_importing_raises(thing: PythonObject) -> Iterator[None]:
    """Tells it as a testee that cannot be used."""
    try:
        yield
    except TesteeError:
        raise
    except (Exception, SystemExit) as error:  # a stranger's module raises what it likes
        raise TesteeError(f"{thing} cannot be loaded: {type(error).__name__}: {error}") from error


class LocalSession:
    """A testee in this process, made when it is first asked.

    What it prints is kept from standard output and error; the end of it stands beside what fails.
    """

    words: Final = "this process"

    def __init__(
        self,
        name: str,
        make: HandlerFactory,
        harness: str = "wireproof",
        limits: ResourceLimits = _USUAL,
        fatal: FatalSites | None = None,
    ) -> None:
        self._name = name
        self._make = make
        self._harness = harness
        self._handler: InProcessHandler | None = None
        self._hello: Hello | None = None
        self._overheard = StderrTail()
        self._limits = limits
        self._overseer = Watchdog(TimeLimit(limits.cpu_s, limits.silent_s))
        self.fatal = FatalSites(name) if fatal is None else fatal
        self._pace = AnswerTimes(limits)

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that it is held to, in words."""
        return {
            "processor time of an answer": f"{self._limits.cpu_s:g} s",
            "silence": f"{self._limits.silent_s:g} s",
            "memory and all else": "not limited: it is a part of wireproof's own process",
        }

    def hello(self) -> Hello:
        """Who it is and what it claims.

        Raises:
            TesteeError: it cannot be loaded, or does not greet.
        """
        if self._hello is None:
            told = {"id": 0, "op": "hello", "protocol": PROTOCOL, "harness": self._harness}
            try:
                handler = self._running()
                with self._overseer.watching():
                    line = self._overseer.ask(lambda: handler.answer(told))
                ((_, answer),) = read_answers(line.encode())
                if not isinstance(answer, OkAnswer):
                    raise ProtocolViolationError(f"does not answer the hello: {answer}")
                self._hello = Hello.parse(answer.content)
            except (ProtocolViolationError, HangError) as error:
                raise TesteeError(f"{self._name} does not greet: {error}") from None
        return self._hello

    def forgive(self) -> None:
        """Another subject begins: its own answers say how long one takes."""
        self.fatal.forgive()
        self._pace.begin_cell()

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The answer to each question: JSON text of a request from its second member on, ``"op":...,...``.

        Args:
            sites: of malformed bytes what was done to them and where; may be left out where there are none.
        """
        self.hello()
        said = io.StringIO()
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            self._overseer.watching(),
        ):
            placed = zip(questions, sites or [None] * len(questions), strict=True)
            return [self._one(question, site, said) for question, site in placed]

    def _one(self, question: str, site: MutationSite | None, said: io.StringIO) -> ProtocolAnswer:
        if same_as := self.fatal.same_as(site):
            return NotAskedAnswer(f"skipped for the same cause as {same_as}", same_as)
        size, verdict_s = len(question), self._pace.verdict_s(0)
        if words := self.fatal.had_enough(site, verdict_s):
            return NotAskedAnswer(words)
        try:
            try:
                return self._attempt(question, self._pace.first(size), said)
            except HangError:
                if self.fatal.cannot_judge(verdict_s):
                    return NotAskedAnswer(self.fatal.had_enough(site, verdict_s))
                return self._attempt(question, self._pace.second(size), said)
        except ProtocolViolationError as error:
            words = f"broke the protocol: {error}"
            self.fatal.add(site, "protocol", words)
            return self._ended("protocol", words, said)
        except HangError as error:
            self.fatal.add(site, HANG, str(error))
            return self._ended(HANG, str(error), said)

    def _attempt(self, question: str, allowed: TimeLimit, said: io.StringIO) -> ProtocolAnswer:
        """The answer.

        Raises:
            ProtocolViolationError: there is none that the protocol allows.
            HangError: there is none in time; the object is given up, since it was left half done.
        """
        asked = json.loads(f'{{"id":0,{question}}}')
        cold, handler = self._handler is None, self._running()
        self._overseer.allowed = allowed
        start = time.thread_time()
        try:
            line = self._overseer.ask(lambda: handler.answer(asked))
        except HangError as error:
            self.fatal.budget.spend(error.spent_s)
            self._handler = None
            raise
        self._pace.answered(time.thread_time() - start, cold=cold)
        ((_, answer),) = read_answers(line.encode())
        return self._overheard.beside(allowed_by(answer, self.hello().limits), said.getvalue)

    def _ended(self, error: str, words: str, said: io.StringIO) -> EndedAnswer:
        end = said.getvalue().strip()[-STDERR_CHARACTERS:]
        return EndedAnswer(error, f"{words}; the end of what it said: {end}" if end else words)

    def _running(self) -> InProcessHandler:
        if self._handler is None:
            with contextlib.redirect_stdout(sys.stderr):
                self._handler = self._make()
        return self._handler

    def stop(self) -> bool:
        """The next question is the first that a fresh object gets, if in an old process."""
        self._handler = None
        return True

    def spent(self) -> CpuTime:
        """The processor time of the thread that it runs in."""
        return CpuTime(0, time.thread_time())

    def close(self) -> None:
        """There is nothing to end."""
