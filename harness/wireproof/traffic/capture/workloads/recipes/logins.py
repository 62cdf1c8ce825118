"""Recipes of logins, and of delegation tokens, which need a login."""

from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.brokers.server_properties import SASL_PASSWORD, SASL_USER
from wireproof.traffic.capture.raw_client.broker_access import SaslLogin, SaslMechanism
from wireproof.traffic.capture.workloads.listener_session import ListenerSession
from wireproof.traffic.capture.workloads.recipes.fixtures import FOR_OTHERS

OWN_LOGIN: Final = SaslLogin(SaslMechanism.PLAIN, SASL_USER, SASL_PASSWORD)
_PLAIN: Final = f"\0{SASL_USER}\0{SASL_PASSWORD}".encode()
_WRONG: Final = f"\0{SASL_USER}\0wrong".encode()


def sasl_handshake(session: ListenerSession, version: int) -> None:
    with session.connect_without_login() as caller:
        session.ask(
            "SaslHandshakeRequest", version, {"mechanism": "NO-SUCH"}, "unknown mechanism", over=caller
        )
    with session.connect_without_login() as caller:
        session.ask("SaslHandshakeRequest", version, {"mechanism": "PLAIN"}, "PLAIN", over=caller)
        if version == 0:
            caller.token(_PLAIN)  # version 0 continues without Kafka's frames


def sasl_authenticate(session: ListenerSession, version: int) -> None:
    for token, case in ((_WRONG, "wrong password"), (_PLAIN, "right password")):
        with session.connect_without_login() as caller:
            mechanism = {"mechanism": "PLAIN"}
            session.ask("SaslHandshakeRequest", 1, mechanism, FOR_OTHERS, over=caller)
            session.ask("SaslAuthenticateRequest", version, {"authBytes": token}, case, over=caller)


def create_delegation_token(session: ListenerSession, version: int) -> None:
    for kind in ("User", "NoSuchKind"):
        renewers = [{"principalType": kind, "principalName": "alice"}]
        body = {"renewers": renewers, "maxLifetimeMs": 3_600_000, "ownerPrincipalName": None}
        session.ask(
            "CreateDelegationTokenRequest", version, {**body, "ownerPrincipalType": None}, f"for a {kind}"
        )


def describe_delegation_token(session: ListenerSession, version: int) -> None:
    _token(session)
    session.ask("DescribeDelegationTokenRequest", version, {"owners": None}, "all")
    unknown = [{"principalType": "User", "principalName": "unknown"}]
    session.ask("DescribeDelegationTokenRequest", version, {"owners": unknown}, "unknown owner")


def renew_delegation_token(session: ListenerSession, version: int) -> None:
    session.ask_until_settled(
        "RenewDelegationTokenRequest", version, {"hmac": _token(session), "renewPeriodMs": 60_000}, "own"
    )
    session.ask("RenewDelegationTokenRequest", version, {"hmac": b"none", "renewPeriodMs": 60_000}, "unknown")


def expire_delegation_token(session: ListenerSession, version: int) -> None:
    body = {"hmac": _token(session), "expiryTimePeriodMs": -1}
    session.ask_until_settled("ExpireDelegationTokenRequest", version, body, "own")
    session.ask("ExpireDelegationTokenRequest", version, {**body, "hmac": b"none"}, "unknown")


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
