"""The Kafka message that a struct of franz-go's definitions describes."""

from types import MappingProxyType
from typing import Final

from kafkawire.embedded import CONNECT_MESSAGES, STICKY_USER_DATA, hand_written_specs
from kafkawire.schema import MessageKind, MessageSpec, SchemaSet
from wireproof.definitions.krammar import KrammarStruct

__all__ = ["WITHOUT_COUNTERPART", "counterpart_of", "starts_with_version"]

_OTHER_NAMES: Final = MappingProxyType(
    {
        "TxnMetadataKey": "TransactionLogKey",
        "TxnMetadataValue": "TransactionLogValue",
        "ConsumerMemberMetadata": "ConsumerProtocolSubscription",
        "ConsumerMemberAssignment": "ConsumerProtocolAssignment",
        "StickyMemberMetadata": STICKY_USER_DATA,
        "ConnectMemberMetadata": CONNECT_MESSAGES[0],
        "ConnectMemberAssignment": CONNECT_MESSAGES[1],
    }
)
"""The structs with another name than Kafka's, or than the one that we give to what Kafka writes by hand."""

WITHOUT_COUNTERPART: Final = MappingProxyType(
    {
        "MessageV0": "records of magic 0",
        "MessageV1": "records of magic 1",
        "Header": "headers of records",
        "RecordBatch": "record batches",
        "ControlRecordKey": "keys of control records",
    }
)
"""The structs for which Kafka has neither a definition nor a schema object, with what they describe."""


def counterpart_of(struct: KrammarStruct, schemas: SchemaSet) -> MessageSpec | None:
    """Kafka's definition of a struct in one release; None where the release has none.

    Requests and responses are found by api key, others by name.
    """
    if struct.key is not None:
        kind = MessageKind(struct.role.value)
        return next((each for _, each in schemas if (each.kind, each.api_key) == (kind, struct.key)), None)
    name = _OTHER_NAMES.get(struct.name, struct.name)
    if name in hand_written_specs():
        return hand_written_specs()[name]
    return next((each for _, each in schemas if each.name == name), None)


def starts_with_version(spec: MessageSpec) -> bool:
    """Test if Kafka's definition has the version field, which others leave to the code before them."""
    return bool(spec.fields) and spec.fields[0].json_name == "version"
