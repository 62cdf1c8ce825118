"""Fingerprints: what makes two frames of a cell alike, and the name of what one adds."""

import pytest

from tests.support.capture.small_capture import METADATA, NAMING, brokers
from wireproof.fingerprint import Fingerprint, Fingerprinter
from wireproof.wire import FrameType


def named(api_key: int, version: int, *, response: bool) -> FrameType:
    found = NAMING.response(api_key, version) if response else NAMING.request(api_key, version)
    assert isinstance(found, FrameType)
    return found


def fingerprint(of: FrameType) -> Fingerprinter:
    return Fingerprinter(NAMING.codec(of).header.layout, of.layout)


def metadata() -> Fingerprinter:
    return fingerprint(named(METADATA, 8, response=True))


def look(prints: Fingerprinter, *names: str, error: int = 0) -> Fingerprint:
    """Of a Metadata response about topics."""
    return prints.fingerprint({"correlationId": 7}, brokers("host.example.com", *names, error=error))


def test_other_names_are_alike() -> None:
    """What differs in the text of a name shows the same."""
    prints = metadata()
    assert look(prints, "topic-a") == look(prints, "topic-b")


def test_errors_and_emptiness_are_not_alike() -> None:
    """Each error code is something else, and so is an answer with nothing in it."""
    prints = metadata()
    seen = {look(prints, "t"), look(prints), look(prints, "t", error=3), look(prints, "t", error=5)}
    assert len(seen) == 4


def test_what_a_frame_shows_does_not_depend_on_those_before_it() -> None:
    """Looked at by two who met other frames first, it shows the same, down to its bytes."""
    one, other = metadata(), metadata()
    look(one, "t", error=3)
    look(other, "t", error=5)
    assert look(one, "u", error=9) == look(other, "u", error=9)
    assert look(one, "u", error=9).to_bytes() == look(other, "u", error=9).to_bytes()


def test_a_size_that_is_known_is_not_worked_out_again() -> None:
    """It tells whether a body passes 64 KiB, and nothing else."""
    prints, header, body = metadata(), {"correlationId": 7}, brokers("host.example.com", "t")
    size = len(NAMING.codec(named(METADATA, 8, response=True)).body.encode(body))
    assert prints.fingerprint(header, body, size) == prints.fingerprint(header, body)
    assert prints.class_names(
        prints.fingerprint(header, body, 1 << 17).bits ^ prints.fingerprint(header, body).bits
    ) == ["message/over-64KiB"]


@pytest.mark.parametrize("error", [0, 3])
def test_bytes_of_what_was_shown_are_read_back(error: int) -> None:
    """With its errors and whether it tells something."""
    shown = look(metadata(), "t", error=error)
    assert Fingerprint.from_bytes(shown.to_bytes()) == shown


def test_what_is_added_has_a_name() -> None:
    """That an answer tells something goes before its errors, these before the classes of its fields."""
    prints = metadata()
    plain, failed, empty = look(prints, "t"), look(prints, "t", error=3), look(prints)
    numbering = prints.fingerprint_bits([plain, failed, empty])
    assert numbering.name(numbering.bits(plain)) == "message/telling"
    assert numbering.name(numbering.bits(failed)) == "topics[].errorCode/3"
    assert numbering.name(numbering.bits(empty) & ~numbering.bits(plain)) == "topics/count-0"
    with pytest.raises(ValueError, match="no bit"):
        numbering.name(0)


def test_a_message_without_fields_shows_that_it_was_seen() -> None:
    """It is worth an entry, too."""
    prints = fingerprint(named(18, 2, response=False))
    header = {"requestApiKey": 18, "requestApiVersion": 2, "correlationId": 77, "clientId": "somebody"}
    shown = prints.fingerprint(header, {})
    bits = prints.fingerprint_bits([shown]).bits(shown)
    assert bits != shown.bits
    assert prints.fingerprint_bits([shown]).name(bits ^ shown.bits) == "message/seen"


def test_classes_have_the_names_of_their_bits() -> None:
    """Every class in the order of the bits; of those that a frame met each can be met."""
    prints = metadata()
    shown = look(prints, "t", error=3)
    names = [str(point) for point, _ in prints.classes]
    assert [name for bit, name in enumerate(names) if shown.bits >> bit & 1] == prints.class_names(shown.bits)
    assert all(reachable for bit, (_, reachable) in enumerate(prints.classes) if shown.bits >> bit & 1)


def test_what_codecs_refuse_cannot_be_met_by_a_frame() -> None:
    """Nor fields that the version lacks: offline replicas came in 5, and here are answers of 1."""
    classes = fingerprint(named(METADATA, 1, response=True)).classes
    unmet = {str(point) for point, reachable in classes if not reachable}
    assert {"throttleTimeMs/at-default", "topics[].errorCode/refused-high"} <= unmet
    assert "topics[].errorCode/max" not in unmet
    assert "brokers[].rack/null" not in unmet
