"""The end of a testee's standard error, as a failure quotes it."""

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
