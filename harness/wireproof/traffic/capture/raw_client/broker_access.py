"""Access to a running cluster: TLS and login."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.raw_client import AnsweredCall, CallOutcome, RawClient
from wireproof.traffic.capture.raw_client.scram_client import ScramClient, ScramError

_HANDSHAKE: Final = 1
"""From this version on SaslAuthenticate requests carry the tokens."""
_AUTHENTICATE: Final = 0


class SaslMechanism(StrEnum):
    """A SASL mechanism, by Kafka's name."""

    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"


@dataclass(frozen=True, slots=True)
class SaslLogin:
    """The credentials of a user. Call it with a new connection to log in."""

    mechanism: SaslMechanism
    user: str
    password: str = field(repr=False)

    def __call__(self, caller: RawClient) -> None:
        """Log in. If the connection is lost, the next call on it reports that.

        Raises:
            CaptureError: the broker refuses; the message holds its text.
        """
        body: StructValue = {"mechanism": self.mechanism.value}
        answer = caller.call("SaslHandshakeRequest", _HANDSHAKE, body)
        if isinstance(answer, AnsweredCall) and answer.body["errorCode"] != 0:
            offered = ", ".join(answer.body["mechanisms"])
            raise CaptureError(
                f"the broker does not support {self.mechanism}", f"It supports {offered}." if offered else ""
            )
        if not isinstance(answer, AnsweredCall):
            return
        match self.mechanism:
            case SaslMechanism.PLAIN:
                self._token(caller, f"\0{self.user}\0{self.password}".encode())
            case SaslMechanism.SCRAM_SHA_256:
                self._scram(caller, "sha256")
            case SaslMechanism.SCRAM_SHA_512:
                self._scram(caller, "sha512")

    def _scram(self, caller: RawClient, digest: str) -> None:
        scram = ScramClient(digest, self.user, self.password)
        try:
            challenge = self._token(caller, scram.first())
            answer = None if challenge is None else self._token(caller, scram.final(challenge))
            if answer is not None:
                scram.check(answer)
        except ScramError as error:
            raise CaptureError(f"{self.mechanism}: {error}") from error

    def _token(self, caller: RawClient, token: bytes) -> bytes | None:
        """Send a token; return the broker's token, None if the connection is lost.

        Raises:
            CaptureError: the broker refuses.
        """
        answer: CallOutcome = caller.call("SaslAuthenticateRequest", _AUTHENTICATE, {"authBytes": token})
        if not isinstance(answer, AnsweredCall):
            return None
        if answer.body["errorCode"] != 0:
            reason = answer.body["errorMessage"] or f"error {answer.body['errorCode']}"
            raise CaptureError(f"the broker refuses {self.user}, by {self.mechanism}: {reason}")
        data: bytes = answer.body["authBytes"]
        return data


def login_environment(login: SaslLogin | None) -> Mapping[str, str]:
    """Return the environment variables for programs that log in; lists of processes do not show them."""
    return {
        "WIREPROOF_LOGIN": login.mechanism.value if login else "",
        "WIREPROOF_LOGIN_USER": login.user if login else "",
        "WIREPROOF_LOGIN_PASSWORD": login.password if login else "",
    }


@dataclass(frozen=True, slots=True)
class BrokerAccess:
    """The requirements of a cluster's listeners.

    Attributes:
        login: None if they require no login.
        tls: True if they use TLS; wireproof does not check certificates.
    """

    login: SaslLogin | None = None
    tls: bool = False


OPEN_ACCESS: Final = BrokerAccess()
