"""The cells and phases that the options of a command select."""

import fnmatch
from collections.abc import Iterable
from typing import Any

from wireproof.fatal import FatalError
from wireproof.model import Cell, Phase
from wireproof.run import ALL_PHASES, DEFAULT_PHASES, ExitCode, MutationSet, Selection
from wireproof.suggestions import did_you_mean

__all__ = ["mutations_of", "no_cell", "phases_of", "selection_of"]


def selection_of(options: dict[str, Any]) -> Selection:
    """The selection that these options make; takes its options out of the dict."""
    return Selection(
        modules=options.pop("modules"),
        messages=options.pop("messages"),
        versions=options.pop("versions"),
        patterns=options.pop("patterns"),
        shard=options.pop("shard"),
    )


def no_cell(cells: Iterable[Cell], selection: Selection) -> FatalError:
    """The failure of a command whose selection leaves no cell; it suggests names like those that were typed.

    Args:
        cells: all cells of the releases, whatever is selected.
    """
    held = list(cells)
    modules, messages = {cell.module for cell in held}, {cell.message for cell in held}
    for typed, known in ((selection.modules, modules), (selection.messages, messages)):
        for name in typed:
            if not fnmatch.filter(known, name) and (advice := did_you_mean(name, sorted(known))):
                return FatalError(f"no cell matches: there is no {name!r}", advice, ExitCode.NOTHING_RAN)
    advice = "`wireproof cells` lists them all, and takes the same options."
    whose = f" of shard {selection.shard[0]}/{selection.shard[1]}" if selection.shard[1] > 1 else ""
    return FatalError(f"no cell{whose} matches", advice, ExitCode.NOTHING_RAN)


def phases_of(names: tuple[str, ...]) -> tuple[Phase, ...]:
    """The phases named, in the order in which they run; the default ones where none is named.

    The layout is held against Kafka's class in any case: without it the other phases prove little.
    """
    if not names:
        return DEFAULT_PHASES
    return tuple(phase for phase in ALL_PHASES if phase is Phase.SHAPE or phase.value in names)


def mutations_of(word: str | None, names: tuple[str, ...]) -> MutationSet:
    """How many mutations are tried: all where their phase is named, unless the option says otherwise."""
    if word is not None:
        return MutationSet(word)
    return MutationSet.ALL if Phase.MUTATIONS.value in names else MutationSet.SLICE
