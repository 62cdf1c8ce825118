"""The law of repairs, for one testee: a planted bug stays a failure, whatever a run prints is typed."""

from pathlib import Path

from tests.support.testees.planted_testees import SPOILED, Crashing, Gate
from wireproof.base.exit_codes import ExitCode
from wireproof.verdict.ledger.files.ledger_reading import read_ledger


def hold(word: str, folder: Path, cache_dir: Path) -> None:
    """Plant a bug in a testee; type what the red run prints; it is red by the same failures as before.

    The bug ends in a class of errors that the ledger knows of other places, if it knows any. The ledger is
    spoiled before the run, so that there is something to repair.
    """
    gate = Gate(word, folder, cache_dir)
    gate.copy_ledger()
    bug = Crashing(SPOILED, _known_class(gate.ledger.read_text(encoding="utf-8")))
    first = gate.run(bug)
    assert first.code is ExitCode.DIVERGENCE, first.text
    gate.spoil_ledger(first.causes)
    red = gate.run(bug)
    assert (red.code, red.places) == (ExitCode.DIVERGENCE, first.places)
    assert red.repairs
    for line in red.repairs:
        gate.type_it(line)
    again = gate.run(bug)
    assert (again.code, again.places >= first.places) == (ExitCode.DIVERGENCE, True), again.text


def _known_class(text: str) -> str:
    """A class of errors that an entry for all messages knows."""
    entries = read_ledger(text, "known.toml").entries
    kinds = [entry.kind for entry in entries if entry.any_message and entry.kind.startswith("crashed:")]
    return kinds[0].removeprefix("crashed:") if kinds else "PlantedError"
