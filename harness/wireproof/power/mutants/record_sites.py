"""Conditions of sites in record sets, and in messages that carry them."""

from collections.abc import Callable

from kafkawire.schema import ScalarType
from wireproof.model import RECORDS_MODULE, ReleaseFeature
from wireproof.power.mutants.site_conditions import is_message
from wireproof.power.mutants.sites import Site

__all__ = [
    "carries",
    "is_fetch_of",
    "is_message_with_records",
    "is_set",
    "is_set_of",
    "knows_the_delete_horizon",
]


_FETCH_SINCE = {0: 0, 1: 2, 2: 4}
"""The first version of Fetch that carries a magic."""
_MAGIC_2_SINCE = {"ProduceRequest": 3, "FetchResponse": 4}
"""By message, the first version that carries magic 2; 0 for others."""


def is_set_of(*magics: int) -> Callable[[Site], bool]:
    """Return a condition: cells of sets whose magics are these at most; a version of a set is a magic."""
    return lambda site: is_message(site) and is_set(site) and site.cell.version in magics


def carries(*magics: int) -> Callable[[Site], bool]:
    """Return a condition: those cells, and messages that carry sets of all these magics.

    Old segments keep their magic.
    """
    in_sets = is_set_of(*magics)
    return lambda site: in_sets(site) or is_fetch_of(site, max(magics))


def is_fetch_of(site: Site, magic: int) -> bool:
    """Return True for a response of Fetch or ShareFetch whose version carries a magic."""
    name, version = site.layout.name, site.cell.version
    since = name == "ShareFetchResponse" or (name == "FetchResponse" and version >= _FETCH_SINCE[magic])
    return is_message(site) and since


def knows_the_delete_horizon(site: Site) -> bool:
    """Return True where sets of magic 2 may have a delete horizon."""
    return carries(2)(site) and ReleaseFeature.DELETE_HORIZON.is_in(site.cell.release)


def is_set(site: Site) -> bool:
    """Return True for a cell of record sets."""
    return site.cell.module == RECORDS_MODULE


def is_message_with_records(site: Site) -> bool:
    """Return True for a message of Produce, Fetch, ShareFetch or FetchSnapshot that carries magic 2."""
    scalars = (field.scalar for _, _, field in site.layout.walk())
    if not is_message(site) or is_set(site) or ScalarType.RECORDS not in scalars:
        return False
    return site.cell.version >= _MAGIC_2_SINCE.get(site.layout.name, 0)
