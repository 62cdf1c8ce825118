"""The native module's reader and writer of records, which take those that are right."""

from functools import cache
from typing import Any

from kafkawire.native_module import native_state
from kafkawire.records.model import Header, Record


@cache
def native_records() -> Any:
    """Return what reads and writes records of these classes; None without the native module."""
    module = native_state().module
    return None if module is None else module.Records(tuple.__new__, Record, Header)
