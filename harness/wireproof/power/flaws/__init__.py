"""Every flaw there is, by class."""

from wireproof.power.bug_classes import BugClass
from wireproof.power.flaw import Flaw
from wireproof.power.flaws._buffers import BUFFER_FLAWS
from wireproof.power.flaws._codes import CODE_FLAWS
from wireproof.power.flaws._defaults import DEFAULT_FLAWS
from wireproof.power.flaws._embedded import EMBEDDED_FLAWS
from wireproof.power.flaws._fields import FIELD_FLAWS
from wireproof.power.flaws._flexible import FLEXIBLE_FLAWS
from wireproof.power.flaws._hostile import HOSTILE_FLAWS
from wireproof.power.flaws._integers import INTEGER_FLAWS
from wireproof.power.flaws._maps import MAP_FLAWS
from wireproof.power.flaws._null import NULL_FLAWS
from wireproof.power.flaws._records import COMPRESSION_FLAWS, RECORD_FLAWS
from wireproof.power.flaws._tags import TAG_FLAWS
from wireproof.power.flaws._utf8 import UTF8_FLAWS
from wireproof.power.flaws._varints import VARINT_FLAWS

__all__ = ["all_flaws"]

_FLAWS = (
    *NULL_FLAWS,
    *FIELD_FLAWS,
    *TAG_FLAWS,
    *RECORD_FLAWS,
    *FLEXIBLE_FLAWS,
    *INTEGER_FLAWS,
    *EMBEDDED_FLAWS,
    *DEFAULT_FLAWS,
    *VARINT_FLAWS,
    *HOSTILE_FLAWS,
    *MAP_FLAWS,
    *COMPRESSION_FLAWS,
    *CODE_FLAWS,
    *BUFFER_FLAWS,
    *UTF8_FLAWS,
)


def all_flaws() -> dict[str, Flaw]:
    """By name, in the order of the classes."""
    order = list(BugClass)
    return {flaw.name: flaw for flaw in sorted(_FLAWS, key=lambda flaw: order.index(flaw.bug_class))}
