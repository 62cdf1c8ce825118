"""The environment of the templates: what every page has in common."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from wireproof.base.text.wording import counted, one_line, printable
from wireproof.base.version import own_version

_PACKAGE: Final = "wireproof.verdict.report.html"
_FOLDER: Final = "templates"
_MOST: Final = 50_000
"""Characters of one text; lists of messages, which the filters read, are shorter."""


def render(template: str, /, **context: Any) -> str:
    """Return the page that a template of `templates` makes of the context.

    Args:
        template: the file's name: ``run.html``.
        context: every name that the template uses; a name that is missing is an error.

    Raises:
        jinja2.UndefinedError: the template uses another name.
    """
    return _environment().get_template(template).render(**context)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_PACKAGE, _FOLDER),
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "counted": counted,
        "number": lambda each: f"{each:,}",
        "one_line": one_line,
        "digest": _digest,
        "whole": lambda text: escape(printable(text)),
    }
    environment.globals |= {"asset": _asset, "wireproof": own_version()}
    return environment


def _finalized(value: Any) -> Any:
    """Make foreign text of an expression printable, and cut it; leave our own markup as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > _MOST:
        value = f"{value[:_MOST]}... (cut: {len(value):,} characters in all)"
    return printable(value)


def _digest(script: str) -> Markup:
    """The source expression of Content Security Policy that allows this inline script alone."""
    return Markup(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'")


@cache
def _asset(name: str) -> Markup:
    """The text of a style sheet or a script of the package, for the page itself."""
    return Markup((files(_PACKAGE) / _FOLDER / name).read_text(encoding="utf-8"))
