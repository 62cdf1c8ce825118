"""What a client's configuration says of how one gets to talk to a cluster.

The file is that of Kafka's own tools (``--command-config client.properties``): Java properties, of which four
are read. ``security.protocol``, ``sasl.mechanism``, and of ``sasl.jaas.config`` user name and password.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from wireproof.capture.capture_error import CaptureError
from wireproof.capture.raw_client.broker_access import BrokerAccess, SaslLogin, SaslMechanism

__all__ = ["parse_client_properties"]

_PROTOCOLS: Final = {
    "PLAINTEXT": (False, False),
    "SSL": (True, False),
    "SASL_PLAINTEXT": (False, True),
    "SASL_SSL": (True, True),
}
"""Each protocol: whether there is TLS, and a login."""
_CLIENTS_OWN: Final = ("ssl.keystore.location", "ssl.keystore.key", "ssl.keystore.certificate.chain")
_PAIR: Final = re.compile(r"((?:\\.|[^\\=:\s])+)\s*[=:\s]\s*(.*)")
_JAAS: Final = re.compile(
    r"""\b(username|password)\s*=\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([^\s;"']+))"""
)
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPED: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")


def parse_client_properties(text: str) -> BrokerAccess:
    """How to get in, by the text of such a file.

    Raises:
        CaptureError: it says what wireproof cannot do, or too little. Secrets are not repeated.
    """
    settings = dict(_settings(text))
    protocol = settings.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in _PROTOCOLS:
        raise CaptureError(f"security.protocol is {protocol}", f"Kafka has {', '.join(_PROTOCOLS)}.")
    tls, sasl = _PROTOCOLS[protocol]
    for name in _CLIENTS_OWN:
        if tls and name in settings:
            raise CaptureError(
                f"{name}: a certificate of the client's own is more than wireproof can show",
                "Give a listener that wants none.",
            )
    return BrokerAccess(_login(settings) if sasl else None, tls)


def _login(settings: Mapping[str, str]) -> SaslLogin:
    word = settings.get("sasl.mechanism", "GSSAPI")
    if word not in list(SaslMechanism):
        known = ", ".join(SaslMechanism)
        raise CaptureError(f"sasl.mechanism is {word}", f"wireproof logs in by {known}.")
    jaas = settings.get("sasl.jaas.config", "")
    found = {name: _plain(double or single) or bare for name, double, single, bare in _JAAS.findall(jaas)}
    for name in ("username", "password"):
        if not found.get(name):
            raise CaptureError(
                f"sasl.jaas.config has no {name}",
                'Write: ...LoginModule required username="NAME" password="WORD";',
            )
    return SaslLogin(SaslMechanism(word), found["username"], found["password"])


def _settings(text: str) -> Iterator[tuple[str, str]]:
    for line in _lines(text):
        found = _PAIR.fullmatch(line)
        if found:
            yield _plain(found[1]), _plain(found[2])


def _lines(text: str) -> Iterator[str]:
    """Lines that say something, with those that a backslash continues joined."""
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
    """Text without its escapes."""

    def meant(found: re.Match[str]) -> str:
        word = found[1]
        return chr(int(word[1:], 16)) if len(word) > 1 else _ESCAPES.get(word, word)

    return _ESCAPED.sub(meant, text)
