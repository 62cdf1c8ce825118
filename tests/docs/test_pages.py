"""The pages of the site, README and ARCHITECTURE keep their limits, and the things that they name exist."""

import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import kafkawire
import wireproof
from kafkawire.schema import SchemaRule
from kafkawire.schema.rules.refusals import GENERATOR_ERRORS, JAVA_REFUSALS
from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.downgrade.downgrade_matrix import downgrade_matrix
from wireproof.definitions.downgrade.load_rules import DowngradeOutcome, LoadRule
from wireproof.kafka.releases.release_table import table
from wireproof.model.cell import Phase
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.known_defects.kafka_bugs import KAFKA_BUGS
from wireproof.proof.checks.known_defects.leniencies import LENIENCIES
from wireproof.proof.config.option_table import OPTIONS
from wireproof.proof.deviations.deviation_words import deviation_sentence
from wireproof.proof.testees.description.manifest import shipped_manifests
from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.verdict.ledger.files.ledger_reading import read_ledger

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OUTSIDE_DOCS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "tests/README.md")


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """Load the generator of the reference, which is not part of the package."""
    spec = importlib.util.spec_from_file_location("reference_pages", DOCS / "reference_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with pytest.MonkeyPatch.context() as patched:  # MkDocs imports a hook with its folder on the path
        patched.syspath_prepend(DOCS)
        spec.loader.exec_module(module)
    return module


def test_the_page_about_python_documents_every_public_name(pages: ModuleType) -> None:
    """The names that `wireproof`, `wireproof.testing` and `kafkawire` export, with arguments and errors."""
    page = pages.python()
    for module in (wireproof, kafkawire):
        names = [name for name in module.__all__ if name != "__version__"]
        assert [name for name in names if f"\n### {name}\n" not in page] == []
    assert "- `testee`: a name or a path as ``--testee`` takes it" in page
    assert "<factory>" not in page
    assert "wireproof.proof.config.run_config" not in page


def test_the_reference_has_every_row_of_its_table(pages: ModuleType) -> None:
    """The tables are checks, phases, leniencies, known bugs, exit codes and options."""
    checks = pages.checks()
    for name in (*Check, *Phase, *(each.name for each in LENIENCIES)):
        assert f"| `{name}` |" in checks
    assert all(f"| `{each.witness}` |" in pages.kafka_bugs() for each in KAFKA_BUGS)
    assert all(f"| `{each.id}` |" in pages.variations() for each in CATALOGUE)
    assert all(f"| `{int(code)}` |" in pages.exit_codes() for code in ExitCode)
    configuration = pages.configuration()
    for name in OPTIONS:
        assert f"| `{name}` |" in configuration


def test_the_page_of_causes_has_each_cause_with_its_place(pages: ModuleType) -> None:
    """One line for each mistake in a codec's source, with all that it does, under the name and version."""
    page = pages.causes()
    for manifest in shipped_manifests():
        ledger = manifest.folder / "ledger.toml"
        causes = read_ledger(ledger.read_text("utf-8"), "ledger.toml").causes if ledger.exists() else ()
        rows = (
            page.partition(f"## {manifest.name} {manifest.version}\n")[2].partition("\n## ")[0].splitlines()
        )
        lines = [row for row in rows if row.startswith("| ")]
        assert len(lines) == len({each.reason for each in causes}) + bool(causes)
        assert all(pages.cell(deviation_sentence(each.deviation)) in page for each in causes)
    assert "decoder.js:86 readString reads null in every version" in page


def test_the_downgrade_page_has_a_frame_for_each_outcome_that_is_not_accepted(pages: ModuleType) -> None:
    """Each record, rule, message of a broker, and version that a writer chooses is on the page."""
    page = pages.downgrade()
    for row in downgrade_matrix():
        assert f"### {row.record.record} (`{row.record.log}`)\n" in page
        if any(cell.outcome is not DowngradeOutcome.ACCEPTED for cell in row.cells.values()):
            assert f"Key `{row.record.key.hex()}`, value `{row.record.value.hex()}`\n" in page
    assert all(f"| `{rule.value}` |" in page for rule in LoadRule)
    assert page.count("Unknown offset message version: 4 |") == 1
    assert "\n| 2.8.2 to 4.0.2 | · |" in page
    assert "\n| 4.1.2 to 4.4.0 | **R** |" in page
    assert "| TransactionLog v1 | 4.0.2 to 4.4.0 | the defaults of a new cluster |" in page


def test_the_reference_has_every_rule_of_schemas(pages: ModuleType) -> None:
    """Each rule, each error of Kafka's generator with its fault, and each schema that only Java refuses."""
    page = pages.schema_rules()
    assert all(f"| `{rule.value}` |" in page for rule in SchemaRule)
    assert all(pages.fault_text(row.refused, row.accepted) for row in GENERATOR_ERRORS)
    assert all(pages.fault_text(row.refused, row.accepted) for row in JAVA_REFUSALS)
    assert all(f"\n| {row.number} | `` " in page for row in GENERATOR_ERRORS)
    assert all(f"\n| {row.name} |" in page for row in JAVA_REFUSALS)
    assert "Field ... specifies a tag of -.... Tags cannot be negative." in " ".join(page.split())


def test_the_page_of_versions_has_every_release_and_python(pages: ModuleType) -> None:
    """The oldest and the newest Python, and each release of Kafka."""
    page = pages.versions()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"| wireproof | {project['version']} |" in page
    assert project["requires-python"].removeprefix(">=") in page
    for release in table():
        assert f"| {release.version} |" in page


def test_the_reference_has_every_command_and_event(pages: ModuleType) -> None:
    """Sub-commands and the events of `judge` are included."""
    commands = pages.commands()
    for name in ("run", "ledger accept", "corpus make", "testee new", "pipeline run", "doctor"):
        assert re.search(rf"^#+ wireproof {name}$", commands, re.MULTILINE), name
    assert (
        commands.count("| exit code | meaning |") == commands.count(f"| `{int(ExitCode.INTERRUPTED)}` |") > 30
    )
    events = pages.events()
    for name in ("events", "judge-events"):
        schema = json.loads((DOCS / "reference" / f"{name}.schema.json").read_text("utf-8"))
        for event in schema["oneOf"]:
            assert f"### `{event['$ref'].rpartition('/')[2]}`" in events


def test_each_choice_of_an_option_is_code_of_its_own(pages: ModuleType) -> None:
    """A browser can break the line between choices, and never inside an option."""
    words = pages._option_words
    assert words("--seed INTEGER") == "`--seed INTEGER`"
    assert words("--broker [HOST:]PORT") == "`--broker [HOST:]PORT`"
    assert words("--format [text|tsv]") == "`--format` `text`, `tsv`"
    kept = pages.on_page_content('<a title="x --y">see (--no-java)</a>', None, None, None)
    assert kept == '<a title="x --y">see (<span class="option">--no-java</span>)</a>'
    assert pages.cell("clients/src/main/resources/README.md").startswith("clients/<wbr>src/<wbr>main/")


def test_a_text_without_its_table_is_an_error(pages: ModuleType) -> None:
    """The error names the places of the text and the tables."""
    with pytest.raises(ValueError, match=r"exit-codes.md has places for \['codes'\]: expected \['rows'\]"):
        pages.page("exit-codes", rows="")


def test_links_outside_of_the_site_have_a_target() -> None:
    """MkDocs checks the links between pages of the site; these are the others."""
    for name in OUTSIDE_DOCS:
        page = ROOT / name
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{name}: {target}"


def test_the_glossary_is_short() -> None:
    """At most 25 words are the project's own."""
    own = (DOCS / "glossary.md").read_text("utf-8").partition("\n## ")[0]
    rows = re.findall(r"^\| ([a-z][a-z ]*) \|", own, re.MULTILINE)
    assert rows[0] == "word"
    assert 10 < len(rows[1:]) <= 25
    assert rows[1:] == sorted(rows[1:])


def test_readme_is_short_and_true() -> None:
    """It has at most 100 lines; its finding is that of the ten-minute page, and its test is that of the
    file."""
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) <= 100
    page = (DOCS / "start" / "python.md").read_text("utf-8")
    shown = re.findall(r"^  (?:field|codec|Kafka|case|value|replay) .*$", page, re.MULTILINE)
    assert len(shown) == 6
    for line in shown:
        assert f"    {line}" in readme.splitlines()
    (test,) = re.findall(r"<!-- file: test_my_codec.py -->\n```python[^\n]*\n(.*?)```", page, re.DOTALL)
    assert "".join(f"    {line}".rstrip() + "\n" for line in test.splitlines()) in readme


