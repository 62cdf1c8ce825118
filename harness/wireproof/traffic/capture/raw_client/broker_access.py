"""Access to a running cluster: TLS and login, by SCRAM too (RFC 5802)."""

import hashlib
import hmac
import re
import secrets
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.raw_client import AnsweredCall, CallOutcome, RawClient

_HEADER: Final = "n,,"
"""No channel binding, and no other authorization identity."""
_MOST_ITERATIONS: Final = 1_000_000
_LEAST_ITERATIONS: Final = 4096


class ScramError(Exception):
    """The other side does not speak SCRAM, or does not know the password. The message holds no secret."""


class ScramClient:
    """One login by SCRAM (RFC 5802).

    Args:
        digest: ``sha256`` or ``sha512``.
        nonce: random text without commas; ``""`` for a new one.
    """

    def __init__(self, digest: str, user: str, password: str, nonce: str = "") -> None:
        self._digest = digest
        self._password = password.encode()
        self._nonce = nonce or secrets.token_hex(16)
        name = user.replace("=", "=3D").replace(",", "=2C")
        self._first = f"n={name},r={self._nonce}"
        self._expected = b""

    def first(self) -> bytes:
        """Return the client-first message."""
        return f"{_HEADER}{self._first}".encode()

    def final(self, challenge: bytes) -> bytes:
        """Return the client-final message, which proves the password without revealing it.

        Raises ScramError if the challenge is invalid.
        """
        parts = _parts(challenge)
        try:
            nonce, salt, iterations = parts["r"], b64decode(parts["s"], validate=True), int(parts["i"])
        except (KeyError, ValueError, Base64Error) as error:
            raise ScramError("the broker's challenge is not a SCRAM message") from error
        if not nonce.startswith(self._nonce) or nonce == self._nonce:
            raise ScramError("the broker's challenge belongs to another login: another nonce")
        if not _LEAST_ITERATIONS <= iterations <= _MOST_ITERATIONS:
            raise ScramError(
                f"the broker asks for {iterations} iterations: "
                f"expected {_LEAST_ITERATIONS} to {_MOST_ITERATIONS}"
            )
        salted = hashlib.pbkdf2_hmac(self._digest, self._password, salt, iterations)
        without_proof = f"c={b64encode(_HEADER.encode()).decode()},r={nonce}"
        signed = ",".join((self._first, challenge.decode(), without_proof)).encode()
        key = self._hmac(salted, b"Client Key")
        signature = self._hmac(hashlib.new(self._digest, key).digest(), signed)
        proof = bytes(left ^ right for left, right in zip(key, signature, strict=True))
        self._expected = self._hmac(self._hmac(salted, b"Server Key"), signed)
        return f"{without_proof},p={b64encode(proof).decode()}".encode()

    def check(self, answer: bytes) -> None:
        """Check that the broker knows the password, too.

        Raises ScramError if it does not, or it refuses the login.
        """
        parts = _parts(answer)
        if "e" in parts:
            raise ScramError(f"the broker refuses: {parts['e']}")
        try:
            signature = b64decode(parts.get("v", ""), validate=True)
        except Base64Error:
            signature = b""
        if not hmac.compare_digest(signature, self._expected):
            raise ScramError("the broker does not prove that it knows the password")

    def _hmac(self, key: bytes, data: bytes) -> bytes:
        return hmac.new(key, data, self._digest).digest()


def _parts(message: bytes) -> dict[str, str]:
    try:
        return dict(part.split("=", 1) for part in message.decode().split(","))
    except ValueError:
        return {}


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

        Raises CaptureError if the broker refuses; the message holds its text.
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

        Raises CaptureError if the broker refuses.
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
    """The requirements of a cluster's listeners: a login or None, and TLS. Certificates are not checked."""

    login: SaslLogin | None = None
    tls: bool = False


OPEN_ACCESS: Final = BrokerAccess()


_PROTOCOLS: Final = {
    "PLAINTEXT": (False, False),
    "SSL": (True, False),
    "SASL_PLAINTEXT": (False, True),
    "SASL_SSL": (True, True),
}
"""For each protocol: TLS, login."""
_CLIENTS_OWN: Final = ("ssl.keystore.location", "ssl.keystore.key", "ssl.keystore.certificate.chain")
_PAIR: Final = re.compile(r"((?:\\.|[^\\=:\s])+)\s*[=:\s]\s*(.*)")
_JAAS: Final = re.compile(
    r"""\b(username|password)\s*=\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([^\s;"']+))"""
)
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPED: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")


def parse_client_properties(text: str) -> BrokerAccess:
    """Parse the text of such a file.

    Raises CaptureError if it asks for something that wireproof does not support, or is incomplete. The
    message holds no secret.
    """
    settings = dict(_settings(text))
    protocol = settings.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in _PROTOCOLS:
        raise CaptureError(f"security.protocol is {protocol}", f"Kafka has {', '.join(_PROTOCOLS)}.")
    tls, sasl = _PROTOCOLS[protocol]
    for name in _CLIENTS_OWN:
        if tls and name in settings:
            raise CaptureError(
                f"{name}: wireproof does not support a certificate of the client",
                "Give a listener that requires none.",
            )
    return BrokerAccess(_login(settings) if sasl else None, tls)


def _login(settings: Mapping[str, str]) -> SaslLogin:
    mechanism = settings.get("sasl.mechanism", "GSSAPI")
    if mechanism not in list(SaslMechanism):
        known = ", ".join(SaslMechanism)
        raise CaptureError(f"sasl.mechanism is {mechanism}", f"wireproof supports {known}.")
    jaas = settings.get("sasl.jaas.config", "")
    found = {name: _plain(double or single) or bare for name, double, single, bare in _JAAS.findall(jaas)}
    for name in ("username", "password"):
        if not found.get(name):
            raise CaptureError(
                f"sasl.jaas.config has no {name}",
                'Write: ...LoginModule required username="NAME" password="WORD";',
            )
    return SaslLogin(SaslMechanism(mechanism), found["username"], found["password"])


def _settings(text: str) -> Iterator[tuple[str, str]]:
    for line in _lines(text):
        found = _PAIR.fullmatch(line)
        if found:
            yield _plain(found[1]), _plain(found[2])


def _lines(text: str) -> Iterator[str]:
    """Iterate over lines with content; join those that a backslash continues."""
    whole = ""
    for line in text.splitlines():
        part = line.strip() if not whole else line.lstrip()
        if not whole and part[:1] in ("", "#", "!"):
            continue
        ends = len(part) - len(part.rstrip("\\"))
        whole += part[:-1] if ends % 2 else part
        if ends % 2 == 0:
            yield whole
            whole = ""
    if whole:
        yield whole


def _plain(text: str) -> str:
    """Replace the escapes in a text by their characters."""

    def character(found: re.Match[str]) -> str:
        escape = found[1]
        return chr(int(escape[1:], 16)) if len(escape) > 1 else _ESCAPES.get(escape, escape)

    return _ESCAPED.sub(character, text)
