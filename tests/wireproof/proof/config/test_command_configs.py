"""The configurations of `matrix`, `power` and `corpus make`: their ranges and derived values."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest

from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.proof.config.command_configs import MATRIX_PHASES, CorpusConfig, MatrixConfig, PowerConfig
from wireproof.proof.config.run_config import ConfigError


def test_phases_of_a_matrix() -> None:
    """All but mutations by default, in the order in which they run; the layout is always compared."""
    usual = MatrixConfig().phases
    assert usual[0] is Phase.SHAPE
    assert {*usual} == {Phase.SHAPE, *MATRIX_PHASES} - {Phase.MUTATIONS}
    assert MatrixConfig(phase=("mutations", "enumerated")).phases == (
        Phase.SHAPE,
        Phase.ENUMERATED,
        Phase.MUTATIONS,
    )


def test_framings_are_part_of_the_phase_embedded() -> None:
    """They are compared by default, and not where other phases are named."""
    assert MatrixConfig().framed
    assert MatrixConfig(phase=("embedded",)).framed
    assert not MatrixConfig(phase=("mutations",)).framed


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MatrixConfig(examples=0), "--examples: 0 is too small: at least 1"),
        (lambda: MatrixConfig(jobs=0), "--jobs: 0 is too small"),
        (lambda: PowerConfig(jobs=0), "--jobs: 0 is too small"),
        (lambda: PowerConfig(testee=("x",), mutants=0), "--mutants: 0 is too small"),
        (lambda: CorpusConfig(release="4.4", output="-", jobs=0), "--jobs: 0 is too small"),
        (lambda: CorpusConfig(release="4.4", output="-", largest_bytes=63), "--largest: 63 is too small"),
        (lambda: PowerConfig(mutants=3), "--mutants is for mutants of testees"),
        (lambda: PowerConfig(profile="pr"), "--profile is for mutants of testees"),
    ],
)
def test_a_value_out_of_range(make: Callable[[], object], says: str) -> None:
    """A usage error that names the option."""
    with pytest.raises(ConfigError, match=says) as caught:
        make()
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_configuration_is_frozen() -> None:
    """No code changes an option after the command line is parsed."""
    config = PowerConfig(testee=("x",), mutants=3)
    with pytest.raises(FrozenInstanceError):
        config.seed = 1  # type: ignore[misc]
    assert config.mutants == 3
