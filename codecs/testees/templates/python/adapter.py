"""The adapter of my-codec. It only calls the codec: the module wireproof_testee implements the protocol."""

import wireproof_testee as kit

pipes = kit.take_stdio()  # before the codec is imported: its output goes to standard error

import codec  # the example codec: import yours, and install it in testee.toml


class Port(kit.Message):
    """One message at one version. It does not catch the codec's exceptions: the kit reports them."""

    def __init__(self, message: str, version: int) -> None:
        self.cls = codec.MESSAGES[message]
        self.version = version

    def read(self, data: bytes) -> "tuple[codec.ApiVersionsRequest, int]":
        """Decode bytes. Return the codec's object and the number of bytes read."""
        return self.cls.decode(data, self.version)

    def write(self, thing: "codec.ApiVersionsRequest") -> bytes:
        """Encode the codec's object."""
        return thing.encode(self.version)

    def to_value(self, thing: "codec.ApiVersionsRequest") -> "dict[str, object]":
        """Convert the codec's object to canonical JSON: Kafka's names, and the fields of this version."""
        if self.version < 3:
            return {}
        value: dict[str, object] = {
            "clientSoftwareName": thing.client_software_name,
            "clientSoftwareVersion": thing.client_software_version,
        }
        return {**value, "_tags": kit.tags_to_json(thing.tags)} if thing.tags else value

    def from_value(self, value: "dict[str, object]") -> "codec.ApiVersionsRequest":
        """Convert canonical JSON to the codec's object. Absent keys have the codec's defaults."""
        names = {
            "clientSoftwareName": "client_software_name",
            "clientSoftwareVersion": "client_software_version",
        }
        fields = {names[key]: held for key, held in value.items() if key in names}
        return self.cls(**fields, tags=kit.tags_from_json(value.get("_tags", {})))


kit.serve(
    kit.Testee(
        name="my-codec",
        version="0.1.0",  # better: importlib.metadata.version("your-codec")
        claims={"ApiVersionsRequest": kit.claim("decode encode reencode", "0-3")},
        at=Port,
        index=dict.fromkeys(codec.MESSAGES, "0-3"),  # all messages of your codec, read from the codec itself
        # unclaimed=[kit.Unclaimed("why", {"FetchRequest": "4-18"})],  # those without a claim
        # compressions=("none",),  # of record sets, the message RecordBatch: see wireproof_records
        # embedded={...}, embedded_at=...,  # messages inside other data
        decode_errors=(codec.MalformedError,),  # the codec raises it to reject bytes; others are failures
    ),
    pipes,
)
