"""What redaction leaves as it is: a table of fields and of words that are no secrets.

All that is not in it is replaced, so a field that a new release brings is redacted until somebody says here
that it need not be.
"""

import re
from typing import Final

from wireproof.wire.connection_decoder import CLIENT_NAMES

__all__ = ["PUBLIC_FIELDS", "PUBLIC_WORDS", "is_public_field"]

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
"""Names that Kafka gives: of programs, settings, features, metrics; by the end of their path in a message."""

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
"""Words of Kafka's own, and the name under which we send: where they are the whole of a text."""


def is_public_field(path: str) -> bool:
    """Whether the field of this path, such as ``results[].configs[].name``, holds no secrets."""
    return _FIELD.fullmatch(path) is not None
