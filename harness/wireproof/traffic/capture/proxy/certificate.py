"""TLS towards clients: a throwaway certificate, and handshakes whose failure is reported."""

import asyncio
import ssl
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from wireproof.base.extras import install_advice
from wireproof.base.files.own_folders import temporary_folder
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.proxy.relay import RelayEnd
from wireproof.traffic.capture.raw_client.raw_client import address_text

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName

_DAYS: Final = 7


def throwaway_context(hosts: Iterable[str], certificate: Path) -> ssl.SSLContext:
    """Make a TLS context for a server with these names. Its key is only in memory.

    Args:
        hosts: names and addresses that clients use for the proxy.
        certificate: the file to write, PEM; a client that trusts it trusts the proxy.

    Raises:
        CaptureError: the package cryptography is not installed.
    """
    if find_spec("cryptography") is None:
        raise CaptureError(
            "TLS needs the package cryptography, which is not installed", install_advice("capture")
        )
    public, private = _pair(sorted(set(hosts)))
    certificate.write_bytes(public)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with temporary_folder("key") as folder:  # the ssl module reads keys only from files
        key = folder / "key.pem"
        key.write_bytes(private + public)
        context.load_cert_chain(key)
    return context


def _pair(hosts: list[str]) -> tuple[bytes, bytes]:
    """Return a self-signed certificate and its key, both PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "wireproof proxy")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName([_general_name(each) for each in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM), private


def _general_name(host: str) -> "GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


class TlsHandshake(asyncio.Protocol):
    """A handshake before the relay; `report` receives a client without TLS, which asyncio would hide."""

    def __init__(self, end: RelayEnd, tls: ssl.SSLContext | None, report: Callable[[str, str], None]) -> None:
        assert tls is not None
        self._end = end
        self._tls = tls
        self._report = report
        self._handshake: asyncio.Task[None] | None = None
        self._early = bytearray()
        self._lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).pause_reading()  # the next bytes belong to the handshake
        self._handshake = asyncio.get_running_loop().create_task(
            self._shake_hands(cast(asyncio.Transport, transport))
        )

    def data_received(self, data: bytes) -> None:
        """Keep bytes that come after the handshake, before the relay has the connection."""
        self._early += data

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True

    async def _shake_hands(self, plain: asyncio.Transport) -> None:
        client = address_text(plain.get_extra_info("peername")[:2])
        try:
            secured = await asyncio.get_running_loop().start_tls(plain, self, self._tls, server_side=True)
        except OSError as error:  # ssl.SSLError is a subclass
            plain.abort()
            self._report(client, str(error))
            return
        if secured is not None and not self._lost:
            secured.set_protocol(self._end)
            self._end.connection_made(secured)
            self._end.came_early(bytes(self._early))
