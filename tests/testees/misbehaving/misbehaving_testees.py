"""Testees that misbehave as processes. Run as a program: ``python misbehaving_testees.py NAME``.

Each answers a `decode` rightly if its data begins with ``00``. Data of ``ff`` is the offending request: it
triggers the behaviour of that name. Some show it at other times: ``NAME@3`` from the third `decode` on.
"""

import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

HELLO: Json = {
    "protocol": 1,
    "codec": {"name": "misbehaving", "version": "1", "language": "python"},
    "messages": {"FetchRequest": {"decode": "0-17"}},
    "limits": {"small": "it is small"},
}


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def send(answer: Any) -> None:
    write(json.dumps(answer) + "\n")


def right(request: Json) -> Json:
    """Return the right answer to a request."""
    content = {"value": {"seen": request["data"]}, "consumed": len(request["data"]) // 2}
    return {"id": request["id"], "ok": content}


def exit_orderly(_: Json) -> None:
    sys.exit(0)


def exit_with_words(_: Json) -> None:
    sys.stderr.write("the codec is out of luck\n")
    sys.exit(3)


def internal_error(request: Json) -> None:
    sys.stderr.write("Traceback:\n  codec.py, line 3\nFancyError: no such luck\nsomething else\n")
    sys.stderr.flush()
    send({"id": request["id"], "internal_error": {"class": "codec.FancyError", "message": "no such luck"}})


def segfault(_: Json) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def abort(_: Json) -> None:
    os.abort()


def kill_itself(_: Json) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(_: Json) -> None:
    time.sleep(3600)


def spin(_: Json) -> None:
    while True:
        pass


def stop_itself(_: Json) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def half_a_line_and_sleep(request: Json) -> None:
    write(json.dumps(right(request))[:20])
    sleep(request)


def work_late(request: Json) -> None:
    """Answer rightly, but late: after 0.75 s of processor time."""
    until = time.process_time() + 0.75
    while time.process_time() < until:
        pass
    send(right(request))


def spin_or_exit(request: Json) -> None:
    """Two bugs: the data ``ff01`` hang the testee, ``ff02`` ends it."""
    if request["data"].startswith("ff01"):
        spin(request)
    sys.exit(3)


def spin_in_a_child(_: Json) -> None:
    subprocess.run([sys.executable, "-c", "while True: pass"], check=False)


def eat_memory(request: Json) -> None:
    """Allocate more memory than the limit."""
    held = []
    while True:
        held.append(mmap.mmap(-1, 64 << 20))
        held[-1].write(b"\1")


def grow(request: Json) -> None:
    """Answer, but allocate 200 MiB for two bytes, and keep half of it."""
    held.append(bytearray(b"\1") * (100 << 20))
    freed = bytearray(b"\1") * (100 << 20)
    send(right(request))
    del freed


held: list[bytearray] = []


def fork_without_end(_: Json) -> None:
    while True:
        try:
            if os.fork() == 0:
                time.sleep(3600)
        except OSError:
            sys.stderr.write("no more processes\n")
            os._exit(4)


def leave_a_child(_: Json) -> None:
    """Leave a child that holds standard output open."""
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(5)


def open_files(_: Json) -> None:
    while True:
        os.open(os.devnull, os.O_RDONLY)


def garbage(_: Json) -> None:
    write("\x00\x01 what is this\n")


def no_utf8(_: Json) -> None:
    sys.stdout.buffer.write(b'{"id": "\xff\xfe"}\n')
    sys.stdout.flush()


def half_a_line(request: Json) -> None:
    write(json.dumps(right(request))[:20])
    sys.exit(0)


def endless_line(_: Json) -> None:
    while True:
        write("x" * 65536)


def deep_nesting(_: Json) -> None:
    write("[" * 100_000 + "\n")


def doubled(request: Json) -> None:
    send(right(request))
    send(right(request))


def unknown_id(request: Json) -> None:
    send({**right(request), "id": request["id"] + 1_000_000})


def doubled_in_a_line(request: Json) -> None:
    send([right(request), right(request)])


def with_constant(word: str, name: str) -> Callable[[Json], None]:
    """Create a behaviour that sends a number of bytes that JSON does not have."""

    def act(request: Json) -> None:
        text = json.dumps(right(request))
        write(text.replace(f'"consumed": {len(request["data"]) // 2}', f'"consumed": {word}') + "\n")

    act.__name__ = name
    return act


def id_as_text(request: Json) -> None:
    send({**right(request), "id": str(request["id"])})


def earlier_id(request: Json) -> None:
    send({**right(request), "id": 0})


def no_answer_key(request: Json) -> None:
    send({"id": request["id"]})


def two_answers_in_one(request: Json) -> None:
    send({**right(request), "decode_error": {"class": "E", "message": "m"}})


def unknown_answer_key(request: Json) -> None:
    send({"id": request["id"], "fine": {}})


def error_without_class(request: Json) -> None:
    send({"id": request["id"], "decode_error": {"message": "m"}})


def unnamed_limit(request: Json) -> None:
    send({"id": request["id"], "unsupported": {"reason": "mood", "message": "not today"}})


def print_noise(request: Json) -> None:
    write("DEBUG: decoding\n")
    send(right(request))


def close_output(_: Json) -> None:
    os.close(1)
    time.sleep(3600)


def write_files(request: Json, content: bytes = b"written by a testee") -> None:
    """Write a file at the path in the rest of the data, and answer with the outcome.

    The path ``TMPDIR/...`` is in the folder for temporary files.
    """
    path = os.fsdecode(bytes.fromhex(request["data"][2:])).replace("TMPDIR", tempfile.gettempdir())
    try:
        with open(path, "wb") as file:
            file.write(content)
        seen = "written"
    except OSError as error:
        seen = error.strerror or ""
    send({"id": request["id"], "ok": {"value": {"seen": seen}, "consumed": 1}})


def fill_the_disk(request: Json) -> None:
    """Write 1 MiB files for temporary use until the system refuses one, or 64 MiB are written."""
    folder = tempfile.gettempdir()
    seen = "written"
    for number in range(64):
        try:
            with open(os.path.join(folder, str(number)), "wb") as file:
                file.write(b"x" * (1 << 20))
        except OSError as error:
            seen = error.strerror or ""
            break
    if seen == "written":
        time.sleep(3600)
    send({"id": request["id"], "ok": {"value": {"seen": seen}, "consumed": 1}})


def write_a_large_file(request: Json) -> None:
    """Write a file of 64 MiB at the path in the rest of the data."""
    write_files(request, b"x" * (64 << 20))


def stop_reading(_: Json) -> None:
    os.close(0)
    time.sleep(3600)


OFFENDED: dict[str, Callable[[Json], None]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        exit_orderly,
        exit_with_words,
        internal_error,
        segfault,
        abort,
        kill_itself,
        sleep,
        spin,
        stop_itself,
        half_a_line_and_sleep,
        work_late,
        spin_or_exit,
        spin_in_a_child,
        eat_memory,
        grow,
        fork_without_end,
        leave_a_child,
        open_files,
        garbage,
        no_utf8,
        half_a_line,
        endless_line,
        deep_nesting,
        doubled,
        doubled_in_a_line,
        with_constant("Infinity", "consumes_infinity"),
        with_constant("-Infinity", "consumes_minus_infinity"),
        with_constant("NaN", "consumes_nan"),
        unknown_id,
        id_as_text,
        earlier_id,
        no_answer_key,
        two_answers_in_one,
        unknown_answer_key,
        error_without_class,
        unnamed_limit,
        print_noise,
        close_output,
        stop_reading,
        write_files,
        write_a_large_file,
        fill_the_disk,
    )
}


