"""Layouts to codecs, twice: interpreted (obvious) and compiled (fast), equal in all they give and refuse."""

from kafkawire.compiler.codec import MessageCodec
from kafkawire.compiler.compiled import compile_layout
from kafkawire.compiler.interpreted import interpret_layout

__all__ = ["MessageCodec", "compile_layout", "interpret_layout"]
