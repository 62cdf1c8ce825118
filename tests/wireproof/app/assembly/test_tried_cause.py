"""The cells in which ``wireproof run --cause`` tries a cause of the ledger."""

from pathlib import Path

import pytest

from wireproof.app.assembly.ledger_in_use import find_cause
from wireproof.model.cell import Cell, Phase
from wireproof.proof.config.run_config import RunConfig

LEDGER = """
format = 7

[[cause]]
id = "long-text"
direction = "decode"
trigger = "long-text"
action = "read"
messages = {messages}
case = "4.4.0/FetchRequest/12/mutations/default/text=too-long@0"
reason-kind = "bug"
reason = "no upper bound"
owner = "me"
since = 2026-11-27
expires = 2027-05-26
"""
CELLS = [
    Cell("4.4.0", "clients", message, version)
    for message in ("FetchRequest", "MetadataRequest")
    for version in (11, 12, 13)
]


@pytest.mark.parametrize(
    ("messages", "tried"),
    [
        ('["FetchRequest 12", "MetadataRequest 11"]', {"FetchRequest/12", "MetadataRequest/11"}),
        ('["*"]', {"FetchRequest/11", "FetchRequest/12", "FetchRequest/13"}),
        ('["*"]\nexcept = ["FetchRequest 13"]', {"FetchRequest/11", "FetchRequest/12"}),
    ],
)
def test_a_cause_of_all_messages_is_tried_in_that_of_its_case(
    messages: str, tried: set[str], tmp_path: Path
) -> None:
    """A fix shows in seconds: a run of every message would take minutes."""
    path = tmp_path / "ledger.toml"
    path.write_text(LEDGER.format(messages=messages))
    cause = find_cause(RunConfig(cause="long-text", ledger=str(path)), "codec", None)
    assert cause is not None
    assert cause.phases == {Phase.MUTATIONS}
    assert {each.id.removeprefix("4.4.0/") for each in CELLS if cause.shows_in(each)} == tried
