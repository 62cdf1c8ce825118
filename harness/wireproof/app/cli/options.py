"""The declarations of a command: options of a run from their table, exit codes, completion of words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem, get_completion_class

from wireproof.base.exit_codes import ExitCode, FatalError, worst
from wireproof.base.text.wording import document, echo
from wireproof.proof.config.command_configs import CorpusConfig, MatrixConfig, PowerConfig
from wireproof.proof.config.option_table import INSTALLED_CORPUS, OPTIONS, Option
from wireproof.proof.config.processors import available_processors
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.config.selection import SchemaSource, Selection
from wireproof.proof.testees.description.manifest import shipped

_EVERY_COMMAND: Final = {
    ExitCode.USAGE: "",
    ExitCode.BROKEN: "wireproof itself failed, or a disk is full.",
    ExitCode.INTERRUPTED: "Ctrl-C, SIGTERM or SIGHUP ended the command.",
}
"""The codes that every command can return, with the meanings that hold unless the command declares others."""


class DocumentedCommand(click.Command):
    """A command that declares its exit codes. Its help has a section for them.

    Attributes:
        exit_codes: the meaning of each code, by ascending code. It includes the codes that every command can
            return.
    """

    def __init__(self, *args: Any, exit_codes: Mapping[ExitCode, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.help is not None:  # in a raw docstring click's mark of a block is two characters
            self.help = self.help.replace("\\b\n", "\b\n")
        declared = {**_EVERY_COMMAND, **exit_codes}
        self.exit_codes = {code: declared[code] or code.meaning for code in sorted(declared)}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl([(f"{code:d}", meaning) for code, meaning in self.exit_codes.items()])


def documented_command(
    name: str, exit_codes: Mapping[ExitCode, str], **words: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command that declares its exit codes."""
    return click.command(name, cls=DocumentedCommand, exit_codes=exit_codes, **words)


class CommandGroup(click.Group):
    """A group whose commands declare their exit codes."""

    command_class = DocumentedCommand


def one_after_the_other(words: Sequence[str], do: Callable[[str], int]) -> int:
    """Call a function with each word. A failure does not stop the others; Ctrl-C does.

    If there are several words, the exit code of each is listed at the end.

    Returns:
        the exit code that takes precedence.
    """
    if len(words) == 1:
        return do(words[0])
    ends: dict[str, ExitCode] = {}
    for word in words:
        echo(err=True)
        echo(word, err=True)
        try:
            ends[word] = ExitCode(do(word))
        except click.ClickException as error:
            error.show()
            ends[word] = ExitCode(error.exit_code)
        except FatalError as error:
            echo(f"Error: {error}", err=True)
            ends[word] = error.exit_code
        if ends[word] is ExitCode.INTERRUPTED:
            break
    echo("", err=True)
    for word, code in ends.items():
        echo(f"{int(code):3}  {word}", err=True)
    return worst(ends.values())


SHELLS: Final = ("bash", "zsh", "fish")

_VARIABLE: Final = "_WIREPROOF_COMPLETE"
"""The variable by which a shell asks for completions; click derives the name from that of the command."""

_Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completion_script(shell: str) -> str:
    """Return the text that a shell sources to complete the words of `wireproof`."""
    from wireproof.app.cli.app import command_line

    found = get_completion_class(shell)
    assert found is not None, shell
    return found(command_line, {}, "wireproof", _VARIABLE).source()


def _completer(names: Callable[[str], Iterable[str]]) -> _Completer:
    """Return the completion of a word by names."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = dict.fromkeys(name for name in names(incomplete) if name.startswith(incomplete))
        return [CompletionItem(name) for name in found]

    return complete


def _cells(incomplete: str) -> Iterable[str]:
    """The cells of the newest release; the releases, while none is typed."""
    if "/" not in incomplete:
        return [f"{release}/" for release in _releases()]
    release = incomplete.partition("/")[0]
    return [f"{release}/{message}/{version}" for _, message, version in _cells_of(release)]


def _releases() -> Iterable[str]:
    from wireproof.kafka.releases.release_table import table

    return [each.version for each in table().choose("all")]


def _cells_of(word: str) -> list[tuple[str, str, int]]:
    """Module, message and version of each cell of a release; none if the release does not exist."""
    from wireproof.app.assembly.inputs.bundled_schemas import snapshots, with_primitives
    from wireproof.kafka.releases.release_table import ReleaseError, table
    from wireproof.proof.run.core.environment import all_cells

    try:
        (release,) = table().choose(word)
    except ReleaseError:
        return []
    schemas = with_primitives(snapshots([release])[release.version])
    return [(cell.module, cell.message, cell.version) for cell in all_cells(schemas)]


complete_cell: Final = _completer(_cells)
_COMPLETIONS: Final[dict[str, _Completer]] = {
    "cell": complete_cell,
    "message": _completer(lambda _: sorted({message for _, message, _ in _cells_of("newest")})),
    "module": _completer(lambda _: sorted({module for module, _, _ in _cells_of("newest")})),
    "release": _completer(lambda _: ["newest", "all", *_releases()]),
    "testee": _completer(lambda _: shipped()),
}
"""The completion of the values of options."""


@documented_command("completion", {ExitCode.PROVEN: "The script is on standard output."})
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> int:
    """Print the script by which a shell completes commands, options, messages, modules, cells and testees.

    Source it where the shell starts, such as in ~/.bashrc or ~/.zshrc.

    \b
    eval "$(wireproof completion bash)"
    eval "$(wireproof completion zsh)"
    wireproof completion fish > ~/.config/fish/completions/wireproof.fish
    """
    document(completion_script(shell) + "\n")
    return 0


Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Gives a command an option."""

