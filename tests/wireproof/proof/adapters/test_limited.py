"""A codec in a limited process: whatever it does there, exactly the offending input is reported."""

import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.records import Record, RecordBatch, RecordSet, decode_records, encode_records, to_canonical
from kafkawire.schema.layout import MessageLayout
from tests.support.schemas.real_layouts import real
from wireproof.model.adapter import NOT_ASKED, SAME_CAUSE
from wireproof.model.codec_ends import HANG, CodecEnd, FatalSites, HangBudget, MutationSite
from wireproof.model.malformed_input import DecodeOutcome
from wireproof.proof.adapters.own.limited_codec import LimitedCodec

LAYOUT = real("ApiVersionsRequest", 3)
GOOD = bytes.fromhex("0261026100")
EVIL = bytes.fromhex("0278026100")
"""A valid message with the name x, at which the codecs below fail."""
WRONG = b"\x00"
INPUTS = [GOOD] * 40 + [EVIL] + [WRONG] + [GOOD] * 40


class Evil:
    """A right codec, except for one name."""

    def __init__(self, layout: MessageLayout, act: Callable[[], Any]) -> None:
        self._codec = compile_layout(layout)
        self._act = act

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._codec.decode(data)
        if value["clientSoftwareName"] == "x":
            self._act()
        return value


def crashing(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: os.kill(os.getpid(), signal.SIGSEGV))


def exiting(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: os._exit(3))


def spinning(layout: MessageLayout) -> Evil:
    def spin() -> None:
        while True:
            pass

    return Evil(layout, spin)


def slow(layout: MessageLayout) -> Evil:
    def work() -> None:
        stop = time.thread_time() + 0.6
        while time.thread_time() < stop:
            pass

    return Evil(layout, work)


def waiting(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: time.sleep(600))


def hungry(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: bytearray(os.urandom(1) * (200 << 20)))


def greedy(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: bytearray(4 << 30))


def raising(layout: MessageLayout) -> Evil:
    def fail() -> None:
        raise IndexError("out of the table")

    return Evil(layout, fail)


def chatty(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: os.write(1, b"hello" * 100))


