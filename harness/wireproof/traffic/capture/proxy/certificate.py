"""A throwaway certificate of the proxy, for clients that use TLS: each capture makes its own."""

import ssl
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wireproof.base.extras import install_advice
from wireproof.base.files import temporary_folder
from wireproof.traffic.capture.capture_error import CaptureError

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
            "TLS needs the package cryptography, which is not installed",
            install_advice("capture"),
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
