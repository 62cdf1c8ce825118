"""Values in two canonical forms that lose nothing: binary (what Java and Python compare) and JSON.

Independent of the codecs on purpose: a bug in `encode` must not hide in the form that judges it. The
binary form is written by generated code, or by the native module with a table of its own; the rest walks
the layout.
"""

from kafkawire.caching import BoundedCache
from kafkawire.canonical._form import Canonical
from kafkawire.schema.layout import MessageLayout

__all__ = ["Canonical", "canonical"]


_made: BoundedCache[MessageLayout, Canonical] = BoundedCache(Canonical)


def canonical(layout: MessageLayout) -> Canonical:
    """The canonical forms of a layout's values. Made once for each layout."""
    return _made(layout)
