"""The run as a summary for a pull request: short enough for a comment, whatever happened."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from wireproof.report.account import Account
from wireproof.report.findings import Group, replay_line
from wireproof.report.terminal import claims_line, not_asked_words, summary_line, verdict_line
from wireproof.run import Totals

__all__ = ["MOST_CHARACTERS", "markdown_summary"]

MOST_CHARACTERS: Final = 60_000
"""A comment on a pull request may have 65,536; the summary of a step 1 MiB."""

_GROUPS: Final = 20
_ROWS: Final = 40
_WIDTH: Final = 300
"""Characters of one piece of evidence."""

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&!@])")


@dataclass(slots=True)
class _Count:
    cells: int = 0
    failed: int = 0
    lost: int = 0
    cases: int = 0


def markdown_summary(account: Account) -> str:
    """The report; never longer than `MOST_CHARACTERS`."""
    sections = (
        _opening(account),
        _findings(account),
        _losses(account),
        _table(account),
        _known(account),
        _claims(account),
        _problems(account),
        _closing(account),
    )
    text = "\n\n".join("\n".join(lines) for section in sections if (lines := list(section)))
    return _bounded(f"{text}\n")


def _opening(account: Account) -> Iterator[str]:
    started, finished = account.started, account.finished
    subjects = "wireproof" if started is None else ", ".join(started.subjects)
    releases = "" if started is None else f" against Kafka {', '.join(started.releases)}"
    yield f"### wireproof: {_words(subjects)}{releases}"
    yield ""
    if finished is not None:
        verdict, dot, rest = _plain(verdict_line(finished, account.told().number)).partition(".")
        yield f"**{_words(verdict)}{dot}** {_words(rest)}".rstrip()
    if account.broken is not None:
        yield f"**Error:** {_words(account.broken.message)} {_words(account.broken.advice)}".rstrip()
    if account.stopped:
        yield f"**Stopped:** {_words(_cut(account.stopped))}"


def _findings(account: Account) -> Iterator[str]:
    told = account.told()
    if told.number == 0:
        return
    yield "#### Findings"
    yield ""
    if told.reason is not None:
        yield f"- {_words(told.reason.line(account.testee))}"
    for group in told.groups[:_GROUPS]:
        yield from _finding(group, account.testee)
    more = len(told.groups) - _GROUPS
    if more > 0:
        yield f"- and {_count(more, 'more finding')}; `--events FILE` writes them all down"


def _finding(group: Group, testee: str) -> Iterator[str]:
    """A paragraph of a list: what, where, both sides, what to type."""
    found = group.first.divergence
    field = f" {_code(found.path)}" if found.path else ""
    seen = f"{_count(group.cases, 'case')} of {_count(len(group.cells), 'cell')}"
    yield f"- **{_words(group.where)}**: {_words(_cut(found.summary))} ({_code(found.check)}{field}; {seen})"
    if found.codec or found.oracle:
        yield f"  codec {_code(_cut(found.codec))}, Kafka {_code(_cut(found.oracle))}  "
    if group.alike:
        yield f"  alike: {_words(group.alike)}  "
    yield f"  {_code(replay_line(group.first, testee))}"


def _losses(account: Account) -> Iterator[str]:
    losses = list(account.losses)
    if losses:
        yield "#### Without a verdict"
        yield ""
    for loss in losses[:_GROUPS]:
        cells = _count(len(loss.cells), "cell")
        yield f"- {cells}, such as {_code(loss.first)}: {_words(_cut(loss.reason))}"
    if len(losses) > _GROUPS:
        yield f"- and for {_count(len(losses) - _GROUPS, 'more reason')}"


def _table(account: Account) -> Iterator[str]:
    """Counts of each module; of each message where all are of one module."""
    modules = {(cell.release, cell.module) for cell in account.all_cells}
    by_message = len(modules) == 1
    counts: dict[str, _Count] = {}
    for cell in account.all_cells:
        name = cell.message if by_message else f"{cell.release} {cell.module}"
        count = counts.setdefault(name, _Count())
        done = account.cells.get(cell)
        count.cells += 1
        count.failed += cell in account.of_cell or (done is not None and done.failed_cases > 0)
        count.lost += cell in account.lost
        count.cases += sum(done.cases.values()) if done is not None else 0
    # Where not all have room, those that need a look come first.
    order = sorted(counts.items(), key=lambda item: not (item[1].failed or item[1].lost))
    rows = [
        (_words(name), f"{each.cells:,}", f"{each.failed:,}", f"{each.lost:,}", f"{each.cases:,}")
        for name, each in order
    ]
    yield from _rows(("Message" if by_message else "Module", "Cells", "Failed", "Lost", "Cases"), rows)


def _known(account: Account) -> Iterator[str]:
    """The known deviations that were met, those of most cases first."""
    met = account.finished.totals.known if account.finished is not None else {}
    rows = [
        (_code(entry).replace("|", r"\|"), f"{cases:,}", _words(_cut(account.ledger.get(entry, ""))))
        for entry, cases in sorted(met.items(), key=lambda item: (-item[1], item[0]))
    ]
    if rows:
        yield "#### Known deviations"
        yield ""
        yield from _rows(("Entry", "Cases", "What is known"), rows)


def _claims(account: Account) -> Iterator[str]:
    """What is wrong with the claims, and what else could be claimed."""
    claims = sorted(account.claims, key=lambda claim: not claim.fails)
    if claims:
        yield "#### Claims"
        yield ""
    for claim in claims[:_GROUPS]:
        known = "" if claim.fails else " (good to know)"
        yield f"- {_words(claim.fault)}{known}: {_words(_cut(claim.line))}"
        yield f"  {_code(_cut(claim.advice))}"
    if len(claims) > _GROUPS:
        yield f"- and {len(claims) - _GROUPS:,} more"


def _problems(account: Account) -> Iterator[str]:
    problems = sorted(account.problems, key=lambda problem: not problem.fails)
    if problems:
        yield "#### The ledger"
        yield ""
    for problem in problems[:_GROUPS]:
        warning = "" if problem.fails else " (a warning)"
        yield f"- {_code(problem.entry)} {_words(problem.fault)}{warning}: {_words(_cut(problem.message))}"
        yield f"  {_code(problem.repair)}"
    if len(problems) > _GROUPS:
        yield f"- and {len(problems) - _GROUPS:,} more"


def _closing(account: Account) -> Iterator[str]:
    if account.finished is None:
        return
    totals = account.finished.totals
    if totals.not_asked:
        yield f"Not asked: {not_asked_words(totals)}."
        yield ""
    if totals.classes_reachable:
        yield _coverage(totals)
        yield ""
    if totals.claims:
        yield _words(f"{claims_line(totals)}.")
        yield ""
    yield _words(summary_line(account.finished))


def _coverage(totals: Totals) -> str:
    below = _count(totals.cells_below_floor, "cell")
    floor = f"; {below} below the floor" if totals.cells_below_floor else ""
    return f"Coverage: {totals.classes_met:,} of {totals.classes_reachable:,} classes of values met{floor}."


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---:' if rows[0][column][:1].isdigit() else '---' for column in range(len(head)))}|"
    for row in rows[:_ROWS]:
        yield f"| {' | '.join(row)} |"
    if len(rows) > _ROWS:
        yield f"| and {len(rows) - _ROWS:,} more |{' |' * (len(head) - 1)}"


def _bounded(text: str) -> str:
    """The text, cut at the end of a line where it is too long."""
    note = "\n\nCut here: it was too long.\n"
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[: MOST_CHARACTERS - len(note)].rpartition(chr(10))[0]}{note}"


def _plain(markup: str) -> str:
    return Text.from_markup(markup).plain


def _words(text: str) -> str:
    """Text that stands as it is: nobody is mentioned, nothing is a link, and it stays one line."""
    return _SPECIAL.sub(r"\\\1", _one_line(text))


def _code(text: str) -> str:
    """Text as code, whatever ticks it has itself."""
    plain = _one_line(text)
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}" if plain else ""


def _one_line(text: str) -> str:
    return " ".join(_printable(text).split())


def _printable(characters: Iterable[str]) -> str:
    return "".join(each if each.isprintable() or each.isspace() else repr(each)[1:-1] for each in characters)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else f'{noun}s'}"
