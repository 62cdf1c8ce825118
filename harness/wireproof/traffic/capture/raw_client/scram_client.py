"""The client side of SCRAM (RFC 5802, without channel binding): messages in, messages out."""

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Final

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

        Raises:
            ScramError: the challenge is invalid.
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

        Raises:
            ScramError: it does not, or it refuses the login.
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
