"""All mutation operators for our own codec, by class of bug."""

from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.operators._buffers import BUFFER_OPERATORS
from wireproof.power.operators._codes import CODE_OPERATORS
from wireproof.power.operators._compression import COMPRESSION_OPERATORS
from wireproof.power.operators._defaults import DEFAULT_OPERATORS
from wireproof.power.operators._embedded import EMBEDDED_OPERATORS
from wireproof.power.operators._fields import FIELD_OPERATORS
from wireproof.power.operators._flexible import FLEXIBLE_OPERATORS
from wireproof.power.operators._hostile import HOSTILE_OPERATORS
from wireproof.power.operators._integers import INTEGER_OPERATORS
from wireproof.power.operators._maps import MAP_OPERATORS
from wireproof.power.operators._null import NULL_OPERATORS
from wireproof.power.operators._records import RECORD_OPERATORS
from wireproof.power.operators._tags import TAG_OPERATORS
from wireproof.power.operators._utf8 import UTF8_OPERATORS
from wireproof.power.operators._varints import VARINT_OPERATORS

__all__ = ["all_operators"]

_OPERATORS = (
    *NULL_OPERATORS,
    *FIELD_OPERATORS,
    *TAG_OPERATORS,
    *RECORD_OPERATORS,
    *FLEXIBLE_OPERATORS,
    *INTEGER_OPERATORS,
    *EMBEDDED_OPERATORS,
    *DEFAULT_OPERATORS,
    *VARINT_OPERATORS,
    *HOSTILE_OPERATORS,
    *MAP_OPERATORS,
    *COMPRESSION_OPERATORS,
    *CODE_OPERATORS,
    *BUFFER_OPERATORS,
    *UTF8_OPERATORS,
)


def all_operators() -> dict[str, CodecOperator]:
    """Return the operators by name, in the order of the classes."""
    order = list(BugClass)
    return {
        operator.name: operator
        for operator in sorted(_OPERATORS, key=lambda operator: order.index(operator.bug_class))
    }
