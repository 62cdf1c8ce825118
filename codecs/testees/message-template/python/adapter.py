"""The adapter of my-codec. It only calls the codec: the module wireproof_testee implements the protocol."""

from typing import Any

import wireproof_testee as kit

pipes = kit.take_stdio()  # before the codec is imported: its output goes to standard error

import codec  # the example codec: import yours, and install it in testee.toml


class Shape:
    """A struct of Kafka as a class of the codec.

    Each row has Kafka's name of a field, the codec's attribute, the versions that have it, and the type:
    Kafka's name of a scalar, the shape of a struct, or a list of one of these for arrays. Null is None.
    """

    def __init__(self, cls: type, *rows: tuple[str, str, str, Any]) -> None:
        self.cls = cls
        self.rows = [(name, held, kit.read_versions(versions), kind) for name, held, versions, kind in rows]

    # <decode>
    def to_value(self, thing: Any, version: int) -> dict[str, Any]:
        """Convert the codec's object to canonical JSON: Kafka's names, and the fields of this version."""
        value = {
            name: to_json(kind, getattr(thing, attribute), version)
            for name, attribute, versions, kind in self.rows
            if version in versions
        }
        return {**value, "_tags": kit.tags_to_json(thing.unknown_tags)} if thing.unknown_tags else value

    # </decode>
    # <encode>
    def from_value(self, value: dict[str, Any]) -> Any:
        """Convert canonical JSON to the codec's object. Absent keys have the codec's defaults."""
        thing = self.cls()
        for name, attribute, _, kind in self.rows:
            if name in value:
                setattr(thing, attribute, from_json(kind, value[name]))
        thing.unknown_tags = kit.tags_from_json(value.get("_tags", {}))
        return thing

    # </encode>


# <decode>
def to_json(kind: Any, item: Any, version: int) -> Any:
    """Convert a value of the codec: a scalar, an object, or a list of either."""
    if item is None:
        return None
    if isinstance(kind, list):
        return [to_json(kind[0], one, version) for one in item]
    return kind.to_value(item, version) if isinstance(kind, Shape) else kit.TO_JSON[kind](item)


# </decode>
# <encode>
def from_json(kind: Any, item: Any) -> Any:
    """Convert a value of canonical JSON to one of the codec."""
    if item is None:
        return None
    if isinstance(kind, list):
        return [from_json(kind[0], one) for one in item]
    return kind.from_value(item) if isinstance(kind, Shape) else kit.FROM_JSON[kind](item)


# </encode>
ROOT = Shape(object)  # SHAPES


class Port(kit.Message):
    """The message at one version. It does not catch the codec's exceptions: the kit reports them."""

    def __init__(self, message: str, version: int) -> None:
        self.shape = ROOT
        self.version = version

    # <decode>
    def read(self, data: bytes) -> tuple[Any, int]:
        """Decode bytes. Return the codec's object and the number of bytes read."""
        return codec.decode(self.shape.cls, data, self.version)

    def to_value(self, thing: Any) -> dict[str, Any]:
        """Convert the codec's object to canonical JSON."""
        return self.shape.to_value(thing, self.version)

    # </decode>
    # <encode>
    def write(self, thing: Any) -> bytes:
        """Encode the codec's object."""
        return codec.encode(thing, self.version)

    def from_value(self, value: dict[str, Any]) -> Any:
        """Convert canonical JSON to the codec's object."""
        return self.shape.from_value(value)

    # </encode>


kit.serve(
    kit.Testee(
        name="my-codec",
        version="0.1.0",  # better: importlib.metadata.version("your-codec")
        claims={"MESSAGE": kit.claim("OPERATIONS", codec.VERSIONS)},
        at=Port,
        index={
            "MESSAGE": kit.claim("WAYS", codec.VERSIONS)
        },  # all messages of your codec, read from the codec itself
        # unclaimed=[kit.Unclaimed("why", {"FetchRequest": "4-18"})],  # those without a claim
        # compressions=("none",),  # of record sets, the message RecordBatch: see wireproof_records
        # embedded={...}, embedded_at=...,  # messages inside other data
        decode_errors=(codec.MalformedError,),  # the codec raises it to reject bytes; others are failures
    ),
    pipes,
)
