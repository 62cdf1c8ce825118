"""Kafka's wire protocol: schemas, layouts and codecs, in plain Python.

The names below need no schema file; `kafkawire.bundled` explains them. Importing this package loads nothing
else: the first use of a name does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkawire.bundled import codec, implementation, layout, messages, releases, versions

__all__ = ["codec", "implementation", "layout", "messages", "releases", "versions"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("kafkawire.bundled"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
