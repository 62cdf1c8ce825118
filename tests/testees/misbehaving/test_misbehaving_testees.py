"""Testees that misbehave as processes: only the offending request is reported, and no process is left."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.support.schemas.real_layouts import real
from wireproof.model.codec_ends import NOT_ALONE, CodecEnd, MutationSite
from wireproof.model.malformed_input import DecodeOutcome
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.adapters.testee.testee_reader import TesteeReader
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.process import child_process
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.session.process_session import ProcessSession
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    FailedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
    UnsupportedAnswer,
)
from wireproof.proof.testees.testee_errors import TesteeError

PROGRAM = Path(__file__).with_name("misbehaving_testees.py")
LIMITS = ResourceLimits(
    memory_bytes=1 << 30, processes=32, descriptors=64, answer_bytes=1 << 20, cpu_s=0.6, silent_s=1.5
)
BEFORE, AFTER = 40, 160
"""Harmless requests around the offending one: some are answered before it, some are in flight with it."""


@pytest.fixture
def started() -> Iterator[list[ProcessSession]]:
    """The testees of a test. Close them, and check that none of their processes is left."""
    all_of_them: list[ProcessSession] = []
    yield all_of_them
    for testee in all_of_them:
        testee.close()
    left = [each for each in psutil.process_iter() if _is_testee(each)]
    _, alive = psutil.wait_procs(left, timeout=30)  # they were killed, but not waited for
    assert alive == []


def _is_testee(process: psutil.Process) -> bool:
    try:
        running = process.status() != psutil.STATUS_ZOMBIE
        return running and str(PROGRAM) in process.cmdline() and f"own-{os.getpid()}" in process.cmdline()
    except psutil.Error:
        return False


def misbehaving(name: str, started: list[ProcessSession], limits: ResourceLimits = LIMITS) -> ProcessSession:
    command = [sys.executable, "-S", str(PROGRAM), name, f"own-{os.getpid()}"]
    testee = ProcessSession(name, ChildProcess(command, limits=limits))
    started.append(testee)
    return testee


def decode(data: str) -> str:
    return f'"op":"decode","message":"FetchRequest","version":12,"data":"{data}"'


def number(index: int) -> str:
    return f"00{index:04x}"


def ask_around_offending(testee: ProcessSession) -> tuple[list[ProtocolAnswer], ProtocolAnswer]:
    """Return the answers to the harmless requests, and the answer to the offending one among them."""
    harmless = [number(index) for index in range(BEFORE + AFTER)]
    questions = [*harmless[:BEFORE], "ff", *harmless[BEFORE:]]
    answers = testee.ask([decode(data) for data in questions])
    assert len(answers) == len(questions)
    return answers[:BEFORE] + answers[BEFORE + 1 :], answers[BEFORE]


def seen(answers: list[ProtocolAnswer]) -> list[str]:
    return [answer.content["value"]["seen"] for answer in answers if isinstance(answer, OkAnswer)]


OFFENCES = {
    "exit-orderly": ("process", "ended with exit code 0"),
    "exit-with-words": ("process", "exit code 3; the end of its standard error: the codec is out of luck"),
    "segfault": ("process", "was killed by SIGSEGV"),
    "abort": ("process", "was killed by SIGABRT"),
    "kill-itself": ("process", "was killed by SIGKILL"),
    "sleep": ("hang", "no answer for "),
    "spin": ("hang", "of processor time"),
    "spin-in-a-child": ("hang", "of processor time"),
    "eat-memory": ("process", "Cannot allocate memory"),
    "fork-without-end": ("process", "no more processes"),
    "leave-a-child": ("process", "ended with exit code 5"),
    "open-files": ("process", "(it may open 64: limits.descriptors in its testee.toml)"),
    "garbage": ("protocol", "a line that is not JSON"),
    "no-utf8": ("protocol", "a line that is not JSON"),
    "half-a-line": ("process", "ended with exit code 0"),
    "endless-line": ("protocol", "a line longer than 1048576 bytes, which begins with 'xxxx"),
    "deep-nesting": ("protocol", "a line that is not JSON"),
    "unknown-id": ("protocol", "which is not open"),
    "id-as-text": ("protocol", "an answer without an id"),
    "earlier-id": ("protocol", "an answer to id 0, which is not open"),
    "no-answer-key": ("protocol", "an answer that is not one of"),
    "two-answers-in-one": ("protocol", "an answer that is not one of"),
    "unknown-answer-key": ("protocol", "an answer that is not one of"),
    "error-without-class": ("protocol", "decode_error lacks 'class'"),
    "unnamed-limit": ("protocol", "a limit that the hello does not name"),
    "doubled-in-a-line": ("protocol", "broke the protocol: a second answer to id "),
    "consumes-infinity": ("protocol", "a line that is not JSON"),
    "consumes-minus-infinity": ("protocol", "a line that is not JSON"),
    "consumes-nan": ("protocol", "a line that is not JSON"),
    "print-noise": ("protocol", "a line that is not JSON: 'DEBUG: decoding'"),
    "close-output": ("process", "closed its standard output"),
    "stop-reading": ("hang", "no answer for "),
}


@pytest.mark.parametrize("name", OFFENCES)
def test_only_the_offending_request_is_reported(name: str, started: list[ProcessSession]) -> None:
    """The report has the reason; the requests before it, in flight with it and after it are answered."""
    testee = misbehaving(name, started)
    harmless, offending = ask_around_offending(testee)
    error, words = OFFENCES[name]
    assert isinstance(offending, EndedAnswer)
    assert offending.error == error
    assert words in offending.message
    assert seen(harmless) == [number(index) for index in range(BEFORE + AFTER)]
    assert testee.starts <= 4


def test_a_testee_outlives_the_thread_that_started_it(started: list[ProcessSession]) -> None:
    """Linux ends a testee with the thread that is its parent, so no asking thread may be that."""
    testee = misbehaving("internal-error", started)
    asking = threading.Thread(target=testee.ask, args=([decode("00")],))
    asking.start()
    asking.join()

    assert len(seen(testee.ask([decode("01")] * 3))) == 3
    assert testee.starts == 1


def writer(name: str, folder: Path, started: list[ProcessSession]) -> ProcessSession:
    command = [sys.executable, "-S", str(PROGRAM), name, f"own-{os.getpid()}"]
    limits = replace(LIMITS, temporary_bytes=8 << 20)
    started.append(ProcessSession("writer", ChildProcess(command, folder, limits)))
    return started[-1]


def test_a_testee_changes_only_temporary_files_of_its_own(
    started: list[ProcessSession], tmp_path: Path
) -> None:
    """Its build, and the builds and jars beside it, cannot be changed, also in a cache below a folder for
    temporary files. Where Landlock is missing, the run says that nothing limits what a testee writes."""
    own = tmp_path / "cache" / "testees" / "own"
    own.mkdir(parents=True)
    (own / "adapter.py").write_text("as it was built")
    testee = writer("write-files", own, started)
    outside = [own / "adapter.py", own / "new", tmp_path / "cache" / "planted.jar", Path("/tmp/planted")]
    paths = [Path("TMPDIR/a"), Path("/dev/null"), *outside]
    answers = testee.ask([decode(f"ff{os.fsencode(path).hex()}") for path in paths])

    assert testee.enforced["files written"] == "temporary files of its own"
    assert seen(answers) == ["written", "written", *["Permission denied"] * len(outside)]
    assert (own / "adapter.py").read_text() == "as it was built"
    assert testee.enforced["files read"] == "not limited"


def test_temporary_files_of_a_testee_end_with_it(
    started: list[ProcessSession], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No folder is left, whether its files are in memory or on the disk."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    testee = writer("write-files", tmp_path, started)
    assert seen(testee.ask([decode(f"ff{b'TMPDIR/a'.hex()}")])) == ["written"]
    assert len(list(tmp_path.iterdir())) == 1
    testee.close()
    assert list(tmp_path.iterdir()) == []


def test_the_bytes_of_temporary_files_are_limited(started: list[ProcessSession], tmp_path: Path) -> None:
    """The system refuses what is above the limit, in one file and in many."""
    one = writer("write-a-large-file", tmp_path, started).ask([decode(f"ff{b'TMPDIR/a'.hex()}")])
    assert seen(one) in (["No space left on device"], ["File too large"])
    assert seen(writer("fill-the-disk", tmp_path, started).ask([decode("ff")])) == ["No space left on device"]


def test_the_bytes_of_temporary_files_are_measured_where_no_file_system_can_be_mounted(
    started: list[ProcessSession], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file is refused by the system; for many the testee is ended, with the reason."""
    text = Path(child_process._LAUNCHER).read_text().replace("unshare(_CLONE_NEWNS) != 0", "getpid() != 0")
    (tmp_path / "launcher.py").write_text(text)
    monkeypatch.setattr(child_process, "_LAUNCHER", str(tmp_path / "launcher.py"))
    one = writer("write-a-large-file", tmp_path, started).ask([decode(f"ff{b'TMPDIR/a'.hex()}")])
    assert seen(one) == ["File too large"]
    before, many = writer("fill-the-disk", tmp_path, started).ask([decode("00"), decode("ff")])
    assert isinstance(before, OkAnswer)
    assert isinstance(many, EndedAnswer)
    assert "its temporary files are too large: limits.temporary_mib" in many.message