@pytest.fixture
def limited() -> Iterator[Callable[..., LimitedCodec]]:
    """Make limited codecs, and close their processes."""
    made: list[LimitedCodec] = []

    def make(factory: Any, **limits: Any) -> LimitedCodec:
        made.append(LimitedCodec("evil", factory, **limits))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize(
    ("factory", "outcome", "words"),
    [
        (crashing, DecodeOutcome.CRASHED, "killed by signal 11"),
        (exiting, DecodeOutcome.CRASHED, "exit code 3"),
        (spinning, DecodeOutcome.HUNG, "processor time was up"),
        (slow, DecodeOutcome.HUNG, "s of processor time"),
        (waiting, DecodeOutcome.HUNG, "no answer after 1 s asleep"),
        (hungry, DecodeOutcome.BLEW_UP, "bytes of memory for 5 bytes of input"),
        (greedy, DecodeOutcome.BLEW_UP, ""),
        (raising, DecodeOutcome.CRASHED, "out of the table"),
    ],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_only_the_offending_input_is_reported(
    limited: Any, factory: Any, outcome: DecodeOutcome, words: str
) -> None:
    """All inputs before and after it, in the same batch, are answered."""
    answers = limited(factory, cpu_s=1, asleep_s=1).decode_all(LAYOUT, INPUTS)
    assert answers[40].outcome is outcome
    assert words in answers[40].message
    assert answers[41].outcome is DecodeOutcome.REFUSED
    assert {answer.outcome for answer in (*answers[:40], *answers[42:])} == {DecodeOutcome.ACCEPTED}


def lavish(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: bytearray(12 << 20))


def mistaken(layout: MessageLayout) -> "Mistaken":
    return Mistaken(layout)


class Mistaken:
    """A codec whose value for one name is not a value of the layout."""

    def __init__(self, layout: MessageLayout) -> None:
        self._codec = compile_layout(layout)

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._codec.decode(data)
        return {"clientSoftwareName": 7} if value["clientSoftwareName"] == "x" else value


def test_memory_is_limited_in_proportion_to_each_input(limited: Any) -> None:
    """12 MiB for 5 bytes are too many, but not for a large frame."""
    answers = limited(lavish).decode_all(LAYOUT, INPUTS)
    assert answers[40].outcome is DecodeOutcome.BLEW_UP
    assert {answer.outcome for answer in (*answers[:40], *answers[42:])} == {DecodeOutcome.ACCEPTED}


def test_an_invalid_value_is_not_a_refusal(limited: Any) -> None:
    """A codec that reads bytes into something without a canonical form has not refused them."""
    answers = limited(mistaken).decode_all(LAYOUT, INPUTS)
    assert (answers[40].outcome, answers[40].error) == (DecodeOutcome.CRASHED, "no value")
    assert "clientSoftwareName" in answers[40].message


def deadly(layout: MessageLayout) -> Evil:
    return Evil(layout, lambda: os.abort())


def test_inputs_without_a_site_end_the_process_at_most_six_times(limited: Any) -> None:
    """The first six offending inputs are reported one by one; later ones are not tried, and are reported
    so."""
    answers = limited(deadly).decode_all(LAYOUT, [GOOD, EVIL] * 8)
    crashed = [index for index, answer in enumerate(answers) if answer.outcome is DecodeOutcome.CRASHED]
    assert crashed == [1, 3, 5, 7, 9, 11]
    assert {answer.outcome for answer in answers[12:]} == {DecodeOutcome.LEFT_OUT}
    assert {answer.error for answer in answers[12:]} == {SAME_CAUSE}


PLACES = [("count-huge", "a"), ("count-huge", "b"), ("text-cut", "a")]


@pytest.mark.parametrize(
    ("factory", "outcome", "error", "named"),
    [
        (deadly, DecodeOutcome.CRASHED, "process", [0, 1, 2]),
        (spinning, DecodeOutcome.HUNG, HANG, [0, 0, 2]),
        (slow, DecodeOutcome.HUNG, HANG, [0, 0, 2]),
    ],
)
def test_a_site_is_reported_once(
    limited: Any, factory: Any, outcome: DecodeOutcome, error: str, named: list[int]
) -> None:
    """An input with the same cause is skipped and refers to the first; all others are tried.
    The cause of a crash is the operator and the field, that of a hang the operator alone.

    Args:
        named: for each field, the one that its report refers to.
    """
    ends: list[CodecEnd] = []
    fatal = FatalSites("evil")
    fatal.budget.notify = ends.append
    names = [f"{operator} {path} 0" for operator, path in PLACES]
    sites = [
        MutationSite(*place, place[1], f"{' '.join(place)} {turn}") for turn in range(4) for place in PLACES
    ]
    good = MutationSite("count-null", "a", "a", "good")
    inputs = [data for _ in sites for data in (EVIL, GOOD)]
    codec = limited(factory, cpu_s=1, fatal=fatal)
    answers = codec.decode_all(LAYOUT, inputs, [each for site in sites for each in (site, good)])

    assert {answer.outcome for answer in answers[1::2]} == {DecodeOutcome.ACCEPTED}
    tried = [index for index, own in enumerate(named) if index == own]
    assert [answers[2 * index].outcome for index in tried] == [outcome] * len(tried)
    assert [(end.error, end.case) for end in ends] == [(error, names[index]) for index in tried]
    left = [answer for index, answer in enumerate(answers[::2]) if index not in tried]
    assert {(answer.outcome, answer.error) for answer in left} == {(DecodeOutcome.LEFT_OUT, SAME_CAUSE)}
    assert [answer.message for answer in answers[6::2]] == [names[index] for index in named] * 3
    assert (fatal.budget.spent_s > 0) == (error == HANG)


def test_a_codec_that_always_hangs_ends_when_its_time_is_spent(limited: Any) -> None:
    """Inputs that are left when the time for hangs is spent are not asked, for that reason."""
    fatal = FatalSites("evil", HangBudget(2.0))
    sites = [MutationSite(f"operator-{index}", "a", "a", str(index)) for index in range(8)]
    answers = limited(spinning, cpu_s=0.3, fatal=fatal).decode_all(LAYOUT, [EVIL] * 8, sites)
    assert {answer.outcome for answer in answers} == {DecodeOutcome.HUNG, DecodeOutcome.LEFT_OUT}
    assert fatal.budget.spent_s <= 2.0
    assert answers[-1].error == NOT_ASKED


def test_frames_are_read_whole(limited: Any) -> None:
    """Header and body are read as one; a wrong size is refused."""
    header = real("RequestHeader", 2)
    head = compile_layout(header).encode({"requestApiKey": 18, "requestApiVersion": 3})
    frame = (len(head) + len(GOOD)).to_bytes(4) + head + GOOD
    read, refused = limited(compile_layout).decode_frames(header, LAYOUT, [frame, b"\x00" + frame])
    body, alone = limited(compile_layout).decode_all(LAYOUT, [GOOD])[0], canonical(header)
    assert read.value == alone.to_binary({"requestApiKey": 18, "requestApiVersion": 3}) + body.value
    assert refused.outcome is DecodeOutcome.REFUSED


def test_output_of_the_codec_is_not_an_answer(limited: Any) -> None:
    """Output of the codec does not mix with its answers."""
    answers = limited(chatty).decode_all(LAYOUT, INPUTS)
    assert [answer.outcome for answer in answers] == [DecodeOutcome.ACCEPTED] * 41 + [
        DecodeOutcome.REFUSED
    ] + ([DecodeOutcome.ACCEPTED] * 40)


def no_records() -> Callable[[bytes], RecordSet]:
    """Find no batch in any bytes."""
    return lambda data: RecordSet(())


def test_record_sets_are_read_by_the_given_codec(limited: Any) -> None:
    """The default reader is our codec; another one replaces it."""
    data = encode_records([RecordBatch.of([Record(0, 0, b"k", b"v")])])
    (ours,) = limited(compile_layout).decode_records(2, [data])
    (other,) = limited(compile_layout, make_records=no_records).decode_records(2, [data])
    assert ours.value == to_canonical(decode_records(data))
    assert other.value == to_canonical(RecordSet(()))


def test_an_answer_has_the_value_or_the_fault(limited: Any) -> None:
    """An answer has the canonical binary, or the fault with its place."""
    accepted, refused = limited(compile_layout).decode_all(LAYOUT, [GOOD, GOOD[:3]])
    assert accepted.value == bytes.fromhex("0000000161 0000000161 00000000")
    assert (refused.error, refused.path, refused.offset) == ("truncated", "clientSoftwareVersion", 2)


def test_a_child_ends_with_its_parent(limited: Any) -> None:
    """The child reads the end of its pipe, and exits."""
    codec = limited(compile_layout)
    codec.decode_all(LAYOUT, [GOOD])
    process = codec._child.process
    process.stdin.close()
    assert process.wait(10) == 0
    assert sys.executable in process.args[0]


def test_an_end_between_two_batches_mixes_no_answers(limited: Any) -> None:
    """The next reader answers what the one before it did not read; each answer belongs to its input."""
    codec = limited(compile_layout)
    codec.decode_all(LAYOUT, [GOOD] * 40)
    for _ in range(2):
        os.kill(codec._child.reader, signal.SIGKILL)
        answers = codec.decode_all(LAYOUT, [GOOD, WRONG])
        assert [each.outcome for each in answers] == [DecodeOutcome.ACCEPTED, DecodeOutcome.REFUSED]


@pytest.mark.parametrize("factory", [compile_layout, crashing])
def test_a_child_ends_with_its_codec(factory: Any) -> None:
    """A closed codec leaves no process and no open pipe, whether its child is alive or dead."""
    codec = LimitedCodec("forgotten", factory)
    codec.decode_all(LAYOUT, [GOOD])
    child = codec._child
    assert child is not None
    del codec
    gc.collect()
    assert child.process.returncode is not None
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(child.reader).wait(60)
    for pipe in (child.process.stdin, child.process.stdout):
        assert pipe is not None
        assert pipe.closed
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(child.board)
