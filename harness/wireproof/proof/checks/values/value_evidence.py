"""The answers about one value, and the fast test that they agree."""

from dataclasses import dataclass

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model import Decoded, Encoded, OracleReply, OracleValue, Reply, Sized, Unsupported
from wireproof.proof.checks.known_defects.kafka_bug import KafkaBug

__all__ = ["ValueEvidence", "agrees"]


@dataclass(frozen=True, slots=True)
class ValueEvidence:
    """The answers about one value.

    Attributes:
        subject: the codec's name.
        expected: the canonical binary of the value.
        encoded, sized: the codec's answers for the value.
        decoded: the codec's answer for its own bytes; None if it wrote none.
        reread: Kafka's answer for the codec's bytes; None if it wrote none.
        written: Kafka's answer for the value.
        decoded_oracle: the codec's answer for Kafka's bytes; None if they are its own bytes.
        known_bug: explains why Kafka does not write the value; None if no known Kafka bug does.
    """

    layout: MessageLayout
    subject: str
    expected: bytes
    encoded: Reply
    sized: Reply
    decoded: Reply | None
    reread: OracleReply | None
    written: OracleReply
    decoded_oracle: Reply | None = None
    known_bug: KafkaBug | None = None


def agrees(
    layout: MessageLayout,
    expected: bytes,
    encoded: Reply,
    sized: Reply,
    decoded: Reply | None,
    reread: OracleReply | None,
    written: OracleReply,
) -> bool:
    """Return True only if `judge_value` would find no divergence; False decides nothing.

    The arguments are those of `ValueEvidence`. Nearly all cases pass here, without the cost of a judgement.
    """
    if not (
        isinstance(encoded, Encoded)
        and (isinstance(sized, Sized) or (isinstance(sized, Unsupported) and not sized.reason))
        and isinstance(decoded, Decoded)
        and isinstance(reread, OracleValue)
        and isinstance(written, OracleValue)
    ):
        return False
    data = encoded.data
    length = len(data)
    if not (
        data == written.written == reread.written
        and expected == written.value == reread.value
        and (isinstance(sized, Unsupported) or length == sized.size_bytes)
        and length == reread.consumed_bytes == reread.predicted_bytes
        and not reread.absent_set
    ):
        return False
    try:
        return canonical(layout).to_binary(decoded.value) == expected
    except CodecError:
        return False
