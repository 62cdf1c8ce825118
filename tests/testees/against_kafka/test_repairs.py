"""No repair that a run prints excuses a planted bug: the shipped testees in Python."""

from pathlib import Path

import pytest

from tests.support.testees import repair_law
from tests.support.testees.planted_testees import names_in
from wireproof.kafka.releases.jar_store import cache_folder


@pytest.mark.parametrize("name", names_in("python"))
def test_repairs_excuse_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant, run, type, run: still red, by the same failures."""
    # These tests run with warnings as errors; a codec may warn.
    for word in ("PYTHONWARNINGS", "PYTHONDEVMODE"):
        monkeypatch.delenv(word, raising=False)
    repair_law.hold(name, tmp_path, cache_folder())
