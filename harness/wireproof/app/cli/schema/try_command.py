"""``wireproof schema try``."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kafkawire.compiler import interpret_layout
from kafkawire.errors import EncodeError
from kafkawire.schema import MessageLayout, MessageSpec, dialect_of, resolve
from kafkawire.schema.rules.refusals import JAVA_REFUSALS, JavaStage
from kafkawire.values import StructValue
from wireproof.app.assembly.definitions.generator_opinion import GeneratorOpinion, ask_generator
from wireproof.app.assembly.definitions.schema_conversion import SchemaOperand, findings_between, read_operand
from wireproof.app.assembly.inputs.run_inputs import find_release
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.cells.show_command import field_lines, head_lines, instance_lines
from wireproof.app.cli.options import documented_command, jar_options, kip_625_option, run_option, source_of
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import did_you_mean, echo, echo_lines
from wireproof.definitions.evolution.report.finding_text import finding_lines, summary_line
from wireproof.kafka.releases.definition_files import FileRule, definition_text
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.values.whole_instances import full


def draft_lines(spec: MessageSpec, version: int, case: str | None) -> Iterator[str]:
    """Yield the report about a definition.

    Args:
        version: the version that is shown in full.
        case: a boundary case to show besides the default instance and one with every field set.
    """
    yield f"{spec.name}: sizes in bytes, of bodies"
    yield f"  {'version':8} {'default':>8} {'all set':>8}"
    for each in spec.valid_versions:
        layout = resolve(spec, each)
        sizes = [_size(layout, value) for value in ({}, _all_set(layout))]
        yield f"  {each:<8} {sizes[0]:>8} {sizes[1]:>8}"
    yield ""
    layout = resolve(spec, version)
    yield from head_lines(f"{spec.name}/{version}", layout)
    yield ""
    yield from field_lines(layout)
    yield ""
    instances: dict[str, StructValue] = {
        "the default instance": {},
        "an instance with every field set": _all_set(layout),
    }
    if case is not None:
        instances[f"the case {case}"] = _value_of(layout, case)
    for title, value in instances.items():
        yield from _instance(layout, title, value)
        yield ""


def _size(layout: MessageLayout, value: StructValue) -> str:
    """Return the number of bytes; a dash if the value cannot be written."""
    try:
        return f"{len(interpret_layout(layout).encode(value)):,}"
    except EncodeError:
        return "-"


def _instance(layout: MessageLayout, title: str, value: StructValue) -> Iterator[str]:
    """Yield the bytes of an instance, or the reason why it has none."""
    try:
        yield from instance_lines(layout, title, value)
    except EncodeError as error:
        yield f"{title} cannot be written: {error}"


def _all_set(layout: MessageLayout) -> StructValue:
    """Return a value with every field off its default, tagged ones too, and without unknown tagged fields."""
    return full(layout.root, unknown_tags=False)


def _value_of(layout: MessageLayout, case: str) -> StructValue:
    values = {each.name: each.value for each in scenarios(layout)}
    if case not in values:
        advice = did_you_mean(case, values, f"Cases of a field are such as {min(values)}.")
        raise FatalError(f"{layout.name}/{layout.version} has no case {case!r}", advice)
    return values[case]


@documented_command(
    "try",
    {
        ExitCode.PROVEN: "The definition has no error, and breaks no program with the released one.",
        ExitCode.DIVERGENCE: "A change breaks readers or writers, or Kafka's generator disagrees.",
    },
)
@click.argument("draft", metavar="FILE")
@click.option(
    "--message-version", "version", type=int, metavar="N", help="Show this version. Default: the newest one."
)
@click.option("--case", metavar="NAME", help="Show the bytes of this boundary case: clientId/length-127.")
@click.option("--release", default="newest", metavar="RELEASE", help="Compare with this release of Kafka.")
@run_option("schemas")
@kip_625_option
@click.option("--no-java", "without", is_flag=True, help="Do not ask Kafka's generator.")
@jar_options
def command(draft: str, version: int | None, case: str | None, **options: Any) -> int:
    r"""Try the draft of a message definition: FILE is JSON as in Kafka's source.

    The report has the problems of the file, the opinion of Kafka's own generator, the sizes of each version,
    the layout of one version with its annotated bytes (the default instance, every field set), and the
    changes from the released definition with what they break.

    The generator needs Java, and its jars: they are fetched once. Without them the report says why it was not
    asked; all else needs neither.

    \b
      wireproof schema try drafts/FetchRequest.json
      wireproof schema try drafts/FetchRequest.json --message-version 12 --release 3.9
    """
    dialect = replace(
        dialect_of(find_release(options["release"], source_of(options)).version), header_versions=True
    )
    try:
        operand = read_operand(draft, dialect=replace(dialect, integer_encodings=options["kip_625"]))
    except FatalError as error:
        _second_opinion(draft, error, options)
        raise
    if not operand.partial or operand.cell is not None:
        raise FatalError(f"{draft} is not a file", "Name one message definition.")
    ((_, spec),) = operand.schemas
    echo_lines(operand.warnings, err=True)
    opinion = _ask(draft, options, spec, accepted=True)
    echo_lines(opinion.lines)
    broken = _report(operand, spec, version, case, options)
    return int(ExitCode.DIVERGENCE if broken or opinion.disagrees else ExitCode.PROVEN)


def _report(
    operand: SchemaOperand, spec: MessageSpec, version: int | None, case: str | None, options: dict[str, Any]
) -> bool:
    """Print the draft, and what it changes; true if a change breaks readers or writers."""
    if spec.retired and version is None and case is None:
        echo(f"{spec.name} has no valid version: it is retired, so there is no layout to show.")
    else:
        chosen = spec.valid_versions.highest if version is None else version
        if chosen not in spec.valid_versions:
            what = f"{spec.name} has no version {chosen}"
            raise FatalError(what, f"Its versions are {spec.valid_versions}.")
        echo_lines(draft_lines(spec, chosen, case))
    released = read_operand(options["release"], source_of(options))
    if spec.name not in {each.name for _, each in released.schemas}:
        echo(f"{released.text} has no {spec.name}: the message is new.")
        return False
    findings = findings_between(released, operand, None)
    echo(f"Changes from {released.text}")
    echo_lines(finding_lines(findings, released.text, operand.text))
    echo(summary_line(findings, released.text, operand.text), err=True)
    return any(each.impact.breaks for each in findings)


def _ask(
    draft: str, options: dict[str, Any], spec: MessageSpec | None, accepted: bool | None
) -> GeneratorOpinion:
    """The generator's opinion about a file; no line with ``--no-java``, or where the file has no text."""
    if options["kip_625"]:
        return GeneratorOpinion(("Kafka's generator is not asked: no release accepts the key encoding.",))
    text = None if options["without"] else definition_text(Path(draft))
    if text is None:
        return GeneratorOpinion(())
    release = find_release(options["release"])
    store = open_store(options["jars"], options["offline"])
    return ask_generator(text, release, store, accepted, spec)


def _second_opinion(draft: str, error: FatalError, options: dict[str, Any]) -> None:
    """Print the generator's opinion about a file that wireproof refuses, after the errors."""
    if not Path(draft).is_file():
        return
    limited = any(f"[{rule.value}]" in error.message for rule in FileRule)
    late = _late_failures(error.message)
    opinion = _ask(draft, options, None, accepted=None if limited or late else False)
    lines = [error.message, *opinion.lines, *(late if opinion.lines else ())]
    raise FatalError("\n".join(lines), error.advice, error.exit_code) from error


def _late_failures(errors: str) -> list[str]:
    """Return the causes if generator and compiler accept every error, so that only the class fails later."""
    causes = {row.rule.value: row.cause for row in JAVA_REFUSALS if row.stage is JavaStage.CLASS}
    rules = dict.fromkeys(re.findall(r"\berror: .*\[([a-z0-9-]+)\]$", errors, re.MULTILINE))
    if not rules or not rules.keys() <= causes.keys():
        return []
    return [f"The class fails when it is used: {causes[rule]}" for rule in rules]
