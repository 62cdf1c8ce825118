"""The head line of a struct: its name, key, versions and modifiers."""

import re
from dataclasses import replace
from typing import Final

from wireproof.definitions.krammar.definition_model import KrammarStruct, StructRole
from wireproof.definitions.krammar.definition_problems import KrammarRule
from wireproof.definitions.krammar.parsing.type_text import TextError, version_number

__all__ = ["ROUTERS", "read_head"]

ROUTERS: Final = ("admin", "group coordinator", "txn coordinator", "share coordinator")
"""The modifiers that say which broker takes a request."""

_NOT_TOP_LEVEL: Final = " => not top level"
_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_NUMBERED: Final = re.compile(r"(key|max version) (\d+)|flexible v(\d+)\+?", re.ASCII)
_NAMED: Final = (*ROUTERS, "no encoding", "with version field")


def read_head(text: str, line: int, source: str, before: KrammarStruct | None) -> KrammarStruct:
    """Read a head line; the fields of the result are empty.

    Args:
        before: the struct that ends right above; a response takes its key and versions from it.

    Raises:
        TextError: the line is not a head, or a modifier is unknown, twice or of another kind of struct.
    """
    if _NOT_TOP_LEVEL in text:
        name, rest = text.split(_NOT_TOP_LEVEL, 1)
        if rest and not rest.startswith(", "):
            raise TextError(KrammarRule.HEAD, f"{rest[:40]!r} follows 'not top level': write a comma first")
        return _not_top_level(
            KrammarStruct(_name(name), StructRole.PLAIN, (), source=source, line=line), rest
        )
    if text.endswith("Response =>"):
        return _response(_name(text.removesuffix(" =>")), line, source, before)
    name, arrow, rest = text.partition(" => ")
    if not arrow:
        words = f"{text[:60]!r} is not a head: write Name => key 0, max version 1, or Name => not top level"
        raise TextError(KrammarRule.HEAD, words)
    return _request(KrammarStruct(_name(name), StructRole.REQUEST, (), source=source, line=line), rest)


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        words = f"{text[:60]!r} is not a name for a struct: use letters and digits, a capital letter first"
        raise TextError(KrammarRule.HEAD, words)
    return text


def _not_top_level(struct: KrammarStruct, rest: str) -> KrammarStruct:
    modifiers = _modifiers(rest.removeprefix(", "), ("no encoding", "with version field", "flexible"))
    if "with version field" in modifiers:
        if "no encoding" in modifiers:
            words = "'with version field' and 'no encoding' exclude each other: remove one"
            raise TextError(KrammarRule.MODIFIER, words)
        struct = replace(struct, role=StructRole.VERSIONED)
    return replace(struct, flexible_since=modifiers.get("flexible"), encoded="no encoding" not in modifiers)


def _response(name: str, line: int, source: str, before: KrammarStruct | None) -> KrammarStruct:
    request = name.removesuffix("Response") + "Request"
    if before is None or before.name != request:
        words = f"{name} does not follow {request}, whose key and versions it takes: put it right after"
        raise TextError(KrammarRule.RESPONSE, words)
    return KrammarStruct(
        name, StructRole.RESPONSE, (), before.key, before.max_version, before.flexible_since, source=source,
        line=line,
    )  # fmt: skip


def _request(struct: KrammarStruct, rest: str) -> KrammarStruct:
    modifiers = _modifiers(rest, ("key", "max version", "flexible", *ROUTERS))
    for needed in ("key", "max version"):
        if needed not in modifiers:
            raise TextError(KrammarRule.HEAD, f"a request needs a {needed}: write {needed} 0")
    routers = [each for each in ROUTERS if each in modifiers]
    if len(routers) > 1:
        raise TextError(KrammarRule.MODIFIER, f"{' and '.join(routers)} exclude each other: remove one")
    flexible = modifiers.get("flexible")
    return replace(
        struct,
        key=modifiers["key"],
        max_version=modifiers["max version"],
        flexible_since=flexible,
        router=routers[0] if routers else "",
    )


def _modifiers(text: str, allowed: tuple[str, ...]) -> dict[str, int]:
    """The modifiers of a head with their numbers; 0 for those without."""
    found: dict[str, int] = {}
    for part in text.split(", ") if text else ():
        name, number = _modifier(part)
        if name not in allowed:
            words = f"there is no modifier {part[:40]!r} here: expected {', '.join(allowed)}"
            raise TextError(KrammarRule.MODIFIER, words)
        if name in found:
            raise TextError(KrammarRule.MODIFIER, f"the modifier {name!r} is given twice: remove one")
        found[name] = number
    return found


def _modifier(part: str) -> tuple[str, int]:
    if part in _NAMED:
        return part, 0
    match = _NUMBERED.fullmatch(part)
    if match is None:
        return part, 0
    return match[1] or "flexible", version_number(match[2] or match[3])
