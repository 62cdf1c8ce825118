"""The mutation sites of malformed bytes: which of them come to the same code of a codec."""

from bisect import bisect_right
from collections.abc import Callable, Iterable

from kafkawire.annotate import annotate
from kafkawire.schema.layout import MessageLayout
from wireproof.model import Mutation, MutationSite
from wireproof.model.divergence import without_indices
from wireproof.proof.checks.evidence_text import field_at
from wireproof.proof.checks.mutation_operators import operator_of

__all__ = ["cut_sites", "sites_of"]


def sites_of(layout: MessageLayout | None, named: Iterable[tuple[Mutation, str]]) -> list[MutationSite]:
    """Return the operator and the site of each mutation.

    Args:
        layout: of the message; None for record sets.
        named: mutations with the names of their cases in the cell: ``PHASE/NAME``.
    """
    kinds: dict[str, str] = {}
    sites = []
    for mutation, name in named:
        path = without_indices(mutation.path)
        if path not in kinds:
            words = "" if layout is None else field_at(layout, mutation.path)
            kinds[path] = words.partition(",")[0] or path
        sites.append(MutationSite(operator_of(mutation), path, kinds[path], name))
    return sites


def cut_sites(layout: MessageLayout | None, data: bytes, name: str) -> Callable[[int], MutationSite]:
    """The site of a cut, by how many bytes are left: the field that is cut short.

    Args:
        layout: None for record sets.
        data: valid bytes.
        name: of the case in its cell: ``PHASE/NAME``.
    """
    spans = () if layout is None else annotate(layout, data).spans
    ends = [span.end for span in spans]

    def at(length: int) -> MutationSite:
        index = bisect_right(ends, length)
        path = without_indices(spans[index].path) if index < len(spans) else ""
        field = spans[index].field if index < len(spans) else None
        return MutationSite("truncate", path, path if field is None else str(field.type), name)

    return at
