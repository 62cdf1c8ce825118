"""The end of a testee's standard error, as a failure quotes it."""

import pytest

from wireproof.proof.testees.process.transport import STDERR_CHARACTERS, last_lines


def test_the_frames_of_a_rust_backtrace_are_left_out() -> None:
    """A Rust library that ends its process prints frames of its build below the line with the reason."""
    text = (
        "loading\nmemory allocation of 103079215056 bytes failed\nstack backtrace:\n   0: rust_oom\n"
        "             at /rustc/alloc.rs:417:9\n  27: _start\n"
        "note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.\nend\n"
    )
    assert last_lines(text) == "loading\nmemory allocation of 103079215056 bytes failed\nend"


def test_the_text_begins_with_a_whole_line() -> None:
    """A line cut in the middle is misleading; only a single longer line is cut."""
    lines = [f"line {number} of many that say little" for number in range(100)]
    cut = last_lines("\n".join(lines)).split("\n")
    assert cut == lines[-len(cut) :]
    assert STDERR_CHARACTERS - 40 < len("\n".join(cut)) <= STDERR_CHARACTERS
    assert last_lines("x" * 999) == "x" * STDERR_CHARACTERS


_NODE = """\
file:///adapter.mjs:2
  throw new Error('no native part')
  ^

Error: no native part
{frames}

Node.js v20.20.2
"""
_GO = """\
panic: a goroutine of the codec ends the process

goroutine 34 [running]:
{frames}

goroutine 35 [runnable]:
{frames}
"""
_JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: no configuration
{frames}
	... 12 more
"""


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        (_NODE, "    at load{} (file:///the/folder/of/the/adapter/codec.mjs:40:7)"),
        (_GO, "main.load{}()\n\t/the/folder/of/the/adapter/codec.go:40 +0x1f"),
        (_JAVA, "\tat the.codec.of.the.adapter.Adapter.load{}(Adapter.java:40)"),
    ],
    ids=["node", "go", "java"],
)
def test_the_message_above_many_frames_is_kept(text: str, frame: str) -> None:
    """It says what is wrong; of the frames, the innermost two say where."""
    frames = "\n".join(frame.format(each) for each in range(30))
    kept = last_lines(text.format(frames=frames))
    assert any(words in kept for words in ("no native part", "ends the process", "no configuration"))
    assert "load1(" in kept.replace(" (", "(")
    assert "load2(" not in kept.replace(" (", "(")
