"""TLS to nodes without a check of their certificates."""

import ssl


def unverified_tls_context() -> ssl.SSLContext:
    """Return a client's TLS context that accepts any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
