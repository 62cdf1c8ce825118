"""Fingerprints: which frames of a cell have equal ones, and the name of each bit."""

import pytest

from tests.support.capture.small_capture import METADATA, NAMING, brokers
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint, Fingerprinter
from wireproof.traffic.wire.frame_identifier import FrameType


def named(api_key: int, version: int, *, response: bool) -> FrameType:
    found = NAMING.response(api_key, version) if response else NAMING.request(api_key, version)
    assert isinstance(found, FrameType)
    return found


def fingerprint(of: FrameType) -> Fingerprinter:
    return Fingerprinter(NAMING.codec(of).header.layout, of.layout)


def metadata() -> Fingerprinter:
    return fingerprint(named(METADATA, 8, response=True))


def look(prints: Fingerprinter, *names: str, error: int = 0) -> Fingerprint:
    """Return the fingerprint of a Metadata response with topics."""
    return prints.fingerprint({"correlationId": 7}, brokers("host.example.com", *names, error=error))


def test_frames_with_other_names_have_equal_fingerprints() -> None:
    """A different text in a name gives the same fingerprint."""
    prints = metadata()
    assert look(prints, "topic-a") == look(prints, "topic-b")


def test_errors_and_empty_responses_have_different_fingerprints() -> None:
    """Each error code has its own bit, and so does an empty response."""
    prints = metadata()
    seen = {look(prints, "t"), look(prints), look(prints, "t", error=3), look(prints, "t", error=5)}
    assert len(seen) == 4


def test_a_fingerprint_does_not_depend_on_earlier_frames() -> None:
    """Two fingerprinters that read other frames before give the same fingerprint, byte by byte."""
    one, other = metadata(), metadata()
    look(one, "t", error=3)
    look(other, "t", error=5)
    assert look(one, "u", error=9) == look(other, "u", error=9)
    assert look(one, "u", error=9).to_bytes() == look(other, "u", error=9).to_bytes()


def test_a_known_size_is_not_calculated_again() -> None:
    """The size only decides whether a body is larger than 64 KiB."""
    prints, header, body = metadata(), {"correlationId": 7}, brokers("host.example.com", "t")
    size = len(NAMING.codec(named(METADATA, 8, response=True)).body.encode(body))
    assert prints.fingerprint(header, body, size) == prints.fingerprint(header, body)
    assert prints.class_names(
        prints.fingerprint(header, body, 1 << 17).bits ^ prints.fingerprint(header, body).bits
    ) == ["message/over-64KiB"]


@pytest.mark.parametrize("error", [0, 3])
def test_a_fingerprint_is_read_back_from_its_bytes(error: int) -> None:
    """The errors and the presence of content are read back."""
    shown = look(metadata(), "t", error=error)
    assert Fingerprint.from_bytes(shown.to_bytes()) == shown


def test_an_added_bit_has_a_name() -> None:
    """The presence of content comes before errors, and errors come before the classes of the fields."""
    prints = metadata()
    plain, failed, empty = look(prints, "t"), look(prints, "t", error=3), look(prints)
    numbering = prints.fingerprint_bits([plain, failed, empty])
    assert numbering.name(numbering.bits(plain)) == "message/telling"
    assert numbering.name(numbering.bits(failed)) == "topics[].errorCode/3"
    assert numbering.name(numbering.bits(empty) & ~numbering.bits(plain)) == "topics/count-0"
    with pytest.raises(ValueError, match="no bit"):
        numbering.name(0)


def test_a_message_without_fields_has_a_fingerprint() -> None:
    """Such a message is worth an entry too."""
    prints = fingerprint(named(18, 2, response=False))
    header = {"requestApiKey": 18, "requestApiVersion": 2, "correlationId": 77, "clientId": "somebody"}
    shown = prints.fingerprint(header, {})
    bits = prints.fingerprint_bits([shown]).bits(shown)
    assert bits != shown.bits
    assert prints.fingerprint_bits([shown]).name(bits ^ shown.bits) == "message/seen"


def test_classes_have_the_names_of_their_bits() -> None:
    """The classes are in the order of the bits; each class that a frame covers is reachable."""
    prints = metadata()
    shown = look(prints, "t", error=3)
    names = [str(point) for point, _ in prints.classes]
    assert [name for bit, name in enumerate(names) if shown.bits >> bit & 1] == prints.class_names(shown.bits)
    assert all(reachable for bit, (_, reachable) in enumerate(prints.classes) if shown.bits >> bit & 1)


def test_a_frame_cannot_cover_a_refused_value() -> None:
    """Nor can fields that the version lacks: OfflineReplicas came in 5, and these are responses of version
    1."""
    classes = fingerprint(named(METADATA, 1, response=True)).classes
    unmet = {str(point) for point, reachable in classes if not reachable}
    assert {"throttleTimeMs/at-default", "topics[].errorCode/refused-high"} <= unmet
    assert "topics[].errorCode/max" not in unmet
    assert "brokers[].rack/null" not in unmet
