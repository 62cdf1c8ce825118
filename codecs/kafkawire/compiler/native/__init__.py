"""The native codec of a layout: the table that the plan becomes, and the Rust module that it drives."""

from kafkawire.compiler.native.native_codec import (
    INTERFACE,
    NativeCodec,
    NativeState,
    fastest_codec,
    native_codec,
    native_state,
)
from kafkawire.compiler.native.plan_table import make_table

__all__ = [
    "INTERFACE",
    "NativeCodec",
    "NativeState",
    "fastest_codec",
    "make_table",
    "native_codec",
    "native_state",
]
