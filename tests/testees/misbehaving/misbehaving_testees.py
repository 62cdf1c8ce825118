"""Testees that misbehave as processes. Run as a program: ``python misbehaving_testees.py NAME``.

Each answers a `decode` whose data begins with ``00`` rightly. Data of ``ff`` is the offending request: it
triggers the behaviour of that name. Some show it at other times.
"""

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Told = dict[str, Any]

HELLO: Told = {
    "protocol": 1,
    "codec": {"name": "misbehaving", "version": "1", "language": "python"},
    "messages": {"FetchRequest": {"decode": "0-17"}},
    "limits": {"small": "it is small"},
}


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def tell(told: Any) -> None:
    write(json.dumps(told) + "\n")


def right(question: Told) -> Told:
    """The answer to a question that is no offending."""
    content = {"value": {"seen": question["data"]}, "consumed": len(question["data"]) // 2}
    return {"id": question["id"], "ok": content}


def exit_orderly(_: Told) -> None:
    sys.exit(0)


def exit_with_words(_: Told) -> None:
    sys.stderr.write("the codec is out of luck\n")
    sys.exit(3)


def internal_error(question: Told) -> None:
    sys.stderr.write("Traceback:\n  codec.py, line 3\nFancyError: no such luck\nsomething else\n")
    sys.stderr.flush()
    tell({"id": question["id"], "internal_error": {"class": "codec.FancyError", "message": "no such luck"}})


def segfault(_: Told) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def abort(_: Told) -> None:
    os.abort()


def kill_itself(_: Told) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(_: Told) -> None:
    time.sleep(3600)


def spin(_: Told) -> None:
    while True:
        pass


def spin_or_exit(question: Told) -> None:
    """Two bugs: data of ``ff01`` hang it, those of ``ff02`` end it."""
    if question["data"].startswith("ff01"):
        spin(question)
    sys.exit(3)


def spin_in_a_child(_: Told) -> None:
    subprocess.run([sys.executable, "-c", "while True: pass"], check=False)


def eat_memory(question: Told) -> None:
    """It asks for more than it may have."""
    held = []
    while True:
        held.append(mmap.mmap(-1, 64 << 20))
        held[-1].write(b"\1")


def grow(question: Told) -> None:
    """It answers, but takes 200 MiB for two bytes, and keeps half of it."""
    held.append(bytearray(b"\1") * (100 << 20))
    freed = bytearray(b"\1") * (100 << 20)
    tell(right(question))
    del freed


held: list[bytearray] = []


def fork_without_end(_: Told) -> None:
    while True:
        try:
            if os.fork() == 0:
                time.sleep(3600)
        except OSError:
            sys.stderr.write("no more processes\n")
            os._exit(4)


def leave_a_child(_: Told) -> None:
    """The child holds standard output open when its parent is gone."""
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(5)


def open_files(_: Told) -> None:
    while True:
        os.open(os.devnull, os.O_RDONLY)


def garbage(_: Told) -> None:
    write("\x00\x01 what is this\n")


def no_utf8(_: Told) -> None:
    sys.stdout.buffer.write(b'{"id": "\xff\xfe"}\n')
    sys.stdout.flush()


def half_a_line(question: Told) -> None:
    write(json.dumps(right(question))[:20])
    sys.exit(0)


def endless_line(_: Told) -> None:
    while True:
        write("x" * 65536)


def deep_nesting(_: Told) -> None:
    write("[" * 100_000 + "\n")


def doubled(question: Told) -> None:
    tell(right(question))
    tell(right(question))


def unknown_id(question: Told) -> None:
    tell({**right(question), "id": question["id"] + 1_000_000})


def doubled_in_a_line(question: Told) -> None:
    tell([right(question), right(question)])


def with_constant(word: str, name: str) -> Callable[[Told], None]:
    """What reads a number of bytes that JSON does not have, or that no memory holds."""

    def act(question: Told) -> None:
        told = json.dumps(right(question))
        write(told.replace(f'"consumed": {len(question["data"]) // 2}', f'"consumed": {word}') + "\n")

    act.__name__ = name
    return act


def id_as_text(question: Told) -> None:
    tell({**right(question), "id": str(question["id"])})


def earlier_id(question: Told) -> None:
    tell({**right(question), "id": 0})


def no_answer_key(question: Told) -> None:
    tell({"id": question["id"]})


def two_answers_in_one(question: Told) -> None:
    tell({**right(question), "decode_error": {"class": "E", "message": "m"}})


def unknown_answer_key(question: Told) -> None:
    tell({"id": question["id"], "fine": {}})


def error_without_class(question: Told) -> None:
    tell({"id": question["id"], "decode_error": {"message": "m"}})


def unnamed_limit(question: Told) -> None:
    tell({"id": question["id"], "unsupported": {"reason": "mood", "message": "not today"}})


def print_noise(question: Told) -> None:
    write("DEBUG: decoding\n")
    tell(right(question))


def close_output(_: Told) -> None:
    os.close(1)
    time.sleep(3600)


def write_files(question: Told) -> None:
    """Writes a file at the path that is the rest of the data, and answers what came of it."""
    try:
        with open(bytes.fromhex(question["data"][2:]), "w") as file:
            file.write("written by a testee")
        seen = "written"
    except OSError as error:
        seen = error.strerror or ""
    tell({"id": question["id"], "ok": {"value": {"seen": seen}, "consumed": 1}})


def stop_reading(_: Told) -> None:
    os.close(0)
    time.sleep(3600)


OFFENDED: dict[str, Callable[[Told], None]] = {
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
    )
}


def greet(name: str, question: Told) -> None:
    """The hello, or what it does in its place."""
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
            write("testee 1.0, copyright nobody\n")
        case "two-hellos":
            tell([{"id": question["id"], "ok": hello}] * 2)
            return
        case "moody-hello":
            hello["codec"] = {**hello["codec"], "version": str(os.getpid()) + str(time.monotonic())}
    tell({"id": question["id"], "ok": hello})


def serve(name: str) -> None:
    offending = OFFENDED.get(name)
    asked = 0
    for line in sys.stdin:
        told = json.loads(line)
        if name == "spins-in-company" and isinstance(told, list):
            spin(told[0])
        for question in told if isinstance(told, list) else [told]:
            asked += 1
            if question["op"] == "hello":
                greet(name, question)
            elif question["op"] == "stop":
                tell({"id": question["id"], "ok": {}})
                if name == "answers-after-stop":
                    tell({"id": question["id"], "ok": {}})
                    time.sleep(3600)
                return
            elif question["data"].startswith("ff") and offending is not None:
                offending(question)
            else:
                if name == "floods-stderr":
                    sys.stderr.write("warning: all is well\n" * 5000)
                if name == "dies-of-age" and asked % 100 == 0:
                    sys.exit(9)
                tell(right(question))


def serve_backwards() -> None:
    """Legal: answers in another order and in other groups than the questions came."""
    for line in sys.stdin:
        told = json.loads(line)
        if isinstance(told, list):
            for question in reversed(told):
                tell(right(question))
        elif told["op"] == "stop":
            tell({"id": told["id"], "ok": {}})
            return
        else:
            tell({"id": told["id"], "ok": HELLO} if told["op"] == "hello" else right(told))


if __name__ == "__main__":
    if sys.argv[1] == "backwards":
        serve_backwards()
    else:
        serve(sys.argv[1])
