"""Frames of any content, for tests of the wire package."""


def framed(content: bytes) -> bytes:
    """Return content after its size."""
    return len(content).to_bytes(4, "big") + content
