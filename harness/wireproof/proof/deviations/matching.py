"""The comparison of replies: of a predicted reply with a codec's, or of two replies of a codec."""

from wireproof.model.adapter import (
    READ_PAST_END,
    Crashed,
    Decoded,
    DecodedFrame,
    Equality,
    FedFrame,
    Refused,
    Reply,
)
from wireproof.model.divergence import without_indices
from wireproof.proof.deviations.field_values import same


def matches(predicted: Reply, reply: Reply) -> bool:
    """Test if a reply is the predicted one. The class of a crash is compared, that of a refusal is not."""
    match predicted, reply:
        case Refused(read=None), Refused(read=None):
            return True
        case Refused(offset=one, read=one_read), Refused(offset=other, read=other_read):
            if one_read is None or other_read is None:
                return other_read is None  # a codec may refuse bytes at which another codec stops reading
            return one == other and matches(one_read, other_read)
        case Crashed(error="hang"), Crashed(error="hang" | "memory" | "process"):
            return True
        case Crashed(error, message, path=path), Crashed(other_error, other_message, path=other_path):
            if path and other_path and without_indices(path) != without_indices(other_path):
                return False
            return other_error in error.split(", ") and (error != READ_PAST_END or message == other_message)
        case Equality(one, hashes), Equality(other, other_hashes):
            return one == other and (not one or other_hashes is None or hashes == other_hashes)
        case Decoded(value), Decoded(other_value):
            return same(value, other_value)
        case FedFrame(value, size, parts), FedFrame(other_value, other_size, other_parts):
            return (size, parts) == (other_size, other_parts) and same(value, other_value)
        case DecodedFrame(head, value), DecodedFrame(other_head, other_value):
            return same(head, other_head) and same(value, other_value)
        case _:
            return predicted == reply


def without_words(reply: Reply) -> Reply:
    """Return the reply without the message and the output of a crash, which may vary."""
    match reply:
        case Crashed(error, message):
            return Crashed(error, message if error == READ_PAST_END else "")
        case Refused(read=None):
            return Refused("", "")
    return reply