def test_an_answer_that_comes_twice(started: list[ProcessSession]) -> None:
    """All requests have answers; the violation is reported when it occurs."""
    testee = misbehaving("doubled", started)
    harmless, offending = ask_around_offending(testee)
    assert seen(harmless) == [number(index) for index in range(BEFORE + AFTER)]
    assert isinstance(offending, EndedAnswer | OkAnswer)
    assert testee.starts > 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("exit-at-once", "ended with exit code 1; the end of its standard error: no such file: codec.so"),
        ("garbage-hello", "a line that is not JSON: 'hello!'"),
        ("other-protocol", "it speaks protocol version 2, wireproof 1"),
        ("claims-nothing", "it claims no message at all"),
        ("claims-unknown-operation", "'guess' is not a valid Operation"),
        ("claims-no-range", "'all' is not a list of version ranges"),
        ("nameless", "'name' is missing, or is not a name that is known here"),
        ("banner", "a line that is not JSON: 'testee 1.0, all rights reserved'"),
        ("two-hellos", "more than one answer to the hello"),
    ],
)
def test_an_invalid_hello(name: str, words: str, started: list[ProcessSession]) -> None:
    """The error has the reason, and a command to try it by hand."""
    with pytest.raises(TesteeError) as raised:
        misbehaving(name, started).hello()
    assert words in raised.value.message
    assert "Try it by hand: echo '" in raised.value.advice


