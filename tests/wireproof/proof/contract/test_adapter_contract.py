"""`check_adapter`: our own adapters keep the contract, and each rule finds an adapter that breaks it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kafkawire.compiler import MessageCodec, compile_layout, interpret_layout
from kafkawire.records import record_set_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.codecs.claiming_codecs import Claiming
from tests.support.testees.other_languages import EACH_LANGUAGE
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.adapter import (
    Decode,
    Decoded,
    Encode,
    Encoded,
    Refused,
    Reply,
    Request,
    Size,
    Sized,
    Unsupported,
)
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.adapters.own.record_adapter import RecordsAdapter
from wireproof.proof.adapters.testee.testee_adapter import ColdStartTestee, TesteeAdapter
from wireproof.proof.run.core.environment import header_layouts
from wireproof.proof.testees.build.launch import Launch, prepare_testee
from wireproof.proof.testees.build.scaffold import start_testee
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.session.in_process_testees import LiveObject, load_kit
from wireproof.proof.testees.session.testee_session import TesteeSession
from wireproof.testing import ContractError, check_adapter, contract_cells

CELLS = contract_cells(messages=("ApiVersionsRequest", "MetadataRequest"))
HEADERS = header_layouts(load_snapshot(table().choose("newest")[0]))
OWN_TESTEE = Path(__file__).parents[3] / "support/testees/own_testee.py"


@contextmanager
def opened(launch: Launch) -> Iterator[TesteeSession]:
    session = launch.open_session("wireproof test")
    try:
        yield session
    finally:
        session.close()


@pytest.mark.parametrize("make", [compile_layout, interpret_layout])
def test_our_codec_keeps_the_contract(make: Callable[[MessageLayout], MessageCodec]) -> None:
    """The compiled and the interpreted codec are checked, on messages with every kind of field."""
    check_adapter(KafkawireAdapter("kafkawire", make, HEADERS))


def test_our_codec_of_record_sets_keeps_the_contract() -> None:
    """Values are those of `record_set_layout`; bytes that are not a record set are refused."""
    cell = Cell("4.4.0", RECORDS_MODULE, "RecordBatch", 2)
    check_adapter(RecordsAdapter("kafkawire"), [(cell, record_set_layout(2))])


def test_a_testee_in_a_process_keeps_the_contract() -> None:
    """Testees for cold starts keep it too, each with its own process."""
    command = (sys.executable, str(OWN_TESTEE), "4.4.0", "MetadataRequest")
    launch = Launch("own", ChildProcess(command))
    with opened(launch) as session, opened(launch) as other:
        check_adapter(TesteeAdapter(session, HEADERS), CELLS)
        check_adapter(ColdStartTestee(lambda: TesteeAdapter(other, HEADERS)), CELLS[-1:])


def test_a_testee_of_the_python_kit_in_this_process_keeps_the_contract(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kit calls the codec without a pipe."""
    load_kit()
    monkeypatch.delitem(
        sys.modules, "tests.support.testees.own_adapter", raising=False
    )  # it may hold an earlier copy of the kit
    from tests.support.testees.own_adapter import RIGHT

    with opened(Launch("live", LiveObject(RIGHT))) as session:
        check_adapter(TesteeAdapter(session, HEADERS), CELLS)


@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_a_template_of_each_kit_keeps_the_contract(tmp_path: Path, language: str) -> None:
    """The folder that `wireproof testee new` writes is built with its kit."""
    folder = tmp_path / "my-codec"
    start_testee(folder, language)
    launch = prepare_testee(str(folder), tmp_path / "cache", lambda words: None)
    with opened(launch) as session:
        check_adapter(TesteeAdapter(session, HEADERS), CELLS)


class Wrong(KafkawireAdapter):
    """Our adapter, with one fault.

    Args:
        change: (requests, replies) -> replies.
    """

    def __init__(self, change: Callable[[Sequence[Request], list[Reply]], Any]) -> None:
        super().__init__("wrong", compile_layout, HEADERS)
        self._change = change

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        replies: list[Reply] = self._change(requests, super().ask(cell, layout, requests))
        return replies


def each(wrong: Callable[[Reply], Any]) -> Callable[[Sequence[Request], list[Reply]], Any]:
    return lambda requests, replies: [wrong(reply) for reply in replies]


def raising(requests: Sequence[Request], replies: list[Reply]) -> list[Reply]:
    if any(isinstance(reply, Refused) for reply in replies):
        raise ValueError("the codec refused")
    return replies


def emptying(requests: Sequence[Request], replies: list[Reply]) -> list[Reply]:
    for request in requests:
        if isinstance(request, Encode):
            request.value.clear()
    return replies


