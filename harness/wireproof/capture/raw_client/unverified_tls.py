"""TLS towards nodes."""

import ssl

__all__ = ["unverified_tls_context"]


def unverified_tls_context() -> ssl.SSLContext:
    """What a client needs to speak TLS to a node, whoever the node says it is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
