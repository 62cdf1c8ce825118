"""Proving from Python: a testee by its name, and an object of the caller."""

import io
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wireproof import NotProvenError, RunConfig, Session, prove
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.proof.testees.session.in_process_testees import load_kit

kit = load_kit()
WHAT: dict[str, Any] = {
    "message": "HeartbeatRequest",
    "message_version": "0",
    "phase": "enumerated",
    "shrink": 0,
}


class Heartbeat(kit.Message):  # type: ignore[misc, name-defined] # the kit is loaded where it is
    """HeartbeatRequest 0: two strings and a number between."""

    def __init__(self, message: str, version: int) -> None:
        pass

    def read(self, data: bytes) -> tuple[Any, int]:
        stream = io.BytesIO(data)
        thing = (_text(stream), struct.unpack(">i", stream.read(4))[0], _text(stream))
        return thing, stream.tell()

    def write(self, thing: Any) -> bytes:
        group, generation, member = thing
        return _packed(group) + struct.pack(">i", generation) + _packed(member)

    def to_value(self, thing: Any) -> dict[str, Any]:
        return dict(zip(("groupId", "generationId", "memberId"), thing, strict=True))

    def from_value(self, value: dict[str, Any]) -> Any:
        return value.get("groupId", ""), value.get("generationId", 0), value.get("memberId", "")


class Late(Heartbeat):
    """A request whose number is one too high."""

    def write(self, thing: Any) -> bytes:
        group, generation, member = thing
        return super().write((group, min(generation + 1, (1 << 31) - 1), member))


def _text(stream: io.BytesIO) -> str:
    length = struct.unpack(">h", stream.read(2))[0]
    data = stream.read(length) if length >= 0 else b""
    if length < 0 or len(data) < length:
        raise ValueError("no whole string")
    return data.decode()


def _packed(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def heart(port: Any) -> Any:
    claims = {"HeartbeatRequest": kit.claim("decode encode reencode", "0")}
    return kit.Testee(name="heart", version="1", claims=claims, at=port)


def test_an_object_of_the_caller_is_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The object is proven in the caller's process. A wrong one is reported as on the terminal, its findings
    are data, and no file is written."""
    monkeypatch.chdir(tmp_path)
    right = prove(heart(Heartbeat), **WHAT)
    assert right.proven, right.text
    assert "1 of 1 cells, " in right.text

    wrong = prove(lambda: heart(Late), **WHAT)
    assert wrong.exit_code is ExitCode.DIVERGENCE
    assert "HeartbeatRequest version 0: the bytes differ from Kafka's" in wrong.text
    assert "wireproof replay --testee python:MODULE:OBJECT 4.4.0/HeartbeatRequest/0/enumerated/" in wrong.text
    assert [found.message for found in wrong.findings] == ["HeartbeatRequest"] * len(wrong.findings)
    assert right.causes == ()
    assert wrong.causes
    assert all(each.sentence in wrong.text and each.message == "HeartbeatRequest" for each in wrong.causes)
    found = wrong.findings[0]
    assert (found.divergence.check, found.divergence.codec) != ("", "")
    assert found.first.case_id.startswith("4.4.0/HeartbeatRequest/0/enumerated/")
    with pytest.raises(NotProvenError, match="the bytes differ from Kafka's") as raised:
        wrong.raise_for_findings()
    assert raised.value.verdict is wrong
    right.raise_for_findings()
    assert list(tmp_path.iterdir()) == []


def test_a_session_keeps_failures_where_it_is_asked_to(tmp_path: Path) -> None:
    """A folder that the caller names takes a file for each failure."""
    kept = tmp_path / "kept"
    with Session(heart(Late), RunConfig.of(**WHAT), failures=kept) as session:
        assert not session.prove(session.cells).proven
    assert list(kept.glob("*.json"))


def test_cells_are_proven_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells come in any order, each with its own verdict, by a worker that stays."""
    monkeypatch.chdir(tmp_path)
    with Session(config=RunConfig.of(message="HeartbeatRequest", phase="enumerated", jobs=1)) as session:
        last, first = session.cells[-1], session.cells[0]
        for cell in (last, first, last):
            verdict = session.prove([cell])
            assert verdict.proven, verdict.text
            assert [done.cell for done in verdict.done] == [cell]
    with pytest.raises(FatalError, match="this session is closed"):
        session.prove([first])


@pytest.mark.parametrize(
    ("testee", "options", "words"),
    [
        ("absent", {}, "absent is not a testee"),
        (Path("absent"), {}, "/absent is not a testee"),
        (7, WHAT, "7 is not a testee"),
        (None, {"message": "Nothing"}, "no cell matches"),
        (None, {"sead": 7}, "sead: this option does not exist\nDid you mean seed"),
        (None, {"junit": "a", "html": "b"}, "junit, html: only the command writes reports"),
        (None, {"config": RunConfig(), "seed": 7}, "give either a configuration or options"),
    ],
)
def test_an_invalid_codec_is_an_error(testee: Any, options: dict[str, Any], words: str) -> None:
    """There is one type of error, whatever is missing."""
    with pytest.raises(FatalError) as caught:
        prove(testee, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize("way", ["file", "stdin"])
def test_a_script_needs_no_guard(way: str, tmp_path: Path) -> None:
    """Worker processes do not run the caller's program again, from wherever it was read."""
    program = f"from wireproof import prove\nprint(prove(None, jobs=1, **{WHAT!r}).proven)\n"
    script = tmp_path / "script.py"
    script.write_text(program)
    named, given = ([str(script)], None) if way == "file" else (["-"], program)
    ran = subprocess.run(
        [sys.executable, *named],
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "True\n"), ran.stderr
