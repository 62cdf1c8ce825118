"""The catalogue of mutation operators for answers, made of the classes of bugs that real codecs had."""

from collections.abc import Mapping
from typing import Final

from wireproof.power.testees.operator import Operator
from wireproof.power.testees.operators._answers import ANSWERS, STATES
from wireproof.power.testees.operators._own_kinds import OWN_KINDS
from wireproof.power.testees.operators._wrong_values import NUMBERS, STRUCTURES, TEXTS

OPERATORS: Final[Mapping[str, Operator]] = {
    each.name: each for each in (*TEXTS, *STRUCTURES, *NUMBERS, *ANSWERS, *STATES, *OWN_KINDS)
}
"""Every operator by its name."""
