"""The adapter of my-codec: the calls of the codec, and nothing else. The protocol is in the kit."""

import wireproof_testee as kit

pipes = kit.take_stdio()  # before the codec is imported: what it prints goes to standard error

import codec  # the stand-in beside this file: import yours in its place, and let testee.toml install it


class Port(kit.Message):
    """One message at one version. Let pass what the codec raises; the kit tells it."""

    def __init__(self, message: str, version: int) -> None:
        self.cls = codec.MESSAGES[message]
        self.version = version

    def read(self, data: bytes) -> "tuple[codec.ApiVersionsRequest, int]":
        """Bytes to the codec's own object, and how many of them it took."""
        return self.cls.decode(data, self.version)

    def write(self, thing: "codec.ApiVersionsRequest") -> bytes:
        """The codec's own object to bytes."""
        return thing.encode(self.version)

    def to_value(self, thing: "codec.ApiVersionsRequest") -> "dict[str, object]":
        """The object as canonical JSON: Kafka's names, the fields of this version. See `kit.TO_JSON`."""
        if self.version < 3:
            return {}
        value: dict[str, object] = {
            "clientSoftwareName": thing.client_software_name,
            "clientSoftwareVersion": thing.client_software_version,
        }
        return {**value, "_tags": kit.tags_to_json(thing.tags)} if thing.tags else value

    def from_value(self, value: "dict[str, object]") -> "codec.ApiVersionsRequest":
        """Canonical JSON as an object; a key that is absent is left to the codec. See `kit.FROM_JSON`."""
        names = {
            "clientSoftwareName": "client_software_name",
            "clientSoftwareVersion": "client_software_version",
        }
        fields = {names[key]: held for key, held in value.items() if key in names}
        return self.cls(**fields, tags=kit.tags_from_json(value.get("_tags", {})))


kit.serve(
    kit.Testee(
        name="my-codec",
        version="0.1.0",  # better asked of the codec: importlib.metadata.version("your-codec")
        claims={"ApiVersionsRequest": kit.claim("decode encode reencode", "0-3")},
        at=Port,
        index=dict.fromkeys(codec.MESSAGES, "0-3"),  # all that your codec has, out of its own index
        # unclaimed=[kit.Unclaimed("why", {"FetchRequest": "4-18"})],  # what of that is not claimed, and why
        # compressions=("none",),  # of record sets, the message RecordBatch: see wireproof_records
        # embedded={...}, embedded_at=...,  # messages that other data carry, in their framing
        decode_errors=(codec.MalformedError,),  # what it raises to decline bytes; any other is a failure
    ),
    pipes,
)
