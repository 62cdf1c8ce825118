"""No repair that a run prints excuses a planted bug: the shipped testees of other languages."""

from pathlib import Path

import pytest

from tests.support.testees import repair_law
from tests.support.testees.planted_testees import names_not_in
from wireproof.kafka.releases.jar_store import cache_folder

pytestmark = pytest.mark.languages("cargo", "go", "mvn", "node")


@pytest.mark.parametrize("name", names_not_in("python"))
def test_repairs_excuse_nothing(name: str, tmp_path: Path) -> None:
    """Plant, run, type, run: still red, by the same failures."""
    repair_law.hold(name, tmp_path, cache_folder())
