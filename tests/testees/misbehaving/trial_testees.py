"""Testees with odd answers to one request. Run as a program: ``trial_testees.py NAME``."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from misbehaving_testees import OFFENDED, Json, right, send, serve, write  # type: ignore[import-not-found]  # the folder of a program is on its path


def text_of(request: Json) -> str:
    """Return the right answer as JSON."""
    return json.dumps(right(request))


def ok(content: Any) -> Callable[[Json], None]:
    """Return a behaviour that answers with this content."""
    return lambda request: send({"id": request["id"], "ok": content})


def raw(before: str = "", after: str = "\n") -> Callable[[Json], None]:
    """Return a behaviour that writes something before and after its right answer."""
    return lambda request: write(before + text_of(request) + after)


def consumed(number: str) -> Callable[[Json], None]:
    """Return a behaviour that has consumed this JSON."""
    return lambda request: write(f'{{"id":{request["id"]},"ok":{{"value":{{}},"consumed":{number}}}}}\n')


def named(identity: str) -> Callable[[Json], None]:
    """Return a behaviour that answers to this JSON in place of the id."""
    return lambda _: write(f'{{"id":{identity},"ok":{{"value":{{}},"consumed":1}}}}\n')


def value(text: str) -> Callable[[Json], None]:
    """Return a behaviour that answers with a value of this JSON."""
    return lambda request: write(
        f'{{"id":{request["id"]},"ok":{{"value":{{"seen":{text}}},"consumed":1}}}}\n'
    )


def error(key: str, content: Any) -> Callable[[Json], None]:
    """Return a behaviour that answers with an error."""
    return lambda request: send({"id": request["id"], key: content})


def in_slow_pieces(request: Json) -> None:
    for char in text_of(request) + "\n":
        write(char)
        time.sleep(0.002)


def in_the_middle_of_a_character(request: Json) -> None:
    data = (
        json.dumps({**right(request), "ok": {"value": {"seen": "é"}, "consumed": 1}}, ensure_ascii=False)
    ).encode()
    place = data.index(b"\xc3") + 1
    for part in (data[:place], data[place:] + b"\n"):
        os.write(1, part)
        time.sleep(0.05)


def a_child_writes(request: Json) -> None:
    subprocess.run(["/bin/echo", "noise of a child"], check=False)
    send(right(request))


def a_child_stays(request: Json) -> None:
    subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True, stdin=subprocess.DEVNULL)
    send(right(request))


def closes_input(_: Json) -> None:
    os.close(0)
    sys.exit(4)


def closes_errors(request: Json) -> None:
    os.close(2)
    send(right(request))


def ignores_signals(request: Json) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    send(right(request))


def floods_errors(request: Json) -> None:
    for _ in range(50):
        sys.stderr.write("\x1b[31mx\x00" * 20_000)
    send(right(request))


def answers_ahead(request: Json) -> None:
    """Answer in one piece: the reader of the answers sees those that are too many with the others."""
    numbers = range(request["id"], request["id"] + 1_000)
    every = ({"id": each, "ok": {"value": {}, "consumed": 1}} for each in numbers)
    write("".join(f"{json.dumps(each)}\n" for each in every))


def answers_and_ends(request: Json) -> None:
    send(right(request))
    sys.exit(0)


def answers_again_later(request: Json) -> None:
    send(right(request))
    time.sleep(0.05)
    send(right(request))


def answers_backwards(request: Json) -> None:
    send({"id": request["id"] + 1, "ok": {"value": {}, "consumed": 1}})
    send(right(request))


def links_out(request: Json) -> None:
    """Link to the folder in the rest of the data from the temporary one."""
    Path(tempfile.gettempdir(), "out").symlink_to(bytes.fromhex(request["data"][2:]).decode())
    send(right(request))


def a_fifo(request: Json) -> None:
    os.mkfifo(os.path.join(tempfile.gettempdir(), "fifo"))
    send(right(request))


def deep_folders(request: Json) -> None:
    os.chdir(tempfile.gettempdir())
    for _ in range(400):
        os.mkdir("d")
        os.chdir("d")
    send(right(request))


def no_rights(request: Json) -> None:
    folder = Path(tempfile.gettempdir(), "closed")
    folder.mkdir()
    (folder / "file").write_text("x")
    folder.chmod(0)
    Path(tempfile.gettempdir()).chmod(0)
    send(right(request))


def many_files(request: Json) -> None:
    for number in range(3_000):
        Path(tempfile.gettempdir(), str(number)).touch()
    send(right(request))


def behaviours() -> Iterator[tuple[str, Callable[[Json], None]]]:
    """Yield the behaviours, by name."""
    for each in (
        in_slow_pieces,
        in_the_middle_of_a_character,
        a_child_writes,
        a_child_stays,
        closes_input,
        closes_errors,
        ignores_signals,
        floods_errors,
        answers_ahead,
        answers_and_ends,
        answers_again_later,
        answers_backwards,
        links_out,
        a_fifo,
        deep_folders,
        no_rights,
        many_files,
    ):
        yield each.__name__.replace("_", "-"), each
    yield "of-another-message", ok({"data": "00"})
    yield "of-another-operation", ok({"size": 3})
    yield "ok-null", ok(None)
    yield "ok-list", ok([])
    yield "ok-text", ok("fine")
    yield "value-is-a-list", ok({"value": [], "consumed": 1})
    for name, text in (
        ("huge", "1" + "0" * 300),
        ("longer-than-int-allows", "9" * 5_000),
        ("negative", "-1"),
        ("true", "true"),
        ("text", '"1"'),
        ("float", "1.0"),
        ("exponent", "1e0"),
        ("overflow", "1e999"),
        ("null", "null"),
        ("beyond", "99999999"),
    ):
        yield f"consumed-{name}", consumed(text)
    for name, text in (
        ("float", "1.0"),
        ("true", "true"),
        ("huge", "1" + "0" * 300),
        ("null", "null"),
        ("list", "[1]"),
    ):
        yield f"id-{name}", named(text)
    for name, text in (
        ("surrogate", '"\\ud800"'),
        ("null-character", '"\\u0000"'),
        ("number-huge", "1" + "0" * 4_000),
        ("overflow", "1e999"),
        ("nested", "[" * 900 + "]" * 900),
        ("nested-deeper", "[" * 50_000 + "]" * 50_000),
        ("escapes", '"\\u001b[2J"'),
        ("control-character", '"\x01"'),
        ("twice", '1,"seen":2'),
    ):
        yield f"value-{name}", value(text)
    yield "byte-order-mark", raw("\ufeff")
    yield "null-byte", raw("\0")
    yield "blank-lines", raw("\n\n")
    yield "white-space", raw("  \t", "  \r\n")
    yield "two-in-a-line", raw("", " ")
    yield "empty-list", raw("[]\n")
    yield "list-with-null", raw("[null]\n")
    yield "id-twice", raw('{"id":1,')
    yield "class-is-a-number", error("decode_error", {"class": 5, "message": "x"})
    yield "class-is-empty", error("decode_error", {"class": "", "message": "x"})
    yield "class-is-long", error("decode_error", {"class": "x" * 100_000, "message": "y" * 100_000})
    yield "class-escapes", error("internal_error", {"class": "\x1b[2J\n::error::x", "message": "\udcff"})
    yield "message-is-a-list", error("internal_error", {"class": "x", "message": [[]]})


if __name__ == "__main__":
    OFFENDED.update(behaviours())
    serve(sys.argv[1])
