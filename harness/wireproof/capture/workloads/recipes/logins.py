"""Recipes about logging in, and about what only those who did may ask: delegation tokens."""

from typing import Final

from kafkawire.values import StructValue
from wireproof.capture.brokers import SASL_PASSWORD, SASL_USER
from wireproof.capture.raw_client.broker_access import SaslLogin, SaslMechanism
from wireproof.capture.workloads.listener_session import ListenerSession
from wireproof.capture.workloads.recipes.fixtures import FOR_OTHERS

__all__ = ["LOGINS", "OWN_LOGIN"]

OWN_LOGIN: Final = SaslLogin(SaslMechanism.PLAIN, SASL_USER, SASL_PASSWORD)
_PLAIN: Final = f"\0{SASL_USER}\0{SASL_PASSWORD}".encode()
_WRONG: Final = f"\0{SASL_USER}\0wrong".encode()


def sasl_handshake(scene: ListenerSession, version: int) -> None:
    with scene.stranger() as caller:
        scene.ask("SaslHandshakeRequest", version, {"mechanism": "NO-SUCH"}, "unknown mechanism", over=caller)
    with scene.stranger() as caller:
        scene.ask("SaslHandshakeRequest", version, {"mechanism": "PLAIN"}, "PLAIN", over=caller)
        if version == 0:
            caller.token(_PLAIN)  # from here on without Kafka's frames


def sasl_authenticate(scene: ListenerSession, version: int) -> None:
    for token, case in ((_WRONG, "wrong password"), (_PLAIN, "right password")):
        with scene.stranger() as caller:
            mechanism = {"mechanism": "PLAIN"}
            scene.ask("SaslHandshakeRequest", 1, mechanism, FOR_OTHERS, over=caller)
            scene.ask("SaslAuthenticateRequest", version, {"authBytes": token}, case, over=caller)


def create_delegation_token(scene: ListenerSession, version: int) -> None:
    for kind in ("User", "NoSuchKind"):
        renewers = [{"principalType": kind, "principalName": "alice"}]
        body = {"renewers": renewers, "maxLifetimeMs": 3_600_000, "ownerPrincipalName": None}
        scene.ask(
            "CreateDelegationTokenRequest", version, {**body, "ownerPrincipalType": None}, f"for a {kind}"
        )


def describe_delegation_token(scene: ListenerSession, version: int) -> None:
    _token(scene)
    scene.ask("DescribeDelegationTokenRequest", version, {"owners": None}, "all")
    nobody = [{"principalType": "User", "principalName": "nobody"}]
    scene.ask("DescribeDelegationTokenRequest", version, {"owners": nobody}, "of nobody")


def renew_delegation_token(scene: ListenerSession, version: int) -> None:
    scene.insist(
        "RenewDelegationTokenRequest", version, {"hmac": _token(scene), "renewPeriodMs": 60_000}, "own"
    )
    scene.ask("RenewDelegationTokenRequest", version, {"hmac": b"none", "renewPeriodMs": 60_000}, "unknown")


def expire_delegation_token(scene: ListenerSession, version: int) -> None:
    body = {"hmac": _token(scene), "expiryTimePeriodMs": -1}
    scene.insist("ExpireDelegationTokenRequest", version, body, "own")
    scene.ask("ExpireDelegationTokenRequest", version, {**body, "hmac": b"none"}, "unknown")


def _token(scene: ListenerSession) -> bytes:
    body: StructValue = {"renewers": [], "maxLifetimeMs": 3_600_000}
    owner = {"ownerPrincipalType": None, "ownerPrincipalName": None}
    answer = scene.tell("CreateDelegationTokenRequest", {**body, **owner}, FOR_OTHERS)
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
