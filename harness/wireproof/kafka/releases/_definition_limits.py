"""Limits of message definitions: layouts and cases have each struct written out, so few lines can mean much.

Kafka's generator makes one class for a struct, however often it is used. A layout repeats it: forty structs
that each hold the next one twice are 10^12 fields.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from kafkawire.schema import ArrayType, FieldSpec, MessageSpec, StructType

MOST_FIELDS: Final = 20_000
"""Of a message, its structs written out. Kafka's largest has 100."""
MOST_DEPTH: Final = 32
"""Structs inside each other. Kafka's deepest message has 5."""


def size_problem(spec: MessageSpec) -> str:
    """Return the limit that a definition exceeds, in words; empty for none.

    Versions are not looked at: fields that no version has together are counted together.
    """
    common = {struct.name: struct.fields for struct in spec.common_structs}
    inline = dict(_inline(spec.fields))
    level: Counter[str] = Counter()
    total = _count(spec.fields, 1, level)
    for _ in range(MOST_DEPTH):
        if total > MOST_FIELDS:
            return f"the message has more than {MOST_FIELDS:,} fields when its structs are written out"
        if not level:
            return ""
        deeper: Counter[str] = Counter()
        for name, times in level.items():
            total += _count(common.get(name, inline.get(name, ())), times, deeper)
        level = deeper
    return f"more than {MOST_DEPTH} structs are inside each other"


def _count(fields: Iterable[FieldSpec], times: int, structs: Counter[str]) -> int:
    """Count the fields of a list that is there so many times, and add their structs to `structs`."""
    count = 0
    for field in fields:
        count += times
        name = _struct_of(field)
        if name is not None:
            structs[name] += times
    return count


def _inline(fields: tuple[FieldSpec, ...]) -> Iterator[tuple[str, tuple[FieldSpec, ...]]]:
    """Yield (name, fields) of the structs that are defined where they are used; JSON limits their depth."""
    for field in fields:
        name = _struct_of(field)
        if name is not None and field.fields:
            yield name, field.fields
            yield from _inline(field.fields)


def _struct_of(field: FieldSpec) -> str | None:
    element = field.type.element if isinstance(field.type, ArrayType) else field.type
    return element.name if isinstance(element, StructType) else None
