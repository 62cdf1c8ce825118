"""The layouts of request and response headers that an adapter needs to build and read frames."""

from collections.abc import Mapping
from typing import TypeAlias

from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind

HeaderLayouts: TypeAlias = Mapping[tuple[str, MessageKind, int], MessageLayout]
"""(release, request or response, header version) -> the header's layout."""
