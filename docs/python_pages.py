"""The page of the names that Python programs import: signatures and docstrings of the modules themselves."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, Final

from wireproof.proof.testees.session.in_process_testees import load_kit

__all__ = ["python_sections"]

_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "wireproof": ("prove", "Session", "Verdict", "NotProvenError", "RunConfig"),
    "wireproof.testing": ("check_adapter", "check_oracle", "contract_cells", "ContractError"),
    "wireproof.strategies": (
        "messages",
        "frames",
        "record_sets",
        "malformed_frames",
        "MessageExample",
        "FrameExample",
        "MalformedFrame",
    ),
    "kafkawire": ("codec", "implementation", "layout", "messages", "releases", "versions"),
    "wireproof_testee": ("Testee", "Message", "Embedded", "claim", "serve", "Unsupported", "AdapterError"),
}
"""The public names of each module."""

_SECTION: Final = re.compile(r"^(Args|Attributes|Raises|Returns|Yields):$")
_ITEM: Final = re.compile(r"^    ([\w*]+(?:, [\w*]+)*): (.*)$")
_PACKAGE: Final = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Z])")
"""The modules before the name of a type."""


def python_sections() -> str:
    """Return the sections of the page: one for each module, with one for each of its names."""
    lines: list[str] = []
    for module, names in _NAMES.items():
        found = load_kit() if module == "wireproof_testee" else import_module(module)
        lines += [f"## {module}", ""]
        for name in names:
            lines += _described(name, getattr(found, name))
    return "\n".join(lines)


class _Words(str):
    """An annotation that is a text in the source: its `repr` has no quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _described(name: str, value: Any) -> Iterator[str]:
    yield from (f"### {name}", "")
    if not (inspect.isclass(value) and (is_dataclass(value) or issubclass(value, Exception))):
        yield from ("```python", _signature(name, value), "```", "")
    yield from _paragraphs(inspect.getdoc(value) or "")
    if inspect.isclass(value):
        for method in vars(value):
            if not method.startswith("_"):
                yield from _method(f"{name}.{method}", getattr(value, method))


def _method(name: str, member: Any) -> Iterator[str]:
    """Yield name and first paragraph of a method or a property. A data class describes its fields itself."""
    if isinstance(member, property) or inspect.isroutine(member):
        call = name if isinstance(member, property) else _signature(name, member, line=10_000)
        text = (inspect.getdoc(member) or "").split("\n\n")[0]
        yield from (f"- `{call}`: {' '.join(text.split())}", "")


def _signature(name: str, value: Any, line: int = 100) -> str:
    """Return a call with its types, broken into lines where it is longer than `line`."""
    found = inspect.signature(value)
    returns = inspect.Signature.empty if inspect.isclass(value) else _words(found.return_annotation)
    given = [
        each.replace(annotation=_words(each.annotation))
        for each in found.parameters.values()
        if each.name not in ("self", "cls")
    ]
    text = _PACKAGE.sub("", f"{name}{found.replace(parameters=given, return_annotation=returns)}")
    if len(text) <= line:
        return text
    lines = [_PACKAGE.sub("", f"    {each},") for each in given]
    named = [index for index, each in enumerate(given) if each.kind is each.KEYWORD_ONLY]
    for index in named[:1]:
        lines.insert(index, "    *,")
    return "\n".join([f"{name}(", *lines, f"){text.rpartition(')')[2]}"])


def _words(annotation: Any) -> Any:
    return _Words(annotation) if isinstance(annotation, str) else annotation


def _paragraphs(text: str) -> Iterator[str]:
    """Yield a docstring as Markdown: a section becomes a list, an indented block becomes code."""
    section, code = "", False
    for line in text.splitlines():
        if heading := _SECTION.match(line):
            section = heading[1]
            yield from (f"**{section}**", "")
        elif section and (item := _ITEM.match(line)):
            yield f"- {', '.join(f'`{each}`' for each in item[1].split(', '))}: {item[2]}"
        elif section and line.startswith("    "):
            yield f"  {line.strip()}"
        elif section or not line.startswith("    "):
            if code and line:
                code = False
                yield from ("```", "")
            yield line.strip()
        else:
            if not code:
                yield "```python"
            code = True
            yield line.removeprefix("    ")
    if code:
        yield "```"
    yield ""
