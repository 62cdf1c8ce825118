"""Codecs of layouts: interpreted for clarity, compiled and native for speed; all accept and return the same.

`fastest_codec` is the function for callers that do not need a specific codec.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kafkawire.compiler.codec import MessageCodec
from kafkawire.compiler.compiled import compile_layout
from kafkawire.compiler.interpreted import interpret_layout

if TYPE_CHECKING:
    from kafkawire.compiler.native import fastest_codec

__all__ = ["MessageCodec", "compile_layout", "fastest_codec", "interpret_layout"]


def __getattr__(name: str) -> object:
    if name == "fastest_codec":
        return getattr(import_module("kafkawire.compiler.native"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
