"""Both canonical forms of one layout's values."""

from collections.abc import Callable
from functools import cached_property
from uuid import UUID

from kafkawire.canonical._json import StructJson
from kafkawire.canonical._native_table import native_table
from kafkawire.canonical._printing import print_writer
from kafkawire.canonical._reading import read_struct
from kafkawire.canonical._writing import write_struct
from kafkawire.errors import DecodeError, Fault
from kafkawire.generated import load
from kafkawire.native_module import native_state
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes


class Canonical:
    """Values of one layout to bytes or text and back. Absent keys mean defaults, and are written.

    Attributes:
        to_binary: returns the canonical binary of a value; raises EncodeError if the value is not a message
            of the layout. The function is made when it is first used.
    """

    to_binary: Callable[[StructValue], bytes]

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout
        self.to_binary = self._to_binary_first

    @cached_property
    def _json(self) -> StructJson:
        return StructJson(self.layout.root)

    @property
    def source(self) -> str:
        """The generated text of the binary form's writer."""
        return print_writer(self.layout)[0]

    def from_binary(self, data: Buffer) -> StructValue:
        """The value, complete.

        Raises:
            DecodeError: the bytes are not the canonical binary of the layout.
        """
        data = as_bytes(data)
        value, end = read_struct(self.layout.root, data, 0)
        if end != len(data):
            raise DecodeError(Fault.TRAILING, "", f"{len(data) - end} bytes after the message", end)
        return value

    def to_json(self, value: StructValue) -> str:
        """The canonical JSON.

        Raises:
            EncodeError: the value is not a message of the layout.
        """
        return self._json.to_json(value)

    def from_json(self, text: str) -> StructValue:
        """The value, complete.

        Raises:
            DecodeError: the text is not canonical JSON of the layout.
        """
        return self._json.from_json(text)

    def from_tree(self, tree: object) -> StructValue:
        """The complete value of parsed canonical JSON.

        Raises:
            DecodeError: it is not a value of the layout.
        """
        return self._json.from_tree(tree)

    def _to_binary_first(self, value: StructValue) -> bytes:
        module = native_state().module
        if module is None:
            self._load_writer()
        else:
            native = module.Canonical(native_table(self.layout.root), UUID, self._walk)
            self.to_binary = native.to_binary
        return self.to_binary(value)

    def _load_writer(self) -> None:
        text, injected = print_writer(self.layout)
        title = f"{self.layout.name} v{self.layout.version} canonical"
        self.to_binary = load(title, text, {**injected, "explain": self._explain})["to_binary"]

    def _walk(self, value: StructValue) -> bytes:
        return b"".join(write_struct(self.layout.root, value))

    def _explain(self, value: StructValue, error: Exception) -> bytes:
        written = self._walk(value)
        if isinstance(error, KeyError):
            return written
        raise RuntimeError(
            f"{self.layout.name} v{self.layout.version}: only the generated writer refuses"
        ) from error
