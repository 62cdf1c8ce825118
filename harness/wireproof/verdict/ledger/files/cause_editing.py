"""Editing the causes in a ledger's file: added, amended, narrowed and removed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import tomlkit

from wireproof.base.text.parsing import checked_toml
from wireproof.proof.deviations import parse_scope
from wireproof.verdict.ledger.files.cause_tables import CAUSES, scope_values, values_of
from wireproof.verdict.ledger.files.ledger_defaults import defaults_in
from wireproof.verdict.ledger.known_causes import LedgerCause, merged_causes

_HEAD: Final = re.compile(r"^[ \t]*\[\[[ \t]*(cause|entry)[ \t]*\]\]", re.MULTILINE)


def with_causes(text: str, causes: Iterable[LedgerCause]) -> str:
    """Return the file with more causes: after those that it has, before the first ``[[entry]]``."""
    defaults = defaults_in(text)
    blocks = "".join(f"\n{_block(each, defaults)}" for each in causes)
    first = next((head.start() for head in _HEAD.finditer(text) if head[1] == "entry"), len(text))
    while (comment := text[:first].rstrip("\n").rpartition("\n")[2]).startswith("#") and first < len(text):
        first = text[:first].rstrip("\n").rfind("\n") + 1
        if not comment:
            break
    rest = text[first:]
    return f"{text[:first].rstrip()}\n{blocks}" + (f"\n{rest}" if rest.strip() else "")


def without_cause(text: str, cause_id: str) -> str | None:
    """Return the file without a cause; None where it has none of this id."""
    span = _span(text, cause_id)
    return None if span is None else text[: span[0]].rstrip() + "\n\n" + text[span[1] :].lstrip("\n")


def with_merged(text: str, ledger_causes: Iterable[LedgerCause], ids: Iterable[str]) -> str:
    """Return the file in which the first of some causes has the places of all, and the others are gone.

    Raises:
        ValueError: the ledger lacks one of them, or they cannot be merged.
    """
    known = {each.id: each for each in ledger_causes}
    try:
        first, *more = (known[each] for each in dict.fromkeys(ids))
    except KeyError as error:
        raise ValueError(f"the ledger has no cause {error}: `wireproof ledger list` lists them") from None
    merged = merged_causes([first, *more])
    text = amended_cause(text, first.id, scope_values(merged)) or text
    for each in more:
        text = without_cause(text, each.id) or text
    return text


def without_cells(text: str, cause: LedgerCause, gone: Iterable[str]) -> str:
    """Return the file in which a cause does not cover some versions of messages: ``FetchRequest 4-11``."""
    left = cause.deviation.without(parse_scope(gone))
    if left is None:
        raise ValueError(f"nothing is left of {cause.id}: type `wireproof ledger remove` to remove it")
    return amended_cause(text, cause.id, scope_values(replace(cause, deviation=left))) or text


def amended_cause(text: str, cause_id: str, changes: Mapping[str, Any]) -> str | None:
    """Return the file with changed values in a cause; None where it has none of this id."""
    span = _span(text, cause_id)
    if span is None:
        return None
    block = checked_toml(text[span[0] : span[1]], tomlkit.parse)
    tables: Any = block[CAUSES]
    for name, value in changes.items():
        if value in ("", []):
            tables[0].pop(name, None)
        else:
            tables[0][name] = value
    return text[: span[0]] + tomlkit.dumps(block) + text[span[1] :]


def _span(text: str, cause_id: str) -> tuple[int, int] | None:
    heads = list(_HEAD.finditer(text))
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        block = text[head.start() : end]
        if head[1] == CAUSES and re.search(rf'^id = "{re.escape(cause_id)}"$', block, re.MULTILINE):
            return head.start(), end
    return None


def _block(cause: LedgerCause, defaults: Mapping[str, Any]) -> str:
    document = tomlkit.document()
    tables, table = tomlkit.aot(), tomlkit.table()
    for name, value in values_of(cause).items():
        if value not in ("", []) and value != defaults.get(name):
            table.add(name, value)
    tables.append(table)
    document.add(CAUSES, tables)
    return f"{tomlkit.dumps(document).strip()}\n"
