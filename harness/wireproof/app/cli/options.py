"""The options of commands that are options of a run, made from their table."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from wireproof.app.cli.completion import (
    complete_cell,
    complete_message,
    complete_module,
    complete_release,
    complete_testee,
)
from wireproof.proof.config.option_table import INSTALLED_CORPUS, OPTIONS, Option
from wireproof.proof.config.processors import available_processors
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.config.selection import SchemaSource, Selection

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Gives a command an option."""

_COMPLETIONS: Final[dict[str, Callable[..., Any]]] = {
    "cell": complete_cell,
    "message": complete_message,
    "module": complete_module,
    "release": complete_release,
    "testee": complete_testee,
}

_WORDS: Final = {"edges": "--edges/--all-versions"}
"""Options that a command line spells otherwise than their name."""

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
        changed: arguments of `click.option` that the command has otherwise, such as ``default`` or ``help``.
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


def run_options(*names: str) -> Decorator:
    """Return several options of a run, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            function = run_option(name)(function)
        return function

    return decorate


schemas_options: Final = run_options("schemas", "schemas_jar")
"""The options of commands that ask Kafka's classes; others have `schemas` alone."""
selection_options: Final = run_options("module", "message", "message_version", "cell", "shard")
jobs_option: Final = run_option("jobs")
jar_options: Final = run_options("offline", "jars")


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
    """Return the definitions of a fork that the options name; None for Kafka's own releases.

    Raises:
        click.UsageError: a jar is named without definitions.
    """
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


kip_625_option: Final = click.option(
    "--kip-625",
    "kip_625",
    is_flag=True,
    help="Accept the key `encoding` of KIP-625 in message files. Kafka refuses it.",
)
