"""The state of a message definition while it is drawn."""

from dataclasses import dataclass, field
from typing import Final

from kafkawire.schema.model import VersionRange
from wireproof.proof.strategies.schemas.choices import Choices, chance, pick
from wireproof.proof.strategies.schemas.schema_language import SchemaLanguage

_FIELD_NAMES: Final = (
    *("Name", "Index", "Topics", "Partitions", "ErrorCode", "Epoch", "Leader", "Offset", "Count", "Group"),
    *("Member", "Host", "Port", "Rack", "Flags", "State", "Owner", "Quota", "Bound", "Extra"),
    *("lowerCase", "ISRNodeId", "TopicID", "N1", "A", "aB2c"),
)
_ODD_FIELD_NAMES: Final = (
    *("Next", "Prev", "Clone", "Finalize", "Version", "Size", "Read", "Write", "Equals", "Message", "List"),
    *("String", "AddSize", "This", "Yield", "Var", "Record", "ab", "AB"),
)
"""Names similar to those in generated Java: the comparison finds out whether Kafka accepts them."""

_ODD_STRUCT_NAMES: Final = (
    *("Schema", "Field", "Type", "Struct", "Message", "Readable", "Writable", "List", "ArrayList", "Arrays"),
    *(
        "Objects",
        "Uuid",
        "Bytes",
        "MessageUtil",
        "String",
        "Integer",
        "RawTaggedField",
        "Iterator",
        "Override",
    ),
)


@dataclass(frozen=True, slots=True)
class CommonStruct:
    """A common struct that fields may name.

    Attributes:
        level: a common struct has fields of common structs with a higher level only, so that no struct
            contains itself.
    """

    name: str
    versions: VersionRange
    level: int
    has_keys: bool


@dataclass(slots=True)
class StructScope:
    """A struct whose fields are being drawn.

    Attributes:
        around: its versions, restricted to those of all structs around it.
        level: the level of the common struct; -1 outside of common structs.
        keys: whether its fields may be map keys.
    """

    around: VersionRange
    depth: int
    level: int = -1
    keys: bool = False
    names: set[str] = field(default_factory=set)


@dataclass(slots=True)
class MessageDraft:
    """The state that the parts of one message share.

    Attributes:
        flexible: its flexible versions; empty for none.
        fields_left: how many fields it may still get.
        open: whether an unusual name or form was drawn, which only Kafka can accept or refuse.
    """

    choices: Choices
    language: SchemaLanguage
    valid: VersionRange
    flexible: VersionRange
    fields_left: int
    odd_names: bool = False
    open: bool = False
    common: list[CommonStruct] = field(default_factory=list)
    struct_names: set[str] = field(default_factory=set)

    def field_name(self, scope: StructScope) -> str:
        """A name that the struct does not have yet, by Kafka's rule and by Java's."""
        if self.odd_names and chance(self.choices, 10):
            name = pick(self.choices, _ODD_FIELD_NAMES)
            if name.lower() not in scope.names:
                self.open = True
                scope.names.add(name.lower())
                return name
        name = pick(self.choices, _FIELD_NAMES)
        while name.lower() in scope.names:
            name = f"{name}{len(scope.names)}"
        scope.names.add(name.lower())
        return name

    def struct_name(self) -> str:
        """A name that no struct of the message has yet."""
        name = f"Struct{len(self.struct_names)}"
        if self.odd_names and chance(self.choices, 15):
            odd = pick(self.choices, _ODD_STRUCT_NAMES)
            if odd not in self.struct_names:
                self.open, name = True, odd
        self.struct_names.add(name)
        return name
