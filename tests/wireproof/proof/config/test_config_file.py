"""The configuration file: where it is found, its content, and the precedence of the command line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof.app.cli.app import command_line
from wireproof.app.cli.run import run_command
from wireproof.app.cli.run.run_command import config_of
from wireproof.proof.config.option_table import OPTIONS
from wireproof.proof.config.run_config import ConfigError, RunConfig, file_layer


def config_in(folder: Path) -> RunConfig:
    return RunConfig.merged([file_layer(folder)])


def test_no_file_sets_nothing(tmp_path: Path) -> None:
    """A pyproject.toml without the table is not a configuration."""
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nseed = 1\n")
    assert file_layer(tmp_path).values == {}


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    """The search goes up from the folder to the Git checkout; wireproof's own file wins over
    pyproject.toml."""
    inner = tmp_path / "project" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "wireproof.toml").write_text("seed = 1\n")
    assert config_in(inner).seed == 1
    (tmp_path / "project" / ".git").mkdir()
    assert config_in(inner).seed == 0
    (tmp_path / "project" / "pyproject.toml").write_text("[tool.wireproof]\nseed = 2\n")
    assert config_in(inner).seed == 2
    (tmp_path / "project" / "wireproof.toml").write_text("seed = 3\n")
    assert config_in(inner).seed == 3


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    """The name of a testee stays a name, and `-` and `none` are not paths."""
    (tmp_path / "src").mkdir()
    text = 'testee = "./codec"\njars = "jars"\nledger = "none"\njunit = "-"\nmarkdown = "out/report.md"\n'
    (tmp_path / "wireproof.toml").write_text(text)
    config = config_in(tmp_path / "src")
    assert config.testee == str(tmp_path / "codec")
    assert config.jars == tmp_path / "jars"
    assert (config.ledger, config.junit) == ("none", "-")
    assert config.markdown == str(tmp_path / "out/report.md")
    (tmp_path / "wireproof.toml").write_text('testee = "python-kafka-python"\n')
    assert config_in(tmp_path).testee == "python-kafka-python"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed = ", "is not valid TOML"),
        ("sead = 1", "sead: this option does not exist\nDid you mean seed"),
        ("seed = 'x'", "seed: 'x' is not valid; expected a whole number"),
        ("a = " + "[" * 200 + "]" * 200, "nested too deeply"),
    ],
)
def test_a_file_with_a_mistake_is_a_usage_error(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command names the file, and exits with 2 before it fetches anything."""
    (tmp_path / "wireproof.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(command_line, ["run"])
    assert ran.exit_code == 2
    assert words in ran.output
    assert str(tmp_path / "wireproof.toml") in ran.output


def test_a_file_that_is_not_text_is_a_usage_error(tmp_path: Path) -> None:
    """They are a mistake in the file as well."""
    (tmp_path / "wireproof.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="is not valid TOML"):
        file_layer(tmp_path)


def test_the_command_line_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other options come from the file, and the command says that it read the file."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.wireproof]\nprofile = "pr"\nmessage = "Fetch*"\nseed = 4\nedges = true\n'
    )
    monkeypatch.chdir(tmp_path)
    words = ["--seed", "0", "--all-versions", "--message-version", "3"]
    config = config_of(run_command.command.make_context("run", words))
    assert (config.seed, config.edges, config.message, config.budget) == (0, False, ("Fetch*",), 300.0)
    assert "pyproject.toml [tool.wireproof] sets profile, message, seed, edges" in capsys.readouterr().err


def test_help_mentions_the_file() -> None:
    """Both commands that read the file mention it."""
    for command in ("run", "campaign"):
        words = " ".join(CliRunner().invoke(command_line, [command, "--help"]).output.split())
        assert "wireproof.toml" in words
        assert "[tool.wireproof] of pyproject.toml" in words


def test_defaults_of_the_command_line_are_those_of_the_configuration() -> None:
    """Each option of a run is one of the command, with the same default."""
    context = run_command.command.make_context("run", ["--jobs", "3"])
    config = RunConfig(jobs=3)
    shown = {name: context.params[name] for name in OPTIONS}
    assert shown == {name: getattr(config, name) for name in OPTIONS}