def remembering(requests: Sequence[Request], replies: list[Reply]) -> list[Reply]:
    """Repeat the first reply of a call for all replies of its type."""
    first = next((reply for reply in replies if isinstance(reply, Sized)), None)
    return [first if isinstance(reply, Sized) and first else reply for reply in replies]


WRONG: dict[str, tuple[str, Callable[[Sequence[Request], list[Reply]], Any]]] = {
    "gives a reply to nothing": ("one-reply", lambda asked, replies: replies or [Sized(0)]),
    "raises": ("no-exception", raising),
    "gives one reply fewer": ("one-reply", lambda asked, replies: replies[:-1]),
    "gives a tuple": ("one-reply", lambda asked, replies: tuple(replies)),
    "gives bytes for a size": (
        "reply-kind",
        each(lambda reply: Encoded(b"") if isinstance(reply, Sized) else reply),
    ),
    "gives None for a refusal": (
        "reply-kind",
        each(lambda reply: None if isinstance(reply, Refused) else reply),
    ),
    "gives a view": (
        "reply-content",
        each(lambda reply: Encoded(memoryview(reply.data)) if isinstance(reply, Encoded) else reply),  # type: ignore[arg-type]
    ),
    "gives a size as text": (
        "reply-content",
        each(lambda reply: Sized("1") if isinstance(reply, Sized) else reply),  # type: ignore[arg-type]
    ),
    "gives a value of another shape": (
        "reply-content",
        each(
            lambda reply: (
                Decoded({"topics": 1, "clientSoftwareName": 1}) if isinstance(reply, Decoded) else reply
            )
        ),
    ),
    "refuses without a class": (
        "reply-content",
        each(lambda reply: Refused("", reply.message) if isinstance(reply, Refused) else reply),
    ),
    "has no reason": (
        "reply-content",
        each(lambda reply: Unsupported(None, "") if isinstance(reply, Unsupported) else reply),  # type: ignore[arg-type]
    ),
    "remembers": ("order", remembering),
    "empties values": ("requests-kept", emptying),
}


@pytest.mark.parametrize("bug", WRONG)
def test_each_rule_finds_its_violation(bug: str) -> None:
    """The error names the rule, the expected reply, and the actual one."""
    rule, change = WRONG[bug]
    with pytest.raises(ContractError) as raised:
        check_adapter(Wrong(change), CELLS)
    assert rule in [violation.rule for violation in raised.value.violations]
    assert "the contract asks: " in str(raised.value)
    assert "what came: " in str(raised.value)
    assert "the adapter Wrong violates" in str(raised.value)


@pytest.mark.parametrize("name", ["", "two\nlines", None])
def test_a_name_that_is_not_a_printable_line_is_an_error(name: Any) -> None:
    """The name appears in reports."""
    with pytest.raises(ContractError, match="name, name:\n    the contract asks: a printable line"):
        check_adapter(KafkawireAdapter(name, compile_layout, HEADERS), CELLS[:1])


class HalfClaiming(Claiming):
    """An adapter that claims only encoding, answers nothing else, and has one fault in its claims."""

    def __init__(self, bug: str = "") -> None:
        super().__init__("")
        self._bug = bug
        self._headers = HEADERS

    def claimed(self, cell: Cell) -> frozenset[str]:
        return frozenset({"encode"})

    def ways(self, cell: Cell) -> frozenset[CodecDirection]:
        return (
            frozenset(CodecDirection) - {CodecDirection.ENCODE}
            if self._bug == "ways"
            else frozenset({CodecDirection.ENCODE})
        )

    def idle(self, cell: Cell) -> frozenset[str]:
        return frozenset({"size"} if self._bug == "idle" else ())

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        unclaimed = () if self._bug == "answers" else (Decode, Size)
        return [
            Unsupported("mood" if self._bug == "reason" else "", "not claimed")
            if isinstance(request, unclaimed)
            else reply
            for request, reply in zip(requests, super().ask(cell, layout, requests), strict=True)
        ]


def test_an_adapter_may_claim_one_direction() -> None:
    """Operations without a claim are unsupported, without a reason."""
    check_adapter(HalfClaiming(), CELLS)


@pytest.mark.parametrize("bug", ["ways", "idle", "answers", "reason"])
def test_an_adapter_must_keep_its_claims(bug: str) -> None:
    """Its directions, idle operations and answers must agree with its claims."""
    with pytest.raises(ContractError) as raised:
        check_adapter(HalfClaiming(bug), CELLS)
    assert [violation.rule for violation in raised.value.violations] == ["claims"]


def test_no_cells_are_an_error() -> None:
    """Without cells nothing would be checked."""
    with pytest.raises(ValueError, match="no cells: the contract is checked on at least one"):
        check_adapter(KafkawireAdapter("kafkawire", compile_layout, HEADERS), [])
