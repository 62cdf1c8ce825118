"""Whose fault a failure is said to be, where a run asks its witnesses."""

from dataclasses import replace
from typing import Any

from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS
from kafkawire.wire import write_uvarint
from tests.support.environments import small_environment
from tests.support.environments.small_environment import NullAsEmpty
from wireproof.adapters.own import KafkawireAdapter
from wireproof.model import FaultOwner, Phase, Reencode, Reencoded, Reply
from wireproof.run import FailedCase, RunOptions, header_layouts
from wireproof.run.provers.message_prover import CellProver

CELL = small_environment.cell("PingRequest", 3)


class AsGiven(NullAsEmpty):
    """Unknown tagged fields are written in the order in which they are given."""

    def encode(self, value: dict[str, Any]) -> bytes:
        tags = value.get(TAGS, {})
        if list(tags) == sorted(tags) or value.get("note", "") != "":
            return self._codec.encode(value)
        out = bytearray(self._codec.encode({**value, TAGS: {}})[:-1])
        for number in (len(tags), *(each for tag, data in tags.items() for each in (tag, len(data), data))):
            if isinstance(number, int):
                write_uvarint(out, number)
            else:
                out += number
        return bytes(out)


class WrongAtFirst(NullAsEmpty):
    """The first encoding of some value has another number."""

    def __init__(self, layout: MessageLayout) -> None:
        super().__init__(layout)
        self.met = False

    def encode(self, value: dict[str, Any]) -> bytes:
        first = not self.met and value.get("count") == 1
        self.met = self.met or first
        return self._codec.encode({**value, "count": 2} if first else value)


class Foreign(KafkawireAdapter):
    """A codec behind an adapter, which can be asked to write again what it read."""

    def ask(self, cell: Any, layout: Any, requests: Any) -> list[Reply]:
        told = super().ask(cell, layout, requests)
        pairs = zip(requests, told, strict=True)
        return [Reencoded(each.data) if isinstance(each, Reencode) else reply for each, reply in pairs]


def failures(make: Any) -> list[FailedCase]:
    adapter = Foreign("codec", make, header_layouts(small_environment.schemas()))
    bench = replace(small_environment.make()(), adapters=[adapter], foreign=True)
    events: list[Any] = []
    options = RunOptions(phases=(Phase.ENUMERATED,), shrink_s=0)
    CellProver(bench, options, CELL, events.append, lambda phase, names: None).prove()
    return [each for each in events if isinstance(each, FailedCase)]


def test_tags_that_a_codec_does_not_sort_are_not_its_defaults():
    """Only the named case gives them unsorted; the blame says what is wrong with them."""
    failed = failures(AsGiven)
    assert {each.case_id.rpartition("/")[2] for each in failed} == {"two"}
    assert failed[0].blame is not None
    assert (failed[0].blame.whose, "KIP-482" in failed[0].blame.evidence) == (FaultOwner.CODEC, True)


def test_an_answer_that_is_right_when_asked_again_depends_on_what_came_before():
    """It is no field's fault."""
    failed = [each for each in failures(WrongAtFirst) if each.divergences[0].check == "bytes"]
    assert failed[0].blame is not None
    assert "depends on what it was asked before" in failed[0].blame.evidence
