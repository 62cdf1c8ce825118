"""The configuration file: ``wireproof.toml``, or the table ``[tool.wireproof]`` of ``pyproject.toml``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from wireproof.proof.config.option_table import INSTALLED_CORPUS, OPTIONS
from wireproof.proof.config.run_config import ConfigError, OptionLayer

OWN_FILE: Final = "wireproof.toml"
_PROJECT_FILE: Final = "pyproject.toml"
_SPECIAL: Final = ("-", "none")
"""Words in place of a path."""


def file_layer(folder: Path | None = None) -> OptionLayer:
    """The options of the nearest configuration file; none where there is no file.

    The search begins in the folder and goes up to the first ``wireproof.toml``, or ``pyproject.toml`` with
    a table ``[tool.wireproof]``; in one folder ``wireproof.toml`` wins. It ends at the root of a Git
    checkout.

    Args:
        folder: None for the working directory.

    Raises:
        ConfigError: the file is not readable as TOML.
    """
    start = (folder or Path.cwd()).resolve()
    for place in (start, *start.parents):
        own, project = place / OWN_FILE, place / _PROJECT_FILE
        if own.is_file():
            return _layer(_table(own), own, str(own))
        if project.is_file():
            table = _table(project).get("tool", {})
            if isinstance(table, Mapping) and isinstance(table.get("wireproof"), Mapping):
                return _layer(table["wireproof"], project, f"{project} [tool.wireproof]")
        if (place / ".git").exists():
            break
    return OptionLayer({})


def _table(path: Path) -> dict[str, Any]:
    try:
        from wireproof.base.text.parsing import parse_toml, read_text

        return parse_toml(read_text(path))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def _layer(values: Mapping[str, Any], path: Path, origin: str) -> OptionLayer:
    return OptionLayer({name: _placed(name, value, path.parent) for name, value in values.items()}, origin)


def _placed(name: str, value: Any, folder: Path) -> Any:
    """The value; a relative path is taken from the folder of the file."""
    if isinstance(value, list):
        return [_placed(name, each, folder) for each in value]
    if not isinstance(value, str) or name not in OPTIONS or value in _SPECIAL or not value:
        return value
    if name == "no_java" and value == INSTALLED_CORPUS:
        return value
    if OPTIONS[name].path or (name == "testee" and value.startswith((".", "~"))):
        return str(folder / Path(value).expanduser())
    return value
