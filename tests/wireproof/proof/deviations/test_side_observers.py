"""Observers of codecs side by side: a known cause explains the divergences of its own codec alone."""

import pytest

from kafkawire import layout
from wireproof.model.adapter import Encode, Encoded
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.prediction import CodecExchange, right_reply
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause
from wireproof.proof.deviations.search.side_observers import SideObservers

CELL = Cell("4.4.0", "clients", "HeartbeatRequest", 0)
LAYOUT = layout(CELL.message, CELL.version)
VALUE = {"groupId": "g", "generationId": 3, "memberId": "m"}
ZEROED = Deviation(CodecDirection.ENCODE, "value", "zero", fields=frozenset({"generationId"}))
RIGHT = right_reply(CodecExchange(LAYOUT, None, Encode(VALUE), Encoded(b"")))
WRONG = right_reply(CodecExchange(LAYOUT, None, Encode({**VALUE, "generationId": 0}), Encoded(b"")))


def _observers(*replies: tuple[str, object]) -> SideObservers:
    observers = SideObservers(["one", "other"])
    observers.begin(CELL, [KnownCause("zeroed", ZEROED, "one")])
    for name, reply in replies:
        assert isinstance(reply, Encoded)
        given = observers.of(name).settle(LAYOUT, None, Encode(VALUE), reply, whole=False)
        assert given is reply  # the answers are compared as they are
    return observers


def _divergences(*names: str) -> tuple[Divergence, ...]:
    return tuple(Divergence("bytes", each, "differs", path="generationId") for each in names)


def test_a_predicted_answer_is_known() -> None:
    """The codec writes zero, as the cause says: the divergence has the id of the entry, and its codec."""
    (found,) = _observers(("one", WRONG)).explained(_divergences("one"), VALUE, None)
    assert found.entry == "one/zeroed"


def test_the_same_answer_of_another_codec_is_not() -> None:
    """Each codec has its own ledger."""
    found = _observers(("one", WRONG), ("other", WRONG)).explained(_divergences("one", "other"), VALUE, None)
    assert [each.entry for each in found] == ["one/zeroed", ""]


@pytest.mark.parametrize("reply", [Encoded(b"other bytes"), RIGHT])
def test_another_answer_at_the_same_place_is_not(reply: Encoded) -> None:
    """The divergence of a codec that writes other bytes, or of one that writes the right ones, stays."""
    (found,) = _observers(("one", reply)).explained(_divergences("one"), VALUE, None)
    assert not found.entry
