"""Pseudonyms of the same length, equal for equal values, and the public values that are kept."""

import re
from hashlib import shake_256
from typing import Final
from uuid import UUID

from wireproof.traffic.wire.connection_decoder import CLIENT_NAMES

PUBLIC_FIELDS: Final = (
    "clientSoftwareName",
    "clientSoftwareVersion",
    "configs[].name",
    "synonyms[].name",
    "topicConfigs[].key",
    "configurationKeys[]",
    "supportedFeatures[].name",
    "finalizedFeatures[].name",
    "features[].name",
    "feature",
    "requestedMetrics[]",
)
"""Names of programs, settings, features and metrics, by the end of their path in a message."""

_FIELD: Final = re.compile(r"(?:.*\.)?(?:" + "|".join(map(re.escape, PUBLIC_FIELDS)) + ")")

PUBLIC_WORDS: Final = frozenset(
    {
        *CLIENT_NAMES,
        *(
            "*",
            "kafka-cluster",
            "wireproof",
            "test-client",
            "ANONYMOUS",
            "User:*",
            "User:ANONYMOUS",
            "true",
            "false",
            "null",
        ),
        *(
            "__consumer_offsets",
            "__transaction_state",
            "__share_group_state",
            "__cluster_metadata",
            "@metadata",
        ),
        *("CLIENT", "BROKER", "CONTROLLER", "INTERNAL", "EXTERNAL"),
        *("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
        *("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER"),
        *("user", "client-id", "ip", "producer_byte_rate", "consumer_byte_rate", "request_percentage"),
        *("controller_mutation_rate", "connection_creation_rate"),
        *("metadata.version", "kraft.version", "group.version", "transaction.version", "share.version"),
        *("streams.version", "eligible.leader.replicas.version"),
        *("classic", "consumer", "share", "streams", "connect"),
        *("range", "roundrobin", "sticky", "cooperative-sticky", "stream", "uniform", "simple"),
        *("Empty", "Stable", "Dead", "Unknown", "Assigning", "Reconciling", "NotReady"),
        *("PreparingRebalance", "CompletingRebalance"),
        *("Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "PrepareEpochFence"),
        *("delete", "compact", "producer", "uncompressed", "gzip", "snappy", "lz4", "zstd", "none"),
    }
)
"""Whole texts that are Kafka's own words, or wireproof's client id."""


def is_public_field(path: str) -> bool:
    """Check that the field of a path such as ``results[].configs[].name`` is public."""
    return _FIELD.fullmatch(path) is not None


_ALPHABET: Final = bytes.maketrans(bytes(range(256)), b"abcdefghijklmnopqrstuvwxyz234567" * 8)
_PREFIXES: Final = ("User:", "Group:", "/")
"""Kept prefixes of principals, paths and addresses: a user has the same new name everywhere."""
_SHORT_BYTES: Final = 8
"""Longest text that is mapped one-to-one: random replacements of short texts could collide."""
_TURNED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
"""The alphabet of short texts, before and after; texts with other characters may collide."""
_PLACES: Final = {character: place for place, character in enumerate(_TURNED)}
_TRIES: Final = 64
_REMEMBERED: Final = 100_000
"""Number of cached replacements."""
_RESERVED_IDS: Final = 100
"""Ids below it have a meaning in Kafka: zero, the metadata topic, a lost directory."""


class Pseudonymizer:
    """Replaces values by the key and the value alone; without the key nobody can guess short secrets."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._texts: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return another text of equal length in bytes: letters, digits, ``_`` and ``-``."""
        if not text or text in PUBLIC_WORDS:
            return text
        for prefix in _PREFIXES:
            if text.startswith(prefix):
                return prefix + self.text(text[len(prefix) :])
        if text not in self._texts:
            if len(self._texts) >= _REMEMBERED:
                self._texts.clear()
            short = len(text) <= _SHORT_BYTES and _PLACES.keys() >= set(text)
            self._texts[text] = self._turned(text) if short else self._fresh(text)
        return self._texts[text]

    def data(self, data: bytes) -> bytes:
        """Return other bytes of equal length."""
        return self._stream(b"bytes", data, len(data))

    def id(self, value: UUID) -> UUID:
        """Return another id; reserved ids are kept."""
        if value.int < _RESERVED_IDS:
            return value
        return UUID(bytes=self._stream(b"id", value.bytes, 16))

    def _fresh(self, text: str) -> str:
        """Return a pseudo-random text; two texts collide only by chance."""
        data = text.encode()
        for number in range(_TRIES):
            found = self._stream(b"text%d" % number, data, len(data)).translate(_ALPHABET).decode()
            if found != text:
                break
        return found

    def _turned(self, text: str) -> str:
        """Return a text that is unique for its input: each character is shifted by a number, never 0, that
        depends on the key and the characters after it. Names with equal ends keep equal ends."""
        turned = ""
        for start in range(len(text)):
            (number,) = self._stream(b"turn", text[start + 1 :].encode(), 1)
            place = (_PLACES[text[start]] + 1 + number % (len(_TURNED) - 1)) % len(_TURNED)
            turned += _TURNED[place]
        return turned

    def _stream(self, purpose: bytes, data: bytes, length: int) -> bytes:
        head = b"%d:%s:%s:" % (len(self._key), self._key, purpose)
        return shake_256(head + data).digest(length)