def test_a_program_that_is_not_there(started: list[ProcessSession]) -> None:
    """The message has its path."""
    testee = ProcessSession("absent", ChildProcess(["/nowhere/testee"]))
    with pytest.raises(TesteeError, match="cannot start /nowhere/testee: No such file or directory"):
        testee.hello()


def test_a_hello_that_changes(started: list[ProcessSession]) -> None:
    """The run was planned with the first hello, so a different second one is an error."""
    testee = misbehaving("moody-hello", started)
    testee.hello()
    testee.stop()
    with pytest.raises(TesteeError, match="sends another hello than after its first start"):
        testee.hello()


def test_output_on_standard_error_does_no_harm(started: list[ProcessSession]) -> None:
    """The session reads all of it and keeps the end."""
    testee = misbehaving("floods-stderr", started)
    answers = testee.ask([decode(number(index)) for index in range(100)])
    assert len(seen(answers)) == 100
    assert testee.starts == 1


def test_an_internal_error_has_its_standard_error(started: list[ProcessSession]) -> None:
    """The answer has the testee's standard error, also for the next internal error."""
    harmless, offending = ask_around_offending(found := misbehaving("internal-error", started))

    assert all(isinstance(answer, OkAnswer) for answer in harmless)
    said = "Traceback:\n  codec.py, line 3\nFancyError: no such luck"
    assert offending == FailedAnswer(False, "codec.FancyError", "no such luck", stderr=said)
    (again,) = found.ask([decode("ff")])
    assert isinstance(again, FailedAnswer)
    assert again.stderr.endswith(f"something else\n{said}")
    assert found.starts == 1


def test_any_order_is_legal(started: list[ProcessSession]) -> None:
    """Answers one by one and backwards reach their questions."""
    testee = misbehaving("backwards", started)
    answers = testee.ask([decode(number(index)) for index in range(500)])
    assert seen(answers) == [number(index) for index in range(500)]
    assert testee.starts == 1


def test_a_testee_that_outlives_its_stop(started: list[ProcessSession]) -> None:
    """The session ends the process, and starts another for the next request."""
    testee = misbehaving("answers-after-stop", started)
    assert len(seen(testee.ask([decode("00")]))) == 1
    assert testee.stop() is False
    assert len(seen(testee.ask([decode("00")]))) == 1
    assert testee.starts == 2


def test_a_death_without_an_offending_request(started: list[ProcessSession]) -> None:
    """One death is ignored; repeated deaths are reported without a request as their cause."""
    testee = misbehaving("dies-of-age", started)
    answers = testee.ask([decode(number(index)) for index in range(400)])
    ended = [answer for answer in answers if isinstance(answer, EndedAnswer)]
    assert 1 <= len(ended) <= 8
    assert all(
        "though no question does it alone" in each.message for each in ended if each.error == "process"
    )
    assert len(seen(answers)) == 400 - len(ended)


