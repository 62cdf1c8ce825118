"""The page of one message: its fields and its bytes, which the scripts in `assets` read and show.

Equal names, fields, structs and messages are written once, and named by their index: 16 releases with 10,621
messages at a version take 113 kB. The tables, each a list:

- ``names``: of fields.
- ``types``: ``struct``, Kafka's names of scalars, and the names of KIP-625's encodings.
- ``fields``: ``[name, type, flags, struct, tag]``; flags: 1 array, 2 nullable, 4 compact; struct -1 and tag
  null are absent, and left out at the end.
- ``structs``: ``[flexible, fields, tagged fields]``.
- ``messages``: ``[name, kind, module, API key, first version, structs, header versions]``, the last two with
  an item for each version.

``releases`` has the messages of each release by its name, the newest first.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from kafkawire.schema import SchemaSet, resolve
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from wireproof.verdict.report.html.page import render

LayoutTables: TypeAlias = dict[str, Any]
"""The tables as plain data, for `json.dumps`."""

_ARRAY: Final = 1
_NULLABLE: Final = 2
_COMPACT: Final = 4
_NO_STRUCT: Final = -1


def layout_tables(schemas: Mapping[str, SchemaSet]) -> LayoutTables:
    """Return the layouts of all messages of these releases, which are given newest first."""
    tables = _Tables()
    for release, known in schemas.items():
        messages = sorted((spec.name, module, spec) for module, spec in known if not spec.retired)
        tables.releases[release] = [
            tables.message(module, [resolve(spec, version) for version in spec.valid_versions])
            for _, module, spec in messages
        ]
    return tables.plain()


def message_tables(
    release: str, module: str, layout: MessageLayout, header: MessageLayout | None
) -> LayoutTables:
    """Return the tables of one message at one version, and of its header."""
    tables = _Tables()
    rows = [tables.message(module, [layout])]
    if header is not None:
        rows.append(tables.message("clients", [header]))
    tables.releases[release] = rows
    return tables.plain()


@dataclass(slots=True)
class _Tables:
    """Pools of rows: each row has an index, equal rows have one."""

    names: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    fields: dict[tuple[Any, ...], int] = field(default_factory=dict)
    structs: dict[tuple[Any, ...], int] = field(default_factory=dict)
    messages: dict[tuple[Any, ...], int] = field(default_factory=dict)
    releases: dict[str, list[int]] = field(default_factory=dict)

    def message(self, module: str, layouts: list[MessageLayout]) -> int:
        """The index of a message with these versions."""
        first = layouts[0]
        roots = tuple(self.struct(layout.root) for layout in layouts)
        headers = tuple(layout.header_version for layout in layouts)
        row = (first.name, first.kind.value, module, first.api_key, first.version, roots, headers)
        return self.messages.setdefault(row, len(self.messages))

    def struct(self, layout: StructLayout) -> int:
        """The index of a struct."""
        fields = tuple(self.field(each) for each in layout.fields)
        tagged = tuple(self.field(each) for each in layout.tagged)
        row = (int(layout.flexible), fields, tagged) if tagged else (int(layout.flexible), fields)
        return self.structs.setdefault(row, len(self.structs))

    def field(self, layout: FieldLayout) -> int:
        """The index of a field."""
        flags = _ARRAY * layout.is_array + _NULLABLE * layout.nullable + _COMPACT * layout.compact
        name = self.names.setdefault(layout.name, len(self.names))
        row: tuple[Any, ...] = (name, self._type(layout), flags)
        struct = _NO_STRUCT if layout.struct is None else self.struct(layout.struct)
        if layout.tag is not None:
            row = (*row, struct, layout.tag)
        elif struct != _NO_STRUCT:
            row = (*row, struct)
        return self.fields.setdefault(row, len(self.fields))

    def _type(self, layout: FieldLayout) -> int:
        scalar = "struct" if layout.scalar is None else layout.scalar.value
        name = scalar if layout.encoding is None else str(layout.encoding)
        return self.types.setdefault(name, len(self.types))

    def plain(self) -> LayoutTables:
        """The tables as lists."""
        return {
            "names": list(self.names),
            "types": list(self.types),
            "fields": list(self.fields),
            "structs": list(self.structs),
            "messages": list(self.messages),
            "releases": self.releases,
        }


PAGE_SCRIPTS: Final = ("frame_decoder.js", "decoder_view.js")
"""The scripts of a page with one message, in the order in which they run."""

_LAST_SCRIPT: Final = "one_message.js"

FORM_SCRIPTS: Final = (*PAGE_SCRIPTS, "pasted_bytes.js", "decoder_form.js")
"""The scripts of the page with the form, in the order in which they run."""


@dataclass(frozen=True, slots=True)
class DecodedMessage:
    """A message to show.

    Attributes:
        release, module: where the layout is from.
        header: the layout of what goes before the message; None if it is sent without.
        framed: true if the bytes begin with a size and a header.
        dump: the same as text, for browsers without JavaScript.
        values: canonical JSON by the name of the message; empty if the bytes are not valid.
    """

    release: str
    module: str
    layout: MessageLayout
    header: MessageLayout | None
    data: bytes
    framed: bool
    dump: Sequence[str] = ()
    values: Sequence[tuple[str, str]] = ()


def decoder_page(shown: DecodedMessage) -> str:
    """Return the page, which loads nothing from elsewhere."""
    layout = shown.layout
    question = {
        "tables": message_tables(shown.release, shown.module, layout, shown.header),
        "release": shown.release,
        "message": layout.name,
        "version": layout.version,
        "begins": "size" if shown.framed else "body",
        "title": f"{layout.name} {layout.version}:",
        "hex": shown.data.hex(),
    }
    return render(
        "decode.html",
        release=shown.release,
        message=layout.name,
        version=layout.version,
        dump="\n".join(shown.dump),
        values=shown.values,
        data=Markup(script_data(question)),
        decoder_css=Markup(asset("decoder.css")),
        page_scripts=[Markup(asset(name)) for name in (*PAGE_SCRIPTS, _LAST_SCRIPT)],
    )


@cache
def asset(name: str) -> str:
    return (files("wireproof.verdict.report.decoder") / "assets" / name).read_text("utf-8")


def script_data(value: Any) -> str:
    """Return a value as JSON that cannot end the script element that it is in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
