"""Which wireproof this is."""

__all__ = ["own_version"]


def own_version() -> str:
    """The installed version; ``unknown`` where it is run from a source tree."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("wireproof")
    except PackageNotFoundError:
        return "unknown"
