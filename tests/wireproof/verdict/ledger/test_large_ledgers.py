"""Ledgers of many entries: the work for each entry, counted without a clock."""

from datetime import date

import pytest

from tests.support.hostile.counted_steps import steps
from wireproof.app.assembly.ledger_in_use import catalogue
from wireproof.verdict.ledger.audit import check_alone
from wireproof.verdict.ledger.files.ledger_reading import NEW_FILE, read_ledger

ENTRIES = 500
ENTRY = """
[[entry]]
id = "entry-{index}"
message = "FetchRequest"
versions = "{version}"
field = "topics[].field{field}"
check = "decode"
kind = "crashed:KeyError"
reason-kind = "bug"
reason = "The decoder raises KeyError"
owner = "me"
since = 2026-11-21
expires = 2099-05-20
"""


def text_of(versions: int) -> str:
    """Return a ledger with one entry for each version of a field."""
    entries = (
        ENTRY.format(index=index, version=4 + index % versions, field=index // versions)
        for index in range(ENTRIES)
    )
    return NEW_FILE + "".join(entries)


@pytest.mark.parametrize(("versions", "most"), [(1, 350), (10, 450)])
def test_an_entry_is_read_and_checked_in_few_steps(versions: int, most: int) -> None:
    """Entries about the same field are compared with each other, and their places are found once."""
    text, known = text_of(versions), catalogue()

    def check() -> None:
        assert check_alone(read_ledger(text, "known.toml"), known, date(2026, 12, 1)) == ()

    assert steps(check) / ENTRIES < most
