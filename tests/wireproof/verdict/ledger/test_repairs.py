"""No printed fix makes a ledger explain more than before, for any ledger and any run."""

import shlex
import tempfile
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.environments.ledgers import CATALOGUE, TODAY, cause, done, entry, place, shown, wild
from tests.support.environments.small_environment import cell
from wireproof.app.cli.ledger.ledger_command import command
from wireproof.model.cell import FramePart, Phase
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.ledger.audit import audit
from wireproof.verdict.ledger.entry import Entry, Symptom
from wireproof.verdict.ledger.files.ledger_reading import read_ledger
from wireproof.verdict.ledger.files.repairing import added
from wireproof.verdict.ledger.ledger import Ledger

MESSAGES, VERSIONS, FIELDS = ("PingRequest", "PingResponse"), range(4), ("name", "hops[].name")
KINDS, PARTS = ("differs", "invalid"), (FramePart.MESSAGE, FramePart.HEADER)

SYMPTOMS = [
    Symptom(cell(message, version), part, "bytes", "codec", field, "string", kind)
    for message, version, part, field, kind in product(MESSAGES, VERSIONS, PARTS, FIELDS, KINDS)
]

messages, fields = st.sampled_from((*MESSAGES, "PongRequest")), st.sampled_from(FIELDS)
versions, parts = st.integers(0, 5), st.sampled_from(PARTS)
places = st.builds(place, versions, fields, messages, parts)
whens = st.sampled_from([TODAY.replace(year=year) for year in (2025, 2026, 2027)])


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """Draw an entry of one message, or one for all."""
    parts_of = {
        "kind": draw(st.sampled_from(KINDS)),
        "since": TODAY.replace(year=2024),
        "expires": draw(whens),
    }
    if draw(st.booleans()):
        return wild(*draw(st.lists(places, max_size=8)), **parts_of)
    spread = ", ".join(map(str, sorted(draw(st.sets(versions, min_size=1)))))
    part = draw(st.sampled_from(["", "header"]))
    return entry(message=draw(messages), field=draw(fields), versions=spread, part=part, **parts_of)


@st.composite
def cells(draw: st.DrawFn, ids: list[str]) -> CellResult:
    """Draw the results of a cell: known deviations at some places, or new failures."""
    message, version = draw(st.sampled_from(MESSAGES)), draw(st.integers(0, 3))
    known = draw(st.sets(st.sampled_from(ids)))
    known_at = [each for name in known for each in shown(name, *draw(st.sets(fields, min_size=1)))]
    new = [replace(cause(version), field=draw(fields), kind=draw(st.sampled_from(KINDS)), part=draw(parts))]
    causes = new if draw(st.booleans()) else []
    where: dict[str, Any] = {"message": message, "failed": len(causes), "causes": tuple(causes)}
    return done(version, *known, known_at=tuple(known_at), **where)


@given(st.data())
def test_no_fix_makes_a_ledger_explain_more(data: st.DataObject) -> None:
    """Each command is run as printed; only `narrow` and `remove` are printed."""
    listed = data.draw(st.lists(entries(), min_size=1, max_size=4))
    known = [replace(each, id=f"entry-{index}") for index, each in enumerate(listed)]
    ran = data.draw(st.lists(cells([each.id for each in known]), max_size=8))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "known.toml"
        path.write_text(added("", known), encoding="utf-8")
        ledger = read_ledger(path.read_text(encoding="utf-8"), str(path))
        before = explained(ledger)
        for problem in audit(ledger, ran, phases=list(Phase), catalogue=CATALOGUE, today=TODAY):
            if problem.repair:
                words = shlex.split(problem.repair)
                assert words[:2] == ["wireproof", "ledger"]
                assert words[2] in ("narrow", "remove")
                command.main(words[2:], standalone_mode=False)
        assert explained(read_ledger(path.read_text(encoding="utf-8"), str(path))) <= before


def explained(ledger: Ledger) -> set[Symptom]:
    return {each for each in SYMPTOMS if ledger.explanation(each) is not None}
