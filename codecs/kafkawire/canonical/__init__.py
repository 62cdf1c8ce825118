"""Values in two canonical forms that lose nothing: binary (what Java and Python compare) and JSON.

The forms are independent of the codecs on purpose: a bug in `encode` must not affect the form that judges it.
Generated code, or the native module with its own table, writes the binary form; all other functions walk the
layout.
"""

from kafkawire.caching import BoundedCache
from kafkawire.canonical._form import Canonical
from kafkawire.schema.layout import MessageLayout

__all__ = ["Canonical", "canonical"]


_made: BoundedCache[MessageLayout, Canonical] = BoundedCache(Canonical)


def canonical(layout: MessageLayout) -> Canonical:
    """The canonical forms of a layout's values. Made once for each layout."""
    return _made(layout)
