"""A bug in one of a codec and its adapter is never laid on the other."""

from collections.abc import Callable
from functools import cache

import pytest

from tests.support.testees import planted_sides
from tests.support.testees.inline_run import as_json, prove_here
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.testees.build.launch import prepare_testee

EITHER = "codec or adapter"
IN_WRONG_BYTES = ("null-accepted", "compression-taken-for-none")
CELLS = {
    "null-accepted": "4.4.0/MetadataRequest/8",
    "compression-taken-for-none": "4.4.0/RecordBatch/2",
    "compression-lost": "4.4.0/RecordBatch/2",
}
"""The cell in which a bug shows, where it is not that of the others."""

CERTAIN = {
    "null-accepted": "it accepts bytes that Kafka refuses",
    "exchanged-when-written": "only reads and writes bytes again",
    "uuid-backwards-when-written": "only reads and writes bytes again",
    "tags-unsorted": "KIP-482",
    "compression-taken-for-none": "it accepts bytes that Kafka refuses",
}
"""The words of the evidence that excludes the adapter."""


@pytest.fixture(scope="module")
def blamed() -> Callable[[str], dict[str, set[str]]]:
    """Return the owners of faults that a run of a variant names, each with its evidence; one run for each.

    The testee is an object of this process: whose a fault is depends on its answers alone.
    """

    @cache
    def proven(bug: str) -> dict[str, set[str]]:
        name = bug.replace("-", "_")
        launch = prepare_testee(f"python:{planted_sides.__name__}:{name}", cache_folder(), print)
        cell = CELLS.get(bug, "4.4.0/MetadataRequest/12")
        phases = ("mutations",) if bug in IN_WRONG_BYTES else ("enumerated",)
        _, events = as_json(prove_here(RunConfig(cell=(cell,), phase=phases, shrink=0, jobs=1), launch))
        found: dict[str, set[str]] = {}
        for event in events:
            if event["event"] == "failed":
                found.setdefault(event["blame"]["whose"], set()).add(event["blame"]["evidence"])
        return found

    return proven


Blamed = Callable[[str], dict[str, set[str]]]


@pytest.mark.parametrize("bug", [*planted_sides.CODEC_BUGS, *planted_sides.CODEC_BUGS_OF_SETS])
def test_a_bug_of_the_codec_is_never_laid_on_the_adapter(blamed: Blamed, bug: str) -> None:
    """Where nothing excludes the adapter, the verdict names both."""
    found = blamed(bug)
    assert found
    assert found.keys() <= {"codec", EITHER}, found


@pytest.mark.parametrize("bug", planted_sides.ADAPTER_BUGS)
def test_a_bug_of_the_adapter_is_never_laid_on_the_codec(blamed: Blamed, bug: str) -> None:
    """Where nothing excludes the codec, the verdict names both."""
    found = blamed(bug)
    assert found
    assert found.keys() <= {"adapter", EITHER}, found


def test_without_a_bug_no_one_is_blamed(blamed: Blamed) -> None:
    """The testee is right but for the bug that a test plants."""
    assert blamed("none") == {}


@pytest.mark.parametrize("bug", CERTAIN)
def test_a_fault_that_no_adapter_can_bring_about_is_the_codecs(blamed: Blamed, bug: str) -> None:
    """Bytes go in and come out wrong, or are accepted where Kafka refuses them."""
    assert any(CERTAIN[bug] in each for each in blamed(bug)["codec"]), blamed(bug)


def test_a_symmetrical_bug_comes_with_the_experiment_that_decides(blamed: Blamed) -> None:
    """The bug of the start page: reading undoes the mistake of writing, and an adapter can do the same."""
    found = blamed("exchanged-both-ways")
    assert found.keys() == {EITHER}
    assert any("look at the codec's own object" in each for each in found[EITHER])
