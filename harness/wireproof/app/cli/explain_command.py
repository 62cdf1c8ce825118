"""``wireproof explain``: the meaning of the stable names of reports, ledgers and events, read from the tables
that define them."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import groupby
from typing import Final

import click

from kafkawire.errors import Fault
from kafkawire.schema import SchemaRule
from kafkawire.schema.rules.refusals import GENERATOR_ERRORS, JAVA_REFUSALS
from wireproof.app.cli.options import documented_command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.grouping import grouped
from wireproof.base.text.stated_rule import StatedRule
from wireproof.base.text.wording import did_you_mean, echo
from wireproof.definitions.downgrade.load_rules import LoadRule
from wireproof.definitions.evolution.evolution_rules import ChangeCategory, EvolutionRule
from wireproof.kafka.releases.definition_files import FileRule
from wireproof.model.cell import Phase
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import kind_of
from wireproof.proof.checks.known_defects.kafka_bugs import KAFKA_BUGS
from wireproof.proof.checks.known_defects.leniencies import LENIENCIES, MORE_LENIENCIES
from wireproof.proof.client_judge.sent_requests import RequestFault
from wireproof.proof.deviations.catalogue.trigger import ENDINGS, VALUE_ACTIONS
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.traffic.capture.variations.version_variations import pinned_version
from wireproof.verdict.ledger.repairs import EntryFault

_OWN: Final = {
    "adapter": "the program, or class, through which wireproof asks a codec",
    "campaign": "a run on Spark: millions of cases for each cell",
    "case": "one input, by name: `4.4.0/FetchRequest/12/enumerated/topics/null`",
    "cause": "a deviation that predicts the codec's answers exactly: one thing to fix in its source",
    "cell": "one message at one version in one Kafka release: `4.4.0/FetchRequest/12`",
    "check": "one judgement, such as `bytes` or `decode`",
    "claim": "an operation that an adapter says its codec has, for a message at some versions",
    "class of values": "values that a codec may treat alike: null, empty, default, a limit, a length "
    "where a prefix grows",
    "corpus": "files of entries",
    "deviation": "a trigger, an action, and the types, fields, messages and versions where it is so",
    "divergence": "a difference between the codec and Kafka; where they first differ",
    "entry": "of a corpus: bytes with their value; of a ledger: one known cause",
    "finding": "all divergences of one cause in one message",
    "judge": "the command that judges a running client; to judge is to compare an answer with the oracle's",
    "kind": "how two sides differ, in one stable word",
    "laxer": "the codec accepts malformed bytes that Kafka refuses",
    "layout": "a message at one version, with every range of versions resolved",
    "ledger": "the file of a codec's known deviations",
    "leniency": "a class of malformed bytes that Kafka accepts",
    "limit": "what the types of a codec cannot hold",
    "oracle": "Kafka's generated classes: they answer and never judge",
    "phase": "a source of cases, such as `enumerated` or `random`",
    "power": "mutation testing of the harness itself",
    "stricter": "the codec refuses malformed bytes that Kafka accepts",
    "testee": "a codec under test, with its adapter",
}

_OF_REPORTS: Final = {
    "action": "what a codec does at a trigger in place of what Kafka does",
    "agrees": "the line of a finding with the side that further witnesses take: `SCHEMAS`, another release",
    "blame": "the line of a finding with the side at fault and the evidence: codec, adapter, "
    "either, a known Kafka bug, Kafka's classes, wireproof",
    "excused": "a case whose difference a known Kafka bug, a limit or the ledger explains: it does not fail",
    "exercised": "a claim that at least one case tried",
    "known deviation": "a difference that an entry of the ledger explains",
    "met": "a class of values that at least one case without a difference has shown",
    "model": "the reference codec with some deviations: it predicts what a codec answers",
    "not asked": "a case without an answer, because the codec took the time that a run has for hangs",
    "out of reach": "a class of values that no instance of the phases can show",
    "replay": "the command that tries one case again",
    "rest": "the failed cases that no cause predicts",
    "seed": "the number from which Hypothesis draws the random cases; the same seed draws the same cases",
    "shard": "one of N equal parts of a run, for N machines",
    "skipped": "a question that was left out because one like it hung the codec, or ended its process",
    "subject": "the codec that a finding is about",
    "trigger": "something in bytes or in a value at which codecs differ, such as a string of length -1",
}

_RULES: Final[tuple[tuple[type[StatedRule], str], ...]] = (
    (RequestFault, "fault of a client's request"),
    (BrokerRule, "rule for brokers"),
    (EvolutionRule, "rule of schema evolution"),
    (ChangeCategory, "category of changes"),
    (LoadRule, "rule of a downgrade"),
    (FileRule, "rule of message files"),
)
"""The tables of rules, each with a sentence; some have a source and a gate."""

GLOSSARY: Final = {**_OWN, **_OF_REPORTS}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The page of one name.

    Attributes:
        name: the name, as reports and ledgers have it.
        sort: the table that defines it, in words: ``check``, ``exit code``.
        lines: the text.
        aliases: other ways to write the name.
    """

    name: str
    sort: str
    lines: tuple[str, ...]
    aliases: tuple[str, ...] = ()


