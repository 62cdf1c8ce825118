"""Every flaw there is, by class."""

from wireproof.power.flaw import Flaw
from wireproof.power.flaws._buffers import BUFFER_FLAWS
from wireproof.power.flaws._codes import CODE_FLAWS
from wireproof.power.flaws._defaults import DEFAULT_FLAWS
from wireproof.power.flaws._fields import FIELD_FLAWS
from wireproof.power.flaws._flexible import FLEXIBLE_FLAWS
from wireproof.power.flaws._integers import INTEGER_FLAWS
from wireproof.power.flaws._maps import MAP_FLAWS
from wireproof.power.flaws._null import NULL_FLAWS
from wireproof.power.flaws._tags import TAG_FLAWS
from wireproof.power.flaws._utf8 import UTF8_FLAWS
from wireproof.power.flaws._varints import VARINT_FLAWS

__all__ = ["all_flaws"]

_FLAWS = (
    *NULL_FLAWS,
    *FIELD_FLAWS,
    *TAG_FLAWS,
    *FLEXIBLE_FLAWS,
    *INTEGER_FLAWS,
    *DEFAULT_FLAWS,
    *VARINT_FLAWS,
    *MAP_FLAWS,
    *CODE_FLAWS,
    *BUFFER_FLAWS,
    *UTF8_FLAWS,
)


def all_flaws() -> dict[str, Flaw]:
    """By name, in the order of the classes."""
    return {flaw.name: flaw for flaw in _FLAWS}
