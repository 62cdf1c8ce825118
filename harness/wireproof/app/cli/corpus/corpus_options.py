"""The check of the options that a corpus in place of Java excludes."""

from collections.abc import Mapping
from typing import Any, Final

import click

from wireproof.model import Phase
from wireproof.proof.config import RunConfig

_WITHOUT_EFFECT: Final = ("examples", "cases", "first_case", "jars")
"""Options about cases that a run without Java does not make."""


def check_no_java(config: RunConfig, given: Mapping[str, Any]) -> None:
    """Refuse typed options that have no effect in a run without Java.

    Args:
        given: the options that the user typed.

    Raises:
        click.UsageError: one of them has no effect.
    """
    if config.no_java is None:
        return
    for name in _WITHOUT_EFFECT:
        if name in given:
            word = name.replace("_", "-")
            raise click.UsageError(f"--{word} has no effect with --no-java: leave it out")
    if set(given.get("phase", ())) - {Phase.MUTATIONS.value}:
        words = f"--no-java allows only --phase {Phase.MUTATIONS.value}, which adds the malformed entries"
        raise click.UsageError(words)
