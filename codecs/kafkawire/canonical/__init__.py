"""Values in two canonical forms that lose nothing: binary (what Java and Python compare) and JSON.

Independent of the codecs on purpose: a bug in `encode` must not hide in the form that judges it. The
binary form is written by generated code, the rest walks the layout.
"""

from functools import lru_cache

from kafkawire.canonical._form import Canonical
from kafkawire.schema.layout import MessageLayout

__all__ = ["Canonical", "canonical"]


@lru_cache(maxsize=4096)
def canonical(layout: MessageLayout) -> Canonical:
    """The canonical forms of a layout's values. Made once for each layout."""
    return Canonical(layout)
