"""The native module of the optional distribution `kafkawire-native`, if it is installed and fits.

It has no error messages. Python code processes each input that it refuses, and gives the result or the error.
"""

import os
import warnings
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Final, NamedTuple

INTERFACE: Final = 3
"""The version of the interface: tables and functions. A native module with another number is not used."""

_SWITCH: Final = "WIREPROOF_NATIVE"


class NativeState(NamedTuple):
    """The state of the native codec: in use or not.

    Attributes:
        module: the native module; None if it is not used.
        reason: why it is not used, in one line; ``""`` if it is used.
        unfit: whether it is installed but cannot be used.
    """

    module: ModuleType | None
    reason: str
    unfit: bool = False


@cache
def native_state() -> NativeState:
    """Find the native module, once in a process. ``WIREPROOF_NATIVE=0`` turns it off."""
    if os.environ.get(_SWITCH) == "0":
        return NativeState(None, f"{_SWITCH}=0 turns it off")
    try:
        module = import_module("kafkawire_native")
    except ModuleNotFoundError:
        return NativeState(None, "kafkawire-native is not installed")
    except ImportError as error:  # a subinterpreter, a free-threaded Python, another machine's wheel
        return _unfit(f"kafkawire-native cannot be loaded: {error}")
    found = getattr(module, "INTERFACE", None)
    if found != INTERFACE:
        return _unfit(f"kafkawire-native has interface {found}, this kafkawire wants {INTERFACE}")
    return NativeState(module, "")


def _unfit(reason: str) -> NativeState:
    advice = "install the kafkawire-native of the same version, or set WIREPROOF_NATIVE=0"
    warnings.warn(f"{reason}: it is not used; {advice}", RuntimeWarning, stacklevel=2)
    return NativeState(None, reason, unfit=True)
