"""A raw Kafka client: one connection, one request at a time, with TLS and SASL logins."""

from wireproof.traffic.capture.raw_client.broker_access import (
    OPEN_ACCESS,
    BrokerAccess,
    SaslLogin,
    SaslMechanism,
    login_environment,
)
from wireproof.traffic.capture.raw_client.client_properties import parse_client_properties
from wireproof.traffic.capture.raw_client.raw_client import (
    LOOPBACK,
    Address,
    AnsweredCall,
    ApiCatalog,
    CallOutcome,
    ClosedCall,
    RawClient,
    SilentCall,
    UnreadableCall,
)

__all__ = [
    "LOOPBACK",
    "OPEN_ACCESS",
    "Address",
    "AnsweredCall",
    "ApiCatalog",
    "BrokerAccess",
    "CallOutcome",
    "ClosedCall",
    "RawClient",
    "SaslLogin",
    "SaslMechanism",
    "SilentCall",
    "UnreadableCall",
    "login_environment",
    "parse_client_properties",
]
