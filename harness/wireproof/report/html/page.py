"""The environment of the templates: what every page has in common."""

from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wireproof.foreign_text import one_line, printable
from wireproof.version import own_version
from wireproof.wording import counted

__all__ = ["render"]

_PACKAGE: Final = "wireproof.report.html"
_FOLDER: Final = "templates"


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
    environment.filters |= {"counted": counted, "number": lambda each: f"{each:,}", "one_line": one_line}
    environment.globals |= {"asset": _asset, "wireproof": own_version()}
    return environment


def _finalized(value: Any) -> Any:
    """Make foreign text of an expression printable; leave our own markup as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _asset(name: str) -> Markup:
    """The text of a style sheet or a script of the package, for the page itself."""
    return Markup((files(_PACKAGE) / _FOLDER / name).read_text(encoding="utf-8"))