def test_questions_that_hang_only_together(started: list[ProcessSession]) -> None:
    """A testee that hangs at each line of several requests is reported, though each is answered alone."""
    testee = misbehaving("spins-in-company", started)
    answers = testee.ask([decode(number(index)) for index in range(20)])
    (ended,) = [answer for answer in answers if isinstance(answer, EndedAnswer)]
    assert ended.error == "hang"
    assert f"again when another process was sent the same 20 requests, {NOT_ALONE}: " in ended.message
    assert len(seen(answers)) == 19


@pytest.mark.parametrize("malformed", [False, True], ids=["values", "malformed"])
@pytest.mark.parametrize("first", [1, 3, 150])
@pytest.mark.parametrize("name", ["sleep", "spin", "stop-itself", "half-a-line-and-sleep"])
def test_a_hang_from_some_question_on(
    name: str, first: int, malformed: bool, started: list[ProcessSession]
) -> None:
    """It is reported as a hang, once at a site. The words say if no request causes it alone."""
    testee = misbehaving(f"{name}@{first}", started, replace(LIMITS, silent_s=0.6, cpu_s=0.3))
    sites = [MutationSite("count-huge", "topics", "int32", "a hang") if malformed else None] * 160
    answers = testee.ask([decode(number(index)) for index in range(160)], sites)
    ended = [answer for answer in answers if isinstance(answer, EndedAnswer)]
    assert {answer.error for answer in ended} == {"hang"}
    assert (NOT_ALONE in ended[0].message) == (first > 1)
    if first > 1:
        assert len(ended) <= 2
        assert len(seen(answers)) >= first - 1


def test_a_late_answer_is_no_hang(started: list[ProcessSession]) -> None:
    """An answer may take longer than the first attempt allows: the repetition has twice the time."""
    testee = misbehaving("work-late@150", started, replace(LIMITS, cpu_s=10.0, silent_s=60.0))
    assert len(seen(testee.ask([decode(number(index)) for index in range(150)]))) == 150


def test_questions_are_left_out_after_many_deaths(started: list[ProcessSession]) -> None:
    """Each death costs a start: after some of them the rest of the cell is left out."""
    testee = misbehaving("exit-orderly", started)
    answers = testee.ask([decode("ff")] * 20)
    left_out = [answer for answer in answers if isinstance(answer, NotAskedAnswer)]
    assert len(left_out) == 14
    assert {each.same_as for each in left_out} == {"this cell: a value"}
    testee.begin_cell()
    assert len(seen(testee.ask([decode("00")]))) == 1


def test_hangs_take_no_more_than_their_time(started: list[ProcessSession]) -> None:
    """Once no further verdict can be paid for, malformed bytes are not asked; the words name the reason.
    Right values still are, until one of them is suspected, too."""
    testee = misbehaving("spin", started)
    testee.fatal.budget.total_s = 4.0
    offending_sites = [
        MutationSite(f"count-{index}", "field", "int32", f"hang {index}") for index in range(9)
    ]
    answers = testee.ask([decode("00"), *[decode("ff")] * 9, decode("01")], [None, *offending_sites, None])
    hung = [answer for answer in answers if isinstance(answer, EndedAnswer)]
    left = [answer for answer in answers if isinstance(answer, NotAskedAnswer)]
    assert 1 <= len(hung) <= 4
    assert left[-1].message.endswith("s of this run were spent on hangs")
    assert not any(each.same_as for each in left)
    assert seen(answers) == ["00", "01"]
    assert testee.fatal.budget.spent_s > 0
    assert [type(each) for each in testee.ask([decode("ff"), decode("02")])] == [
        NotAskedAnswer,
        NotAskedAnswer,
    ]


HANG, DEATH = "ff01", "ff02"
SITED = [
    *[(HANG, MutationSite("count-huge", "topics", "[]Topic", f"hang {index}")) for index in range(8)],
    *[("00", MutationSite("count-null", "topics", "[]Topic", f"right {index}")) for index in range(8)],
    *[(DEATH, MutationSite("length-negative", "name", "string", f"death {index}")) for index in range(8)],
    ("00", MutationSite("count-negative", "topics", "[]Topic", "right elsewhere")),
    (HANG, MutationSite("count-huge", "topics[].names", "[]string", "hang 8")),
    (HANG, MutationSite("tag-count-huge", "_tags", "tags", "hang elsewhere")),
    (DEATH, MutationSite("length-negative", "host", "string", "death elsewhere")),
]


