"""Which wireproof this is."""

__all__ = ["own_version"]


def own_version() -> str:
    """The installed version; in a source tree the one that it has there."""
    import tomllib
    from importlib.metadata import PackageNotFoundError, version
    from pathlib import Path

    try:
        return version("wireproof")
    except PackageNotFoundError:
        told = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
        return str(told["project"]["version"])
