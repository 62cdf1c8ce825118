"""The version of this wireproof, and where its pages are."""

from functools import cache
from typing import Any


@cache
def own_version() -> str:
    """The installed version; in a source tree the version of its project file; else ``unknown``."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("wireproof")
    except PackageNotFoundError:
        return str(_project().get("version", "unknown"))


def page_url(page: str) -> str:
    """Return the URL of a page of the documentation, such as ``guides/spark.md``.

    The project's metadata has the URL of the pages; without metadata, return the path in a checkout.
    """
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        rows = metadata("wireproof").get_all("Project-URL") or []
    except PackageNotFoundError:
        rows = []
    urls = dict(row.split(", ", 1) for row in rows) or _project().get("urls", {})
    return f"{urls.get('Documentation', 'docs')}/{page}"


def _project() -> dict[str, Any]:
    """Return the metadata of a source tree; empty if its project file is missing."""
    import tomllib
    from pathlib import Path

    file = Path(__file__).parents[3] / "pyproject.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    project: dict[str, Any] = table.get("project", {})
    return project