def explanations_of(name: str) -> list[Explanation]:
    """The pages of a name; several tables may define it.

    A kind and a pinned version are also found by the word before the colon, and the id of a cause by its
    trigger.
    """
    every = all_explanations()
    word = name.lower()
    found = [each for each in every if word in (text.lower() for text in (each.name, *each.aliases))]
    if not found and ":" in name:
        head = word.partition(":")[0]
        kinds = ("kind", "variation of answers")
        found = [each for each in every if each.sort in kinds and each.name.partition(":")[0] == head]
    way = {"reads": "To decode", "writes": "To encode"}.get(word.partition("-")[0])
    if way and not found:
        of_id = (each for each in every if each.lines[0].startswith(way) and f"-{each.name}-" in word)
        found = sorted(of_id, key=lambda each: len(each.name))[-1:]
    return found


@cache
def all_explanations() -> tuple[Explanation, ...]:
    """Every page, table by table."""
    return tuple(_pages())


def _pages() -> Iterator[Explanation]:
    for word, meaning in GLOSSARY.items():
        yield Explanation(word, "word", (meaning.replace("`", ""),))
    yield from _checks()
    for phase, text in member_texts(Phase).items():
        yield Explanation(phase, "phase", (text, f"Choose it with `wireproof run --phase {phase}`."))
    yield from _kinds()
    for code in ExitCode:
        rank = f"Precedence: {code.rank} of {len(ExitCode)}; the first code that applies is taken."
        lines = (f"{code.sentence}.", code.meaning, rank)
        yield Explanation(str(int(code)), "exit code", lines, (code.name, code.name.replace("_", "-")))
    for table, sort in ((Fault, "fault of our codec"), (EntryFault, "fault of a ledger entry")):
        for name, text in member_texts(table).items():
            yield Explanation(name, sort, (text,))
    for rules, sort in _RULES:
        for rule in rules:
            gate = rule.gate and f"Gate of the writers: {rule.gate}."
            source = rule.source and f"Source: {rule.source}."
            yield Explanation(rule.value, sort, tuple(filter(None, (rule.sentence, gate, source))))
    yield from _schema_rules()
    for bug in KAFKA_BUGS:
        releases = "; ".join(f"{a} to {b}" if b else f"{a} and later" for a, b in bug.releases)
        seen = f"Seen on {bug.noted} in the jar of {bug.seen_in}."
        yield Explanation(bug.witness, "known Kafka bug", (bug.summary, f"Releases: {releases}.", seen))
    yield from _deviations()
    yield from _variations()
    for each in (*LENIENCIES, *MORE_LENIENCIES):
        gone = f", not in {', '.join(each.gone)}" if each.gone else ""
        since = f"Releases: {each.first} and later{gone}."
        yield Explanation(each.name, "leniency of Kafka", (each.summary, since))


def _deviations() -> Iterator[Explanation]:
    """The triggers by direction, then each action with all triggers that have it."""
    uses: dict[str, list[str]] = {}
    for (direction, name), row in TRIGGERS.items():
        words = row.words.format("a value").removesuffix(",")
        lines = [f"To {direction}: {words}.", f"Kafka: {row.kafka}."]
        for action, meaning in row.actions.items():
            lines.append(f"Action {action}: it {meaning}.")
            uses.setdefault(action, []).append(f"At {name} ({direction}): it {meaning}.")
        yield Explanation(name, "trigger of a cause", tuple(lines), (name.replace("-", " "),))
    for action, meaning in {**ENDINGS, **VALUE_ACTIONS}.items():
        where = "a field" if action in VALUE_ACTIONS else "any trigger"
        uses.setdefault(action, []).append(f"At {where}: it {meaning}.")
    for action, found in uses.items():
        yield Explanation(action, "action of a cause", tuple(found))