def greet(name: str, request: Json) -> None:
    """Send the hello, or misbehave instead."""
    hello = dict(HELLO)
    match name:
        case "exit-at-once":
            sys.stderr.write("no such file: codec.so\n")
            sys.exit(1)
        case "garbage-hello":
            write("hello!\n")
        case "other-protocol":
            hello["protocol"] = 2
        case "claims-nothing":
            hello["messages"] = {}
        case "claims-unknown-operation":
            hello["messages"] = {"FetchRequest": {"guess": "0-17"}}
        case "claims-no-range":
            hello["messages"] = {"FetchRequest": {"decode": "all"}}
        case "nameless":
            hello["codec"] = {"version": "1", "language": "python"}
        case "banner":
            write("testee 1.0, all rights reserved\n")
        case "two-hellos":
            send([{"id": request["id"], "ok": hello}] * 2)
            return
        case "moody-hello":
            hello["codec"] = {**hello["codec"], "version": str(os.getpid()) + str(time.monotonic())}
    send({"id": request["id"], "ok": hello})


def serve(name: str) -> None:
    name, _, first = name.partition("@")
    offending = OFFENDED.get(name)
    asked = 0
    for line in sys.stdin:
        content = json.loads(line)
        if name == "spins-in-company" and isinstance(content, list):
            spin(content[0])
        for request in content if isinstance(content, list) else [content]:
            asked += 1
            if request["op"] == "hello":
                greet(name, request)
                continue
            if request["op"] == "stop":
                send({"id": request["id"], "ok": {}})
                if name == "answers-after-stop":
                    send({"id": request["id"], "ok": {}})
                    time.sleep(3600)
                return
            late = bool(first) and asked > int(first)  # the hello came before
            if offending is not None and (late or request["data"].startswith("ff")):
                offending(request)
                continue
            if name == "floods-stderr":
                sys.stderr.write("warning: all is well\n" * 5000)
            if name == "dies-of-age" and asked % 100 == 0:
                sys.exit(9)
            send(right(request))


def serve_backwards() -> None:
    """Send answers in another order and in other groups than the requests, which is legal."""
    for line in sys.stdin:
        content = json.loads(line)
        if isinstance(content, list):
            for request in reversed(content):
                send(right(request))
        elif content["op"] == "stop":
            send({"id": content["id"], "ok": {}})
            return
        else:
            send({"id": content["id"], "ok": HELLO} if content["op"] == "hello" else right(content))


if __name__ == "__main__":
    if sys.argv[1] == "backwards":
        serve_backwards()
    else:
        serve(sys.argv[1])
