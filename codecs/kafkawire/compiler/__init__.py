"""Codecs of layouts: interpreted for clarity, compiled for speed; both return and refuse the same."""

from kafkawire.compiler.codec import MessageCodec
from kafkawire.compiler.compiled import compile_layout
from kafkawire.compiler.interpreted import interpret_layout

__all__ = ["MessageCodec", "compile_layout", "interpret_layout"]
