"""The configuration of a run: its values, the layers that it is made of, and the errors."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from kafkawire.schema.model import VersionRange
from wireproof.model.cell import Phase
from wireproof.proof.config.option_table import OPTIONS
from wireproof.proof.config.option_values import OptionValues
from wireproof.proof.config.option_words import option_values
from wireproof.proof.config.run_config import ConfigError, OptionLayer, RunConfig
from wireproof.proof.config.selection import PROFILES, MutationSet

untyped: Any = RunConfig.of
"""Takes keywords that a type checker refuses."""


def test_every_field_has_a_row_in_the_table() -> None:
    """The table of options and the dataclass name the same options, in any order."""
    assert {each.name for each in fields(RunConfig)} == set(OPTIONS)


def test_the_typed_keywords_are_the_options() -> None:
    """An editor offers each option, the profile, and the plural of each option that takes a list."""
    plurals = {f"{name}s" for name, option in OPTIONS.items() if option.several and name != "twin"}
    assert set(OptionValues.__annotations__) == {*OPTIONS, "profile", *plurals}


def test_a_configuration_is_frozen_hashable_and_picklable() -> None:
    """pytest keeps sessions by configuration, and xdist sends it between processes."""
    config = RunConfig.of(message="Fetch*", message_version="1-2,8+", jars="jars")
    assert pickle.loads(pickle.dumps(config)) == config
    assert hash(config) == hash(replace(config))
    with pytest.raises(FrozenInstanceError):
        config.seed = 1  # type: ignore[misc]


def test_values_of_files_become_typed_values() -> None:
    """A single text is a list of one; ranges, shards and paths are parsed."""
    config = RunConfig.of(
        message="Fetch*",
        release=["3.9", "4.4"],
        message_version="1-2,8-10",
        shard="2/4",
        mutations="all",
        jars="jars",
        shrink=0,
    )
    assert config.message == ("Fetch*",)
    assert config.release == ("3.9", "4.4")
    assert config.message_version == (VersionRange(1, 2), VersionRange(8, 10))
    assert config.selection.shard == (2, 4)
    assert config.mutations is MutationSet.ALL
    assert config.jars == Path("jars")
    assert config.shrink == 0.0


@pytest.mark.parametrize(
    ("name", "value", "expects"),
    [
        ("examples", 0, "a whole number of 1 or more"),
        ("examples", True, "a whole number of 1 or more"),
        ("examples", "7", "a whole number of 1 or more"),
        ("seed", 1.5, "a whole number"),
        ("budget", 0, "a positive number of seconds"),
        ("shrink", float("nan"), "a number of seconds, 0 or more"),
        ("edges", 1, "true or false"),
        ("phase", ["enumerated", "shape"], "a list of enumerated, oracle,"),
        ("message", [1], "a list of messages"),
        ("message_version", "1-x", "version ranges such as"),
        ("message_version", "9-3", "version ranges such as"),
        ("shard", "5/4", "I/N with I from 1 to N"),
        ("shard", "x", "I/N with I from 1 to N"),
        ("mutations", "some", "slice or all"),
        ("twin", "other", "a list of native, compiled, interpreted"),
        ("testee", "", "the name of a testee"),
        ("profile", "weather", "pr, nightly, release"),
    ],
)
def test_an_invalid_value_is_an_error(name: str, value: Any, expects: str) -> None:
    """The error has the origin, the option, the value and the expected form."""
    with pytest.raises(ConfigError) as caught:
        RunConfig.merged([OptionLayer({name: value}, "wireproof.toml")])
    words = str(caught.value)
    assert words.startswith(f"wireproof.toml {name}: {value!r} is not valid; expected ")
    assert expects in words
    assert caught.value.exit_code == 2


def test_an_unknown_option_names_the_nearest() -> None:
    """Dashes in place of underscores are recognized too."""
    with pytest.raises(ConfigError, match="this option does not exist\nDid you mean message_version"):
        untyped(**{"message-version": "1"})
    with pytest.raises(ConfigError, match="Did you mean profile"):
        untyped(profil="pr")
    with pytest.raises(ConfigError, match="The options are profile, testee"):
        untyped(zzz=1)


def test_a_later_layer_wins_and_brings_its_own_profile() -> None:
    """A profile belongs to its layer: a typed profile wins over single options of the file."""
    file = OptionLayer({"profile": "pr", "budget": 9, "message": "Fetch*"})
    config = RunConfig.merged([OptionLayer({"cases": 5}), file, OptionLayer({"message": "Produce*"})])
    assert (config.cases, config.edges, config.budget, config.message) == (5, True, 9.0, ("Produce*",))
    night = RunConfig.merged([OptionLayer({"examples": 7}), OptionLayer({"profile": "nightly"})])
    assert (night.examples, night.mutations) == (500, MutationSet.ALL)


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_are_valid(profile: str) -> None:
    """Every option of each profile exists and accepts its value."""
    assert RunConfig.of(profile=profile) != RunConfig()


def test_options_give_the_settings_of_a_run() -> None:
    """The values are the phases in order, the number of mutations, the processes and the variants of our
    codec."""
    config = RunConfig.of(phase=["random", "enumerated"])
    assert config.phases == (Phase.SHAPE, Phase.ENUMERATED, Phase.RANDOM)
    assert config.mutation_set is MutationSet.SLICE
    assert RunConfig.of(phase="mutations").mutation_set is MutationSet.ALL
    assert RunConfig.of(no_java="set").phases == (Phase.CORPUS,)
    assert RunConfig(twin=("native",)).twin == ("native",)
    assert RunConfig().processes >= 1
    assert RunConfig(jobs=3).processes == 3


def test_options_can_be_given_in_one_text() -> None:
    """The text is split like a command line; text values become numbers."""
    values = option_values("--release all --release 3.9 --seed 7 --shrink 0.5 --edges --message-version 1-2")
    assert values == {
        "release": ["all", "3.9"],
        "seed": 7,
        "shrink": 0.5,
        "edges": True,
        "message_version": "1-2",
    }
    assert RunConfig.of(**values).seed == 7
    assert option_values("--all-versions") == {"edges": False}
    with pytest.raises(ConfigError, match="unrecognized arguments: --speed 7"):
        option_values("--speed 7")
    with pytest.raises(ConfigError, match="expected one argument"):
        option_values("--seed")
    with pytest.raises(ConfigError, match="No closing quotation"):
        option_values("--message 'Fetch*")
    assert option_values("--no-java --seed 7") == {"no_java": "installed", "seed": 7}


def test_an_option_that_takes_a_list_may_be_a_plural() -> None:
    """The names are one set for Python, markers and files; both spellings together are an error."""
    assert RunConfig.of(phases=["enumerated"], messages="Fetch*", releases=["4.3"]) == RunConfig.of(
        phase=["enumerated"], message="Fetch*", release=["4.3"]
    )
    with pytest.raises(ConfigError, match="phases: phase is given, too; they are one option"):
        RunConfig.of(phases=["enumerated"], phase=["frame"])
    for word in ("seeds", "testees", "shard s"):
        with pytest.raises(ConfigError, match="this option does not exist"):
            untyped(**{word: 1})
    assert RunConfig.of(cases=7).cases == 7
