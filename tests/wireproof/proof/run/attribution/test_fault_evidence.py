"""Attribution of a failure to an owner, with the evidence that a run collects for it."""

from dataclasses import replace
from typing import Any

from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS
from kafkawire.wire import write_uvarint
from tests.support.environments import small_environment
from tests.support.environments.small_environment import NullAsEmpty
from wireproof.model.adapter import Reencode, Reencoded, Reply
from wireproof.model.cell import Phase
from wireproof.model.divergence import FaultOwner
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.environment import header_layouts
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver

CELL = small_environment.cell("PingRequest", 3)


class AsGiven(NullAsEmpty):
    """Our codec, which writes unknown tagged fields in the order in which they are given."""

    def encode(self, value: dict[str, Any]) -> bytes:
        tags = value.get(TAGS, {})
        if list(tags) == sorted(tags) or value.get("note", "") != "":
            return self._codec.encode(value)
        out = bytearray(self._codec.encode({**value, TAGS: {}})[:-1])
        for number in (len(tags), *(each for tag, data in tags.items() for each in (tag, len(data), data))):
            if isinstance(number, int):
                out += write_uvarint(number)
            else:
                out += number
        return bytes(out)


class WrongAtFirst(NullAsEmpty):
    """Our codec, which writes another number the first time that it meets some value."""

    def __init__(self, layout: MessageLayout) -> None:
        super().__init__(layout)
        self.met = False

    def encode(self, value: dict[str, Any]) -> bytes:
        first = not self.met and value.get("count") == 1
        self.met = self.met or first
        return self._codec.encode({**value, "count": 2} if first else value)


class Foreign(KafkawireAdapter):
    """A codec below an adapter that can encode again the value that it read."""

    def ask(self, cell: Any, layout: Any, requests: Any) -> list[Reply]:
        replies = super().ask(cell, layout, requests)
        pairs = zip(requests, replies, strict=True)
        return [Reencoded(each.data) if isinstance(each, Reencode) else reply for each, reply in pairs]


def failures(make: Any) -> list[FailedCase]:
    adapter = Foreign("codec", make, header_layouts(small_environment.schemas()))
    environment = replace(small_environment.make()(), adapters=[adapter], foreign=True)
    events: list[Any] = []
    options = RunOptions(phases=(Phase.ENUMERATED,), shrink_s=0)
    CellProver(environment, options, CELL, events.append, lambda phase, names: None).prove()
    return [each for each in events if isinstance(each, FailedCase)]


def test_unsorted_tags_are_blamed_on_the_codec():
    """Only one named case gives unsorted tags, and the blame cites the rule that they break."""
    failed = failures(AsGiven)
    assert {each.case_id.rpartition("/")[2] for each in failed} == {"two"}
    assert failed[0].blame is not None
    assert (failed[0].blame.whose, "KIP-482" in failed[0].blame.evidence) == (FaultOwner.CODEC, True)


def test_an_answer_that_is_right_the_second_time_depends_on_earlier_requests():
    """The cause of such a failure is not a field."""
    failed = [each for each in failures(WrongAtFirst) if each.divergences[0].check == "bytes"]
    assert failed[0].blame is not None
    assert "depends on what it was asked before" in failed[0].blame.evidence
