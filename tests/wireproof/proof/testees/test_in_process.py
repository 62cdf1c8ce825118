"""Testees that are Python objects: their names, their errors, and their answers."""

import importlib
import sys
from pathlib import Path

import pytest

from wireproof.proof.testees.build.launch import prepare_testee
from wireproof.proof.testees.session.in_process_testees import PythonObject, forget_modules
from wireproof.proof.testees.session.local_session import LocalSession
from wireproof.proof.testees.session.testee_session import EndedAnswer, FailedAnswer, OkAnswer
from wireproof.proof.testees.testee_errors import TesteeError

ADAPTER = """
import wireproof_testee as kit
pipes = kit.take_stdio()

class Port(kit.Message):
    def __init__(self, message, version):
        self.version = version
    def read(self, data):
        print("reading")
        return data, len(data)
    def write(self, thing):
        if self.version:
            raise SystemExit("the codec leaves")
        return thing

def testee(**changes):
    options = {"claims": {"Echo": kit.claim("reencode", "0-1")}, **changes}
    return kit.Testee(name="echo", version="1", at=Port, **options)

def empty():
    return testee(claims={})

class held:
    instance = testee()

number = 7
if __name__ == "__main__":
    kit.serve(testee(), pipes)
"""
REENCODE = '"op":"reencode","message":"Echo","version":{},"data":"00ff"'


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the adapter as a module with its own name, and put it on the import path."""
    name = f"echo_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(ADAPTER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    return name


def opened(word: str) -> LocalSession:
    return LocalSession(word, PythonObject.parse(word).load)


@pytest.mark.parametrize("name", ["testee", "held.instance"])
def test_a_testee_is_an_object_or_a_function_that_makes_one(
    module: str, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The testee greets and answers; exit() is an answer too; its output is not seen."""
    testee = opened(f"{module}:{name}")

    assert str(testee.hello().identity) == "echo 1"
    right, wrong = testee.ask([REENCODE.format(0), REENCODE.format(1)])
    assert right == OkAnswer({"data": "00ff", "consumed": 2})
    assert isinstance(wrong, FailedAnswer)
    assert (wrong.orderly, wrong.error, wrong.message) == (False, "SystemExit", "the codec leaves")
    assert testee.stop()
    assert testee.ask([REENCODE.format(0)]) == [right]
    assert capfd.readouterr() == ("", "")


def test_a_program_for_the_kit_is_a_testee(module: str, tmp_path: Path) -> None:
    """The program runs until it serves; its ledger is searched next to it, as that of a module."""
    launch = prepare_testee(f"python:{module}.py", tmp_path, print)
    assert isinstance(launch.target, PythonObject)
    assert launch.home == tmp_path
    assert prepare_testee(f"python:{module}:testee", tmp_path, print).home == tmp_path
    arguments = list(sys.argv)
    assert str(launch.open_session("wireproof").hello().identity) == "echo 1"
    assert sys.argv == arguments


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("{}", "names no object"),
        ("{}:", "names no object"),
        ("nowhere.py", "there is no nowhere.py"),
        ("{}:nothing", "cannot be loaded: AttributeError"),
        ("{}:number", "7 is not a testee"),
        ("{}:empty", "cannot be loaded|claims is empty"),
        ("silent.py", "ends without serving"),
        ("broken.py", "cannot be loaded: ZeroDivisionError"),
        ("leaving.py", "cannot be loaded: SystemExit"),
    ],
)
def test_an_object_that_is_not_a_testee_is_an_error(
    module: str, tmp_path: Path, word: str, words: str
) -> None:
    """The message names the problem."""
    (tmp_path / "silent.py").write_text("")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(2)\n")
    with pytest.raises(TesteeError, match=words):
        opened(word.format(module)).hello()


def test_a_missing_module_is_an_error(tmp_path: Path) -> None:
    """The error comes before anything is started."""
    with pytest.raises(TesteeError, match="there is no module no_such_module"):
        prepare_testee("python:no_such_module:testee", tmp_path, print)


class Babbler:
    """A handler whose answers are invalid."""

    def __init__(self, line: str) -> None:
        self._line = line

    def answer(self, request: dict[str, object]) -> str:
        if request["op"] == "hello":
            messages = '{"Echo":{"decode":"0"}}'
            codec = '{"name":"babbler","version":"1","language":"python"}'
            return f'{{"id":0,"ok":{{"protocol":1,"codec":{codec},"messages":{messages}}}}}'
        return self._line


@pytest.mark.parametrize(
    "line", ["what?", '{"id":0,"perhaps":{}}', '{"id":0,"unsupported":{"reason":"mood"}}']
)
def test_an_invalid_answer_is_a_finding(line: str) -> None:
    """An invalid answer loses one request, as it does for a process."""
    (answer,) = LocalSession("babbler", lambda: Babbler(line)).ask([REENCODE.format(0)])
    assert isinstance(answer, EndedAnswer)
    assert answer.error == "protocol"
    assert answer.message.startswith("broke the protocol: ")


def test_changed_modules_are_imported_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the folder; installed packages and modules elsewhere stay as they are."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "forgotten_codec.py").write_text("VALUE = 1")
    (tmp_path / "site-packages" / "kept_library").mkdir(parents=True)
    (tmp_path / "site-packages" / "kept_library" / "__init__.py").write_text("VALUE = 1")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    codec, library = (importlib.import_module(name) for name in ("forgotten_codec", "kept_library"))
    (tmp_path / "forgotten_codec.py").write_text("VALUE = 2")
    forget_modules(tmp_path)

    assert importlib.import_module("forgotten_codec").VALUE == 2
    assert importlib.import_module("kept_library") is library
    assert codec.VALUE == 1
    forget_modules(tmp_path)
    del sys.modules["kept_library"]


def test_a_changed_module_that_is_a_link_is_imported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link is in the folder, although its file is elsewhere."""
    folder, elsewhere = tmp_path / "codec", tmp_path / "elsewhere.py"
    folder.mkdir()
    elsewhere.write_text("VALUE = 1")
    (folder / "linked_codec.py").symlink_to(elsewhere)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert importlib.import_module("linked_codec").VALUE == 1
    elsewhere.write_text("VALUE = 2")
    forget_modules(folder)
    assert importlib.import_module("linked_codec").VALUE == 2
    forget_modules(folder)
