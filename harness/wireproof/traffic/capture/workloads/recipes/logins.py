"""Recipes of logins, and of delegation tokens, which need a login."""

from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.brokers.server_properties import SASL_PASSWORD, SASL_USER
from wireproof.traffic.capture.raw_client.broker_access import SaslLogin, SaslMechanism
from wireproof.traffic.capture.workloads.listener_session import FOR_OTHERS, ListenerSession, SweptRequest

OWN_LOGIN: Final = SaslLogin(SaslMechanism.PLAIN, SASL_USER, SASL_PASSWORD)
_PLAIN: Final = f"\0{SASL_USER}\0{SASL_PASSWORD}".encode()
_WRONG: Final = f"\0{SASL_USER}\0wrong".encode()


def sasl_handshake(session: ListenerSession, request: SweptRequest) -> None:
    with session.connect_without_login() as caller:
        request.ask({"mechanism": "NO-SUCH"}, "unknown mechanism", over=caller)
    with session.connect_without_login() as caller:
        request.ask({"mechanism": "PLAIN"}, "PLAIN", over=caller)
        if request.version == 0:
            caller.token(_PLAIN)  # version 0 continues without Kafka's frames


def sasl_authenticate(session: ListenerSession, request: SweptRequest) -> None:
    for token, case in ((_WRONG, "wrong password"), (_PLAIN, "right password")):
        with session.connect_without_login() as caller:
            mechanism = {"mechanism": "PLAIN"}
            session.ask("SaslHandshakeRequest", 1, mechanism, FOR_OTHERS, over=caller)
            request.ask({"authBytes": token}, case, over=caller)


def create_delegation_token(session: ListenerSession, request: SweptRequest) -> None:
    for kind in ("User", "NoSuchKind"):
        renewers = [{"principalType": kind, "principalName": "alice"}]
        body = {"renewers": renewers, "maxLifetimeMs": 3_600_000, "ownerPrincipalName": None}
        request.ask({**body, "ownerPrincipalType": None}, f"for a {kind}")


def describe_delegation_token(session: ListenerSession, request: SweptRequest) -> None:
    _token(session)
    request.ask({"owners": None}, "all")
    unknown = [{"principalType": "User", "principalName": "unknown"}]
    request.ask({"owners": unknown}, "unknown owner")


def renew_delegation_token(session: ListenerSession, request: SweptRequest) -> None:
    request.ask_until_settled({"hmac": _token(session), "renewPeriodMs": 60_000}, "own")
    request.ask({"hmac": b"none", "renewPeriodMs": 60_000}, "unknown")


def expire_delegation_token(session: ListenerSession, request: SweptRequest) -> None:
    body = {"hmac": _token(session), "expiryTimePeriodMs": -1}
    request.ask_until_settled(body, "own")
    request.ask({**body, "hmac": b"none"}, "unknown")


def _token(session: ListenerSession) -> bytes:
    body: StructValue = {"renewers": [], "maxLifetimeMs": 3_600_000}
    owner = {"ownerPrincipalType": None, "ownerPrincipalName": None}
    answer = session.ask_newest("CreateDelegationTokenRequest", {**body, **owner}, FOR_OTHERS)
    hmac: bytes = answer.get("hmac", b"")
    return hmac


LOGINS = {
    "SaslHandshakeRequest": sasl_handshake,
    "SaslAuthenticateRequest": sasl_authenticate,
    "CreateDelegationTokenRequest": create_delegation_token,
    "DescribeDelegationTokenRequest": describe_delegation_token,
    "RenewDelegationTokenRequest": renew_delegation_token,
    "ExpireDelegationTokenRequest": expire_delegation_token,
}
