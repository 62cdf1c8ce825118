"""The access to a cluster from a client's configuration.

The file has the format of Kafka's own tools (``--command-config client.properties``): Java properties.
wireproof reads ``security.protocol``, ``sasl.mechanism``, and user name and password of ``sasl.jaas.config``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.broker_access import BrokerAccess, SaslLogin, SaslMechanism

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