_WORDS: Final = {"edges": "--edges/--all-versions"}
"""Options whose spelling on the command line differs from their name."""

_Config = TypeVar("_Config", MatrixConfig, PowerConfig, CorpusConfig)

_SHOWN: Final = {"message_version": "all", "shard": "1/1", "jobs": "one per processor"}
"""Defaults in words."""


class _Value(click.ParamType[Any]):
    """The value of an option, read as `OPTIONS` says."""

    def __init__(self, option: Option) -> None:
        self.name = option.metavar
        self._option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        option = self._option
        try:
            given = option.kind(value) if isinstance(value, str) else value
            read = option.read([given] if option.several else given)
        except (TypeError, ValueError):
            self.fail(f"{value!r} is not valid; expected {option.expects}", param, ctx)
        where = Path(str(value))
        if self.name == "FILE" and where.is_dir():
            self.fail(f"{value} is a folder; expected {option.expects}", param, ctx)
        if self.name == "DIR" and where.is_file():
            self.fail(f"{value} is a file; expected {option.expects}", param, ctx)
        return read[0] if option.several else read


def run_option(name: str, **changed: Any) -> Decorator:
    """Return an option of a run as an option of a command: its name, type, default and sentence.

    Args:
        changed: arguments of `click.option` that differ for the command, such as ``default`` or ``help``.
    """
    option = OPTIONS[name]
    default = RunConfig.__dataclass_fields__[name].default
    words: dict[str, Any] = {"help": option.sentence}
    if option.flag:
        words["is_flag"] = True
    else:
        words["type"] = click.Choice(option.choices) if option.choices else _Value(option)
        words["metavar"] = option.metavar or None
    if option.several:
        words |= {"multiple": True, "help": f"{option.sentence} May be repeated."}
    elif default is not None:
        words |= {"default": default, "show_default": _SHOWN.get(name, not option.flag)}
    if name in _COMPLETIONS:
        words["shell_complete"] = _COMPLETIONS[name]
    if name == "no_java":
        words |= {"is_flag": False, "flag_value": INSTALLED_CORPUS}
    if name == "jobs":
        words["callback"] = lambda ctx, param, value: value or available_processors()
    spelt = _WORDS.get(name, f"--{name.replace('_', '-')}")
    return click.option(spelt, name, **{**words, **changed})


def option_group(*decorators: Decorator) -> Decorator:
    """Return several options as one decorator, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def run_options(*names: str) -> Decorator:
    """Return several options of a run, in the order of the help."""
    return option_group(*map(run_option, names))


schemas_options: Final = run_options("schemas", "schemas_jar")
"""The options of commands that ask Kafka's classes; others have `schemas` alone."""
selection_options: Final = run_options("module", "message", "message_version", "cell", "shard")
jobs_option: Final = run_option("jobs")
jar_options: Final = run_options("offline", "jars")


master_option: Final = click.option(
    "--master", metavar="URL", help="Use this Spark master. Default: all cores of this machine."
)
event_log_option: Final = click.option(
    "--event-log",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write Spark's event log to this folder, for its history server.",
)


def format_option(*forms: str, details: str = "") -> Decorator:
    """Give a command `--format`, as the argument `form`.

    Args:
        forms: besides `text`, the default.
        details: what a form has, in words; may be empty.
    """
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", *forms]),
        default="text",
        show_default=True,
        help=f"Choose the form. {details}" if details else "Choose the format of the output.",
    )


def source_of(options: Mapping[str, Any]) -> SchemaSource | None:
    """Return the definitions of a fork that the options name; None for Kafka's own releases."""
    if options.get("schemas_jar") and options["schemas"] is None:
        raise click.UsageError("--schemas-jar needs --schemas: name the definitions of the jar's messages")
    return SchemaSource.of(options["schemas"], options.get("schemas_jar", ()))


def selection_of(options: Mapping[str, Any]) -> Selection:
    """Return the selection of the options in `selection_options`."""
    return Selection(
        modules=options["module"],
        messages=options["message"],
        versions=options["message_version"],
        patterns=options["cell"],
        shard=options["shard"],
    )


def config_of_options(kind: type[_Config], options: Mapping[str, Any], **others: Any) -> _Config:
    """Return the configuration of a command. Its fields are the options with the same names, and `others`."""
    names = {each.name for each in fields(kind)}
    return kind(**{name: value for name, value in options.items() if name in names} | others)


kip_625_option: Final = click.option(
    "--kip-625",
    "kip_625",
    is_flag=True,
    help="Accept the key `encoding` of KIP-625 in message files. Kafka refuses it.",
)
