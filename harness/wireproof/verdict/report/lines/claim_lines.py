"""The lines about a testee's claims at the end of a run."""

from collections.abc import Iterator, Sequence

from wireproof.model import ClaimProblem
from wireproof.proof.run import Totals
from wireproof.verdict.report.text.escaping import marked

__all__ = ["claim_lines", "claims_line"]


def claims_line(totals: Totals) -> str:
    """Return the number of claims that were tried with what Kafka's classes made."""
    return (
        f"claims exercised {totals.claims_exercised:,} of {totals.claims:,} (message, version, direction) "
        "with values or bytes made by Java"
    )


def claim_lines(
    totals: Totals, claims: Sequence[ClaimProblem], most: int, *, brief: bool = False
) -> Iterator[str]:
    """Yield the number of claims tried, their problems, and what else works; with markup.

    Args:
        most: how many of each are listed.
        brief: count the claims that are good to know, and list none of them; nothing where all is well.
    """
    good_to_know = sum(not claim.fails for claim in claims)
    if brief:
        claims = [claim for claim in claims if claim.fails]
    if totals.claims and not (brief and not good_to_know and totals.claims_exercised == totals.claims):
        counted_only = f"; {good_to_know} more good to know (--verbose)" if brief and good_to_know else ""
        yield f"{claims_line(totals)}{counted_only}"
    for fails, headline in ((True, "[red]claim:[/]"), (False, "[yellow]claim, good to know:[/]")):
        listed = [claim for claim in claims if claim.fails is fails]
        for claim in listed[:most]:
            yield f"{headline} {marked(claim.fault)} {marked(claim.line)}"
            yield f"  {marked(claim.advice)}"
        if len(listed) > most:
            yield f"  and {len(listed) - most} more; --events FILE writes them all down"
