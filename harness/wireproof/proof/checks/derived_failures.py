"""Derived failures: divergences of a case that follow from another one, and are not causes of their own."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from wireproof.model import Divergence, FramePart
from wireproof.model.divergence import without_indices
from wireproof.proof.checks.check_table import ROWS

__all__ = ["considered", "follows", "leading"]


def follows(divergence: Divergence, first: Divergence) -> bool:
    """Return whether a divergence follows from another one of the same case."""
    if divergence.subject != first.subject:
        return False
    row = ROWS.get(divergence.check)
    if row is None:
        return False
    if first.check in row.body_checks and divergence.unanswered == first.unanswered:
        of_body = divergence.part != FramePart.HEADER
        return divergence.unanswered or (of_body and _is_within(divergence.path, first.path))
    return first.check in row.derived_from


def _is_within(one: str, other: str) -> bool:
    """Return whether one path is that of the other, or of a part or the whole of it."""
    short, long = sorted((without_indices(one), without_indices(other)), key=len)
    return not short or long == short or long.startswith((f"{short}.", f"{short}["))


def leading(divergences: Sequence[Divergence]) -> list[Divergence]:
    """Return the divergences of a case that follow from no other divergence."""
    return [each for each in divergences if not any(follows(each, first) for first in divergences)]


def considered(
    divergences: Sequence[Divergence], aside: Collection[tuple[str, ...]] = ()
) -> tuple[Divergence, ...]:
    """Return the first difference of each comparison, and each one that follows only excused differences.

    A difference after one that nothing excuses may well be its consequence.

    Args:
        aside: causes after which judging goes on although nothing excuses them.
    """
    kept: list[Divergence] = []
    goes_on = True
    for each in divergences:
        goes_on = goes_on or not each.rank
        if goes_on:
            kept.append(_after(each, kept[-1]) if each.rank and kept else each)
            goes_on = each.excused or each.cause in aside
    return tuple(kept)


def hidden(divergences: Sequence[Divergence], aside: Collection[tuple[str, ...]] = ()) -> list[Divergence]:
    """Return the differences that `considered` drops, and that it would give if those before were excused."""
    shown = {each.cause for each in considered(divergences, aside)}
    left = [each for each in leading(divergences) if each.cause not in shown]
    return [each for each in left if not (each.excused or each.unsupported)]


def _after(divergence: Divergence, before: Divergence) -> Divergence:
    """Add to a divergence the reason why the one before it was set aside."""
    if divergence.excused or divergence.near:
        return divergence
    known = before.entry or before.erratum
    words = f"{known} explains only what comes before it" if known else f"after {before.check} {before.path}"
    return replace(divergence, near=words.rstrip() if known else f"{words.rstrip()}, which every case shows")
