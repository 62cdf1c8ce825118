"""Fingerprints: what makes two frames of a cell alike, and the name of what one adds."""

import pytest

from small_capture import METADATA, NAMING, brokers
from wireproof.frames import Fingerprint, Named


def named(api_key: int, version: int, *, response: bool) -> Named:
    found = NAMING.response(api_key, version) if response else NAMING.request(api_key, version)
    assert isinstance(found, Named)
    return found


def fingerprint(of: Named) -> Fingerprint:
    return Fingerprint(NAMING.codec(of).header.layout, of.layout)


def metadata() -> Fingerprint:
    return fingerprint(named(METADATA, 8, response=True))


def look(prints: Fingerprint, *names: str, error: int = 0) -> int:
    """Of a Metadata response about topics."""
    return prints.look({"correlationId": 7}, brokers("host.example.com", *names, error=error))


def test_other_names_are_alike() -> None:
    """What differs in the text of a name shows the same."""
    prints = metadata()
    assert look(prints, "topic-a") == look(prints, "topic-b")


def test_errors_and_emptiness_are_not_alike() -> None:
    """Each error code is something else, and so is an answer with nothing in it."""
    prints = metadata()
    seen = {look(prints, "t"), look(prints), look(prints, "t", error=3), look(prints, "t", error=5)}
    assert len(seen) == 4


def test_what_is_added_has_a_name() -> None:
    """That an answer tells something goes before its errors, these before the classes of its fields."""
    prints = metadata()
    plain, failed = look(prints, "t"), look(prints, "t", error=3)
    assert prints.name(plain) == "message/telling"
    assert prints.name(failed) == "topics[].errorCode/3"
    assert prints.name(look(prints) & ~plain) == "topics/count-0"
    with pytest.raises(ValueError, match="no bit"):
        prints.name(0)


def test_a_message_without_fields_shows_that_it_was_seen() -> None:
    """It is worth an entry, too."""
    prints = fingerprint(named(18, 2, response=False))
    header = {"requestApiKey": 18, "requestApiVersion": 2, "correlationId": 77, "clientId": "somebody"}
    assert prints.look(header, {})
    assert prints.name(prints.look(header, {}) & -prints.look(header, {}))
