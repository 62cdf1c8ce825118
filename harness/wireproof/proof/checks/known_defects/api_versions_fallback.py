"""The fallback of KIP-511: the answer to an ApiVersions request whose version the broker lacks.

The broker answers with UNSUPPORTED_VERSION in the format of version 0, whatever version was asked for.
`ApiVersionsResponse.parse` of Kafka reads version 0 where the requested version cannot be read.
"""

from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.proof.checks.known_defects.leniencies import Leniency, LeniencyWitness

__all__ = ["LEFT_OUT", "UNSUPPORTED_VERSION", "VERSION_FALLBACK", "begins_fallback", "has_fallback"]

_MESSAGE: Final = "ApiVersionsResponse"
UNSUPPORTED_VERSION: Final = 35
_ERROR: Final = UNSUPPORTED_VERSION.to_bytes(2)

LEFT_OUT: Final = "the codec may read these bytes as version 0; whether it does is a case of its own"

VERSION_FALLBACK: Final = Leniency(
    "version-fallback",
    "an ApiVersionsResponse that its version cannot read is read as version 0 (KIP-511)",
    LeniencyWitness(_MESSAGE, 3, "002300000000"),
    "2.8",
)
"""Kafka's class of a single version does not do it, so the table of leniencies has no place for it."""


def has_fallback(layout: MessageLayout) -> bool:
    """Return whether an answer to a request of the layout's version may come in the format of version 0."""
    return layout.name == _MESSAGE and layout.version > 0


def begins_fallback(layout: MessageLayout, data: bytes) -> bool:
    """Return whether a client may take bytes for an answer of version 0: they begin with the error.

    A broker never writes this error in another version, so bytes of such a value prove nothing against a
    codec that falls back.
    """
    return has_fallback(layout) and data.startswith(_ERROR)
