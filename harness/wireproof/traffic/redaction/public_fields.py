"""Public fields and words: the tables of values that redaction keeps.

All other values are replaced, so a field of a new release is redacted until it is added here.
"""

import re
from typing import Final

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