def test_architecture_is_short_and_names_every_package() -> None:
    """It has at most 200 lines; each package of the harness and of the codec has a line on the map."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.splitlines()) <= 200
    for root in ("harness/wireproof", "codecs/kafkawire"):
        for package in (ROOT / root).glob("*/__init__.py"):
            line = rf"\n +(?:\w+/, )*{package.parent.name}/[, \n]"
            assert re.search(line, text), f"{root}/{package.parent.name} is not on the map"
    for package in (ROOT / "harness/wireproof").glob("*/*/__init__.py"):
        inside = package.parents[1].name
        if inside not in ("model", "pipeline", "power"):
            line = rf"[ ,]{package.parent.name}/[, \n]"
            assert re.search(line, text), f"{inside}/{package.parent.name} is not on the map"


def test_each_decision_has_a_page_and_a_line() -> None:
    """The pages are numbered and have a short name; the index links each once, by its title."""
    pages_of = sorted(path.name for path in (DOCS / "decisions").glob("[0-9]*.md"))
    index = (DOCS / "decisions" / "index.md").read_text("utf-8")
    assert len(pages_of) > 60
    assert sorted(re.findall(r"\]\((\d+-[\w-]+\.md)\)", index)) == pages_of
    for name in pages_of:
        title = (DOCS / "decisions" / name).read_text("utf-8").splitlines()[0]
        assert title.startswith(f"# {int(name.partition('-')[0])}. "), name
        assert f"- [{title.removeprefix('# ')}]({name})" in index.splitlines()
        assert len(name.split("-")) <= 6, f"{name}: the name of a page is a noun phrase of at most five words"