def test_one_hang_hides_nothing_but_its_own_cause(started: list[ProcessSession]) -> None:
    """A codec with two bugs in one cell: a hang shows once for each operator, a crash at each of its places;
    nothing else is left out.
    Each end is reported at once; a skipped request has the name of the reported case."""
    testee = misbehaving("spin-or-exit", started)
    ends: list[CodecEnd] = []
    testee.fatal.budget.notify = ends.append
    answers = testee.ask([decode(data) for data, _ in SITED], [site for _, site in SITED])

    by_name = {site.name: answer for (_, site), answer in zip(SITED, answers, strict=True)}
    ended = {name: answer.error for name, answer in by_name.items() if isinstance(answer, EndedAnswer)}
    assert ended == {
        "hang 0": "hang",
        "death 0": "process",
        "hang elsewhere": "hang",
        "death elsewhere": "process",
    }
    assert [(each.error, each.case) for each in ends] == [(error, name) for name, error in ended.items()]
    skipped = {name: answer.same_as for name, answer in by_name.items() if isinstance(answer, NotAskedAnswer)}
    assert skipped == {
        f"{what} {index}": f"{what} 0" for what, end in (("hang", 9), ("death", 8)) for index in range(1, end)
    }
    assert all(isinstance(answer, OkAnswer) for name, answer in by_name.items() if name.startswith("right"))
    assert testee.fatal.budget.spent_s < testee.fatal.budget.total_s


def test_a_limit_that_the_hello_names(started: list[ProcessSession]) -> None:
    """Such an answer is taken as it is."""
    answer = UnsupportedAnswer("small", "")
    assert misbehaving("exit-orderly", started).hello().limits[answer.reason] == "it is small"


def test_the_enforced_limits_are_reported(started: list[ProcessSession]) -> None:
    """All limits that the system supports are enforced."""
    testee = misbehaving("exit-orderly", started)
    testee.hello()
    assert set(testee.enforced) == {
        *("network", "processes", "memory", "descriptors", "core dumps", "files written", "files read"),
        "temporary files",
    }
    assert testee.enforced["memory"] == str(1 << 30)
    assert testee.enforced["descriptors"] == "64"


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux reports peak memory")
def test_what_an_answer_makes_a_process_grow_by_is_weighed(started: list[ProcessSession]) -> None:
    """Each offending request shows more than half of the memory that it takes, others next to nothing."""
    testee = misbehaving("grow", started)
    testee.ask([decode(number(0))])

    def grown(data: str) -> int:
        before, answers, after = (
            testee.measure_peak(begin=True),
            testee.ask([decode(data)]),
            testee.measure_peak(),
        )
        assert before is not None
        assert after is not None
        assert isinstance(answers[0], OkAnswer)
        assert before.process == after.process
        return after.peak_bytes - before.peak_bytes

    assert grown("ff") > 150 << 20
    assert grown(number(1)) < 10 << 20
    assert grown("ff") > 150 << 20


def test_processor_time_belongs_to_a_process(started: list[ProcessSession]) -> None:
    """It only increases while the process lives; that of the next process has another number."""
    testee = misbehaving("grow", started)
    first = testee.cpu_time()
    testee.ask([decode(number(0))])
    second = testee.cpu_time()
    testee.stop()
    third = testee.cpu_time()
    if first is None or second is None or third is None:
        assert not Path("/proc/self/task").exists()  # only Linux has a clock for each process
        return
    assert second.process == first.process
    assert second.seconds >= first.seconds
    assert third.process != second.process


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux reports peak memory")
def test_a_testee_that_grows_out_of_proportion_blows_up(started: list[ProcessSession]) -> None:
    """Only the offending input is reported, although its answer is right."""
    reader = TesteeReader(TesteeAdapter(misbehaving("grow", started), {}))
    inputs = [bytes.fromhex(number(index)) for index in range(80)]
    answers = reader.decode_all(real("FetchRequest", 17), [*inputs[:7], b"\xff", *inputs[7:]])

    assert [index for index, each in enumerate(answers) if each.outcome is DecodeOutcome.BLEW_UP] == [7]
    assert "bytes of memory for 1 bytes of input" in answers[7].message


def test_the_length_of_a_line() -> None:
    """The limit bounds the memory of each worker: a line of 512 MiB took 1.3 GB."""
    assert ResourceLimits().answer_bytes == 64 << 20
