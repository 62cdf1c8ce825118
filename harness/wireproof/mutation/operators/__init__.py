"""The catalogue of mutation operators for answers, made of the classes of bugs that real codecs had."""

from collections.abc import Mapping
from typing import Final

from wireproof.mutation.operator import Operator
from wireproof.mutation.operators._answers import ANSWERS
from wireproof.mutation.operators._numbers import NUMBERS
from wireproof.mutation.operators._own_kinds import OWN_KINDS
from wireproof.mutation.operators._states import STATES
from wireproof.mutation.operators._structures import STRUCTURES
from wireproof.mutation.operators._texts import TEXTS

__all__ = ["OPERATORS"]

OPERATORS: Final[Mapping[str, Operator]] = {
    each.name: each for each in (*TEXTS, *STRUCTURES, *NUMBERS, *ANSWERS, *STATES, *OWN_KINDS)
}
"""Every operator by its name."""
