"""The native codec of a layout: the table that the plan becomes, and the Rust module that it drives."""

from kafkawire.compiler.native.native_codec import NativeCodec, fastest_codec, native_codec
from kafkawire.compiler.native.plan_table import make_table

__all__ = ["NativeCodec", "fastest_codec", "make_table", "native_codec"]
