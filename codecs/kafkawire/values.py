"""Plain values: the form of a message that `decode` returns and `encode` takes.

A message or struct is a dict whose keys are Kafka's JSON field names (``throttleTimeMs``). An absent
key means the field's default. Tagged fields that the layout does not know are under `TAGS`, as a
dict from tag to its bytes, in ascending order; the key is absent where there are none.

========================== =======================================================
Kafka's type               Python's
========================== =======================================================
bool                       bool
int8 .. int64, uint16/32   int
float64                    float (all 64 bits are kept, those of a NaN too)
uuid                       `uuid.UUID`
string                     str
bytes, records             bytes
[]T                        list
struct                     dict
null                       None
========================== =======================================================
"""

from typing import Any, Final, TypeAlias

TAGS: Final = "_tags"
"""The key of a struct's unknown tagged fields: ``{tag: data}``."""

Value: TypeAlias = Any
"""One field's value. Python's type system has no finite name for this recursive union."""

StructValue: TypeAlias = dict[str, Any]