def _variations() -> Iterator[Explanation]:
    for variation in CATALOGUE:
        words = (variation.sentence, f"Source: {variation.source}.", "Use: `wireproof judge --vary`.")
        yield Explanation(variation.id, "variation of answers", words)
    pinned = pinned_version("a request", 0, 0)
    pin = ("The broker offers one version of a request alone.", f"Source: {pinned.source}.")
    yield Explanation("version:REQUEST:VERSION", "variation of answers", pin)


def _checks() -> Iterator[Explanation]:
    for check in Check:
        row = check.row
        lines = [
            f"{row.verifies}.",
            f"Level: {row.level.value}. A failure is a divergence.",
            f"Phases: {', '.join(row.phases)}.",
            f"Tasks: {', '.join(sorted(row.tasks))}.",
            f"Reference: {row.reference}",
        ]
        if row.derived_from:
            lines.append(f"It also fails where {', '.join(row.derived_from)} fails in the same case.")
        yield Explanation(check.value, "check", tuple(lines))


def _schema_rules() -> Iterator[Explanation]:
    kafka = grouped((row.rule, row.number) for row in GENERATOR_ERRORS)
    after = {row.rule: row for row in JAVA_REFUSALS}
    for rule in SchemaRule:
        lines = [
            rule.sentence,
            f"A problem with it is {'an error' if rule.severity == 'error' else 'a warning'}.",
        ]
        if rule in kafka:
            lines.append(
                f"Errors of Kafka's generator: {', '.join(kafka[rule])} of the page of schema rules."
            )
        if rule in after:
            lines.append(f"Kafka's generator accepts such a schema, Java refuses it. {after[rule].cause}")
        yield Explanation(rule.value, "rule of the schema language", tuple(lines))


def kind_lines() -> list[str]:
    """The list of kinds: the lines of the module that makes them."""
    text = inspect.cleandoc(inspect.getmodule(kind_of).__doc__ or "")
    return text[text.index("- ``") :].splitlines()


def _kinds() -> Iterator[Explanation]:
    items = re.split(r"^- ", "\n".join(kind_lines()), flags=re.MULTILINE)
    for item in filter(None, items):
        names, _, text = " ".join(item.split()).partition(": ")
        for name in re.findall(r"``(.+?)``", names):
            yield Explanation(name, "kind", (text.replace("``", "`").rstrip(";"),))


def member_texts(table: type[StrEnum]) -> dict[str, str]:
    """The text below each member of an enum, by the member's value; empty where it has none."""
    texts: dict[str, str] = {}
    pattern = r'^    ([A-Z_0-9]+) = "[^\n]*\n(?:    """(.*?)""")?'
    for name, text in re.findall(pattern, inspect.getsource(table), re.MULTILINE | re.DOTALL):
        texts[table[name].value] = " ".join(text.split())
    return texts


@documented_command("explain", {ExitCode.PROVEN: "The name is explained."})
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Explain NAME: a word of a report, a check, a phase, a kind of difference, an exit code, a fault or a
    known Kafka bug.

    Reports, ledgers and events use these names. Without NAME the command lists all of them. It does not need
    Java.

    \b
    wireproof explain bytes
    wireproof explain refused:TypeError
    wireproof explain reads-string-null-not-allowed-empty
    wireproof explain 7
    """
    if name is None:
        for sort, group in groupby(all_explanations(), lambda each: each.sort):
            echo(f"{sort}: {', '.join(dict.fromkeys(each.name for each in group))}")
        return int(ExitCode.PROVEN)
    found = explanations_of(name)
    if not found:
        names = {text for each in all_explanations() for text in (each.name, *each.aliases)}
        advice = did_you_mean(name, sorted(names), "`wireproof explain` lists all names.")
        raise FatalError(f"{name!r} is not a known name", advice)
    for each in found:
        echo(f"{each.name} ({each.sort})")
        for line in each.lines:
            if line:
                echo(f"  {line}")
    return int(ExitCode.PROVEN)
