"""Options as the words of a command line, for settings that are one text."""

import argparse
import shlex
from typing import Any, NoReturn

from wireproof.proof.config.option_table import INSTALLED_CORPUS, OPTIONS
from wireproof.proof.config.run_config import ConfigError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(message)


def option_values(text: str) -> dict[str, Any]:
    """The options in a text such as ``--release all --seed 7``, by the names of `OPTIONS`.

    Raises:
        ConfigError: an option does not exist, or lacks its value, or a quotation mark has no partner.
    """
    parser = _Parser(prog="", add_help=False, argument_default=argparse.SUPPRESS, allow_abbrev=False)
    parser.add_argument("--profile")
    parser.add_argument("--all-versions", dest="edges", action="store_false")
    for name, option in OPTIONS.items():
        word = f"--{name.replace('_', '-')}"
        if option.flag:
            parser.add_argument(word, action="store_true")
        elif option.several:
            parser.add_argument(word, action="append")
        elif name == "no_java":
            parser.add_argument(word, nargs="?", const=INSTALLED_CORPUS)
        else:
            parser.add_argument(word, type=option.kind)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"{text}: {error}") from error
    return vars(parser.parse_args(words))
