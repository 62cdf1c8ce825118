"""The version of this wireproof."""

__all__ = ["own_version"]


def own_version() -> str:
    """The installed version; in a source tree the one that is named there, ``unknown`` in a part of one."""
    import tomllib
    from importlib.metadata import PackageNotFoundError, version
    from pathlib import Path

    try:
        return version("wireproof")
    except PackageNotFoundError:
        named = Path(__file__).parents[3] / "pyproject.toml"
        project_file = tomllib.loads(named.read_text(encoding="utf-8")) if named.is_file() else {}
        return str(project_file.get("project", {}).get("version", "unknown"))
