"""The sizes of a message's fields as a table, and as JSON."""

from collections.abc import Iterator
from typing import Any

from wireproof.base.text.wording import counted
from wireproof.definitions.sizes import FieldSavings, SizeTable

_HEADS = ("values", "fixed", "packed", "upacked", "encoding", "bytes", "saved")


def size_lines(table: SizeTable) -> Iterator[str]:
    """Yield the table: a line for each field, then the totals."""
    layout = table.layout
    yield f"{layout.name}/{layout.version}: {counted(table.messages, 'message')}, bytes of bodies"
    names = max([len(each.path) for each in table.fields] + [5])
    yield _line(names, "field", "type", _HEADS)
    for each in table.fields:
        cells = (each.values, each.fixed_bytes, each.packed_bytes, each.upacked_bytes)
        saved = each.fixed_bytes - each.bytes
        texts = ["" if cell is None else f"{cell:,}" for cell in cells]
        more = (each.encoding, f"{each.bytes:,}", f"{saved:,}" if saved else "")
        yield _line(names, each.path, each.type, (*texts, *more))
    packed, upacked = (sum(map(chosen, table.fields)) for chosen in (_packed, _upacked))
    saved = table.fixed_bytes - table.bytes
    totals = (table.fixed_bytes, packed, upacked)
    texts = ["", *(f"{each:,}" for each in totals), "", f"{table.bytes:,}", f"{saved:,}"]
    yield _line(names, "all", "", tuple(texts))
    if table.fixed_bytes:
        yield f"saved: {saved:,} of {table.fixed_bytes:,} bytes, {100 * saved / table.fixed_bytes:.1f} %"


def _packed(field: FieldSavings) -> int:
    return field.fixed_bytes if field.packed_bytes is None else field.packed_bytes


def _upacked(field: FieldSavings) -> int:
    return field.fixed_bytes if field.upacked_bytes is None else field.upacked_bytes


def _line(names: int, path: str, type_: str, cells: tuple[str, ...]) -> str:
    values, fixed, packed, upacked, encoding, size, saved = cells
    numbers = f"{values:>9} {fixed:>11} {packed:>11} {upacked:>11}"
    return f"  {path:{names}}  {type_:9} {numbers}  {encoding:9} {size:>11} {saved:>11}".rstrip()


def as_plain(table: SizeTable) -> dict[str, Any]:
    """Return the table as JSON has it."""
    return {
        "message": table.layout.name,
        "version": table.layout.version,
        "messages": table.messages,
        "fixedBytes": table.fixed_bytes,
        "bytes": table.bytes,
        "savedBytes": table.fixed_bytes - table.bytes,
        "fields": [
            {
                "path": each.path,
                "type": each.type,
                "encoding": each.encoding,
                "values": each.values,
                "fixedBytes": each.fixed_bytes,
                "bytes": each.bytes,
                "packedBytes": each.packed_bytes,
                "upackedBytes": each.upacked_bytes,
            }
            for each in table.fields
        ],
        "refused": dict(table.refused),
        "foreign": dict(table.foreign),
    }
