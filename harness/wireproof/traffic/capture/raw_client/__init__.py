"""A raw Kafka client: one connection, one request at a time, with TLS and SASL logins."""

from wireproof.traffic.capture.raw_client.broker_access import BrokerAccess
from wireproof.traffic.capture.raw_client.raw_client import (
    Address,
    AnsweredCall,
    ApiCatalog,
    CallOutcome,
    RawClient,
    UnreadableCall,
)

__all__ = [
    "Address",
    "AnsweredCall",
    "ApiCatalog",
    "BrokerAccess",
    "CallOutcome",
    "RawClient",
    "UnreadableCall",
]
