"""The canonical binary, written by generated Python: the same bytes as by `_writing`, as fast as the codecs.

Neighbouring numbers are packed together, including length prefixes. The generated code only detects that a
value is wrong; `_writing` then reports what is wrong, and where.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, Final

from kafkawire.canonical._writing import Filling, may_be_null
from kafkawire.generated import Names, SourceText
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS
from kafkawire.wire import FIXED_CODES, raw_bytes, write_uuid

FAILURES: Final = Exception
"""All exceptions that a wrong value can cause: its own `__index__` is run, which may raise any."""

_MOST_PACKERS: Final = 128
"""The longest run of numbers whose packer is cached."""

_RESERVED: Final = ("FAILURES", "Struct", "UUID", "add", "explain", "out", "to_binary", "utf8", "value")


def print_writer(layout: MessageLayout) -> tuple[str, dict[str, Any]]:
    """A module with ``to_binary(value)``, and the objects to inject into it.

    The caller adds ``explain(value, error)``, which raises the error, or returns the bytes if the value is
    only unusual, not wrong.
    """
    return _Printer().module(layout)


class _Printer:
    def __init__(self) -> None:
        self._text = SourceText()
        self._names = Names(_RESERVED)
        self._globals = Names(prefix="_")
        self._packs: dict[str, str] = {}
        self._injected: dict[str, Any] = {
            "FAILURES": FAILURES,
            "_flatten": _flatten,
            "_is_bools": _is_bools,
            "_is_floats": _is_floats,
            "_tag_list": _tag_list,
            "_raw_bytes": raw_bytes,
            "_write_uuid": write_uuid,
        }
        self._slots: list[tuple[str, str]] = []
        """Codes and expressions that wait to be packed."""

    def module(self, layout: MessageLayout) -> tuple[str, dict[str, Any]]:
        line, block = self._text.line, self._text.block
        with block("def to_binary(value):"):
            line("out = []")
            line("add = out.append")
            with block("try:"):
                self._struct(layout.root, "value", self._names.fresh("message"))
                self._pack()
            with block("except FAILURES as error:"):
                line("return explain(value, error)")
            line('return b"".join(out)')
        title = f'"""Writes the canonical binary of {layout.name} version {layout.version}."""'
        packs = "".join(f'{name} = Struct(">{form}").pack\n' for form, name in self._packs.items())
        head = (
            f"{title}\n\nfrom struct import Struct\nfrom uuid import UUID\n\nutf8 = str.encode\n{packs}\n\n"
        )
        return head + str(self._text), self._injected

    def _struct(self, struct: StructLayout, source: str, var: str) -> None:
        line, block = self._text.line, self._text.block
        fields = struct.all_fields
        if var != source:
            line(f"{var} = {source}")
        completion = self._globals.fresh(f"fill_{var}")
        self._injected[completion] = Filling(struct)
        tags = self._names.fresh(f"{var}_tags")
        sparse = f"type({var}) is not dict or len({var}) != {len(fields)}"
        if struct.flexible:
            # A dict with unknown tags may have as many keys as there are fields, although a field is missing.
            sparse += f" or {TAGS!r} in {var}"
        with block(f"if {sparse}:"):
            line(f"{var}, {tags} = {completion}({var})")
        with block("else:"):
            line(f"{tags} = ()")
        for field in fields:
            self._field(field, f"{var}[{field.name!r}]")
        if struct.flexible:
            self._tag_section(tags)

    def _tag_section(self, tags: str) -> None:
        line, block = self._text.line, self._text.block
        if self._slots:
            self._slots.append(("i", f"len({tags})"))
            self._pack()
            with block(f"if {tags}:"):
                line(f"add(_tag_list({tags}))")
            return
        with block(f"if {tags}:"):
            line(f"add(len({tags}).to_bytes(4, 'big'))")
            line(f"add(_tag_list({tags}))")
        with block("else:"):
            line('add(b"\\0\\0\\0\\0")')

    def _field(self, field: FieldLayout, source: str) -> None:
        if field.is_array:
            self._array(field, source)
        elif field.struct is not None:
            self._nested(field, field.struct, source)
        elif field.scalar is not None:
            self._scalar(field.scalar, source, self._names.fresh(field.name), may_be_null(field))

    def _nested(self, field: FieldLayout, struct: StructLayout, source: str) -> None:
        var = self._names.fresh(field.name)
        if not field.nullable:
            self._struct(struct, source, var)
            return
        self._text.line(f"{var} = {source}")
        self._slots.append(("b", f"{var} is not None"))
        self._pack()
        with self._text.block(f"if {var} is not None:"):
            self._struct(struct, var, var)
            self._pack()

    def _scalar(self, scalar: ScalarType, source: str, var: str, nullable: bool) -> None:
        match scalar:
            case ScalarType.BOOL | ScalarType.FLOAT64:
                code = FIXED_CODES[scalar.value]
                self._text.line(f"{var} = {source}")
                is_bool = f"{var} is True or {var} is False"
                self._demand(is_bool if code == "?" else f"isinstance({var}, float | int)")
                self._slots.append((code, var))
            case ScalarType.UUID:
                if var != source:
                    self._text.line(f"{var} = {source}")
                self._slots.append(("16s", f"{var}.bytes if type({var}) is UUID else _write_uuid({var})"))
            case ScalarType.STRING:
                self._stretch(source, var, f"utf8({var})", nullable)
            case ScalarType.BYTES | ScalarType.RECORDS:
                self._stretch(source, var, f"{var} if type({var}) is bytes else _raw_bytes({var})", nullable)
            case _:
                self._slots.append((FIXED_CODES[scalar.value], source))

    def _stretch(self, source: str, var: str, data: str, nullable: bool) -> None:
        """A length and as many bytes."""
        line, length = self._text.line, self._names.fresh(f"{var}_length")
        if var != source:
            line(f"{var} = {source}")
        if nullable:
            with self._text.block(f"if {var} is None:"):
                line(f'{var}, {length} = b"", -1')
            with self._text.block("else:"):
                line(f"{var} = {data}")
                line(f"{length} = len({var})")
        else:
            line(f"{var} = {data}")
            line(f"{length} = len({var})")
        self._slots.append(("i", length))
        self._pack()
        line(f"add({var})")

    def _array(self, field: FieldLayout, source: str) -> None:
        line, block = self._text.line, self._text.block
        var = self._names.fresh(field.name)
        count = self._names.fresh(f"{var}_count")
        line(f"{var} = {source}")
        with block(f"if type({var}) is list:"):
            line(f"{count} = len({var})")
        if may_be_null(field):
            with block(f"elif {var} is None:"):
                line(f"{var}, {count} = (), -1")
        with block("else:"):
            line("raise TypeError")
        self._slots.append(("i", count))
        self._pack()
        if field.struct is not None:
            element = self._names.fresh(f"{var}_element")
            with block(f"for {element} in {var}:"):
                self._struct(field.struct, element, element)
                self._pack()
        elif field.scalar is not None:
            self._scalars(field.scalar, var)

    def _scalars(self, scalar: ScalarType, var: str) -> None:
        code = FIXED_CODES.get(scalar.value, "")
        if code and code != "16s":
            with self._text.block(f"if {var}:"):
                if code in "?d":
                    self._demand(f"_is_{'bools' if code == '?' else 'floats'}({var})")
                self._text.line(f"add(_flatten({code!r}, {var}))")
            return
        element = self._names.fresh(f"{var}_element")
        with self._text.block(f"for {element} in {var}:"):
            self._scalar(scalar, element, element, False)
            self._pack()

    def _demand(self, condition: str) -> None:
        with self._text.block(f"if not ({condition}):"):
            self._text.line("raise TypeError")

    def _pack(self) -> None:
        if self._slots:
            form = "".join(code for code, _ in self._slots)
            if form not in self._packs:
                self._packs[form] = self._globals.fresh(f"pack_{form}")
            self._text.line(f"add({self._packs[form]}({', '.join(value for _, value in self._slots)}))")
            self._slots = []


def _tag_list(tags: Iterable[tuple[int, bytes]]) -> bytes:
    return b"".join(Struct(">Ii").pack(tag, len(data)) + data for tag, data in tags)


def _flatten(code: str, values: Sequence[Any]) -> bytes:
    count = len(values)
    if count > _MOST_PACKERS:
        return Struct(f">{count}{code}").pack(*values)
    return _packer(code, count)(*values)


@lru_cache(maxsize=1024)
def _packer(code: str, count: int) -> Callable[..., bytes]:
    """Return the packer of that many numbers, cached: making it takes longer than packing a few."""
    return Struct(f">{count}{code}").pack


def _is_bools(values: Iterable[object]) -> bool:
    return all(value is True or value is False for value in values)


def _is_floats(values: Iterable[object]) -> bool:
    return all(isinstance(value, float | int) for value in values)
