"""The options of `wireproof judge` and `wireproof proxy`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFindings, read_accepted
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import document
from wireproof.proof.client_judge.sent_requests import RequestFault

accepted_option: Final = click.option(
    "--accepted",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file of findings that do not fail: a table [[accepted]] for each, with message, field, rule "
    "(the fault), reason and date. An entry that matches no finding fails.",
)


def accepted_of(options: Mapping[str, Any], *rules: str) -> AcceptedFindings:
    """Read the file that the option names; without one nothing is accepted.

    Args:
        rules: of the command, besides the faults of requests.

    Raises:
        FatalError: the file cannot be read, or an entry is wrong.
    """
    path = options["accepted"]
    known = [each.value for each in RequestFault] + [str(each) for each in rules]
    return read_accepted(path, known) if path else NOTHING_ACCEPTED


_ERRORS: Final = "errors"
VARY_HELP: Final = (
    "Vary the answers of the broker, only as the protocol allows; the program must end as without. "
    "--vary errors: answer with each retriable error once."
)
_ONLY_VARIED: Final = ("list_them", "only", "seed", "versions", "maxfail", "without", "run_limit", "compares")

_WHICH: Final = (
    click.option(
        "--only",
        multiple=True,
        metavar="ID[@MESSAGE[#N[-M]]]",
        help="Use only this variation, on the answers of MESSAGE, on the Nth (to Mth), from 0. Repeatable.",
    ),
    click.option(
        "--seed", type=int, metavar="NUMBER", help="Draw other bytes, places and orders. Default: 0."
    ),
)
_MORE: Final = (
    click.option(
        "--vary",
        is_flag=False,
        flag_value="all",
        type=click.Choice(["all", _ERRORS]),
        help=VARY_HELP,
    ),
    click.option("--list", "list_them", is_flag=True, help="List the variations, with the source of each."),
    *_WHICH,
    click.option("--without", multiple=True, metavar="ID", help="Leave out this variation. Repeatable."),
    click.option(
        "--versions",
        type=click.Choice(["edges", "each", "none"]),
        help="Offer the oldest and the newest version of each API alone, or each, or none. Default: edges.",
    ),
    click.option("--maxfail", type=click.IntRange(min=1), metavar="COUNT", help="End after COUNT findings."),
    click.option(
        "--run-limit",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="End a varied run after SECONDS. Default: 15 and three times as long as without variations.",
    ),
    click.option(
        "--compare-output", "compares", is_flag=True, help="The program's stdout must be the same, too."
    ),
)


def _with(options: Sequence[Callable[..., Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function


def vary_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add all options that concern variations."""
    return _with(_MORE, function)


def only_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose variations, without those of a judgement."""
    return _with(_WHICH, function)


def check_vary_options(options: Mapping[str, Any]) -> None:
    """Check that the options fit each other.

    Raises:
        FatalError: they do not.
    """
    given = [name for name in _ONLY_VARIED if options[name] not in (None, False, ())]
    if options["vary"] is None and given:
        words = {"list_them": "list", "compares": "compare-output", "run_limit": "run-limit"}
        name = words.get(given[0], given[0])
        raise FatalError(f"--{name} needs --vary", "Add --vary before it.", ExitCode.USAGE)


def list_variations(errors: bool) -> ExitCode:
    """Print the catalogue: id, sentence and source of each variation."""
    from wireproof.traffic.capture.variations.answer import Family
    from wireproof.traffic.capture.variations.variation_table import CATALOGUE

    rows = [each for each in CATALOGUE if (each.family is Family.ERRORS) == errors]
    document("".join(f"{each.id}\n  {each.sentence}\n  {each.source}\n" for each in rows))
    return ExitCode.PROVEN
