"""`--profile`: what each name stands for, and that what is given wins."""

from pathlib import Path

import click
import pytest

from wireproof.app.cli.run import run_command as run
from wireproof.app.cli.run.run_command import config_of
from wireproof.model.cell import Phase
from wireproof.proof.config.option_table import OPTIONS
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.config.selection import DEFAULT_PHASES, PROFILES, MutationSet
from wireproof.proof.run.core.plan import RunOptions


def asked(*words: str) -> RunConfig:
    """The configuration that these words of a command line make."""
    return config_of(run.command.make_context("run", list(words)))


@pytest.fixture(autouse=True)
def _no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_profile_names_options_that_there_are():
    """A parameter renamed here and not there would be set by nobody."""
    assert all(set(values) <= set(OPTIONS) for values in PROFILES.values())


def test_a_pull_request_has_no_random_cases_and_little_shrinking():
    """Every phase of the default run but the random one, at the edges, with the seed of every run."""
    given = asked("--profile", "pr")

    assert set(given.phase) == {phase.value for phase in DEFAULT_PHASES} - {"shape", "random"}
    assert (given.seed, given.shrink_total, given.budget) == (0, 5.0, 300.0)
    assert given.edges is True


def test_a_night_looks_further_with_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch):
    """More examples, all mutations; the day is the seed, so that each night tries others."""
    given = asked("--profile", "nightly")

    assert (given.phase, given.mutations) == ((), "all")
    assert given.examples == 500
    assert 20260101 <= given.seed < 99991231


def test_a_release_is_proven_on_all_lines():
    """With the seed of every run: the same commit, the same verdict."""
    given = asked("--profile", "release")

    assert given.release == ("all",)
    assert given.seed == 0
    assert (given.phase, given.mutations) == ((), "all")


@pytest.mark.parametrize(
    ("words", "mutations"),
    [
        ([], MutationSet.SLICE),
        (["--profile", "pr"], MutationSet.SLICE),
        (["--phase", "enumerated"], MutationSet.SLICE),
        (["--phase", "mutations"], MutationSet.ALL),
        (["--phase", "mutations", "--mutations", "slice"], MutationSet.SLICE),
        (["--mutations", "all"], MutationSet.ALL),
        (["--profile", "nightly"], MutationSet.ALL),
        (["--profile", "release"], MutationSet.ALL),
    ],
)
def test_how_many_mutations_are_tried(words: list[str], mutations: MutationSet):
    """A slice by default; all where their phase or the option asks for them. A slice is no whole phase."""
    given = asked(*words)
    options = RunOptions(given.phases, mutations=given.mutation_set)

    assert options.mutations is mutations
    assert (Phase.MUTATIONS in options.phases) == ("enumerated" not in words)
    assert (Phase.MUTATIONS in options.whole_phases) == (mutations is MutationSet.ALL)


@pytest.mark.parametrize("first", [True, False])
def test_what_is_given_wins_wherever_it_stands(first):
    """Before the profile or behind it."""
    own = ["--phase", "random", "--budget", "9", "--shrink-total", "0", "--release", "3.9"]
    profile = ["--profile", "pr"]
    given = asked(*own, *profile) if first else asked(*profile, *own)

    assert given.phase == ("random",)
    assert (given.budget, given.shrink_total, given.release) == (9.0, 0.0, ("3.9",))


def test_without_a_profile_nothing_is_set():
    """The defaults are those of the options."""
    given = asked()

    assert (given.phase, given.budget, given.shrink_total, given.seed) == ((), None, None, 0)
    assert given == RunConfig()


def test_a_profile_that_there_is_not_is_a_usage_error():
    """With the names of those that there are."""
    with pytest.raises(click.BadParameter, match="pr"):
        asked("--profile", "weather")
