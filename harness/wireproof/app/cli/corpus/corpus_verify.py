"""The verification of a corpus with our codec, and with Kafka's classes if Java is installed."""

import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from rich.console import Console

from wireproof.app.assembly.corpus.corpus_in_use import CorpusInUse, use_corpus
from wireproof.app.assembly.inputs.run_inputs import RunInputs, prepare, prepare_without_java
from wireproof.app.assembly.prerequisites import installed_forms
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.app.cli.event_loop import listen
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.extras import install
from wireproof.base.text.wording import counted, echo
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.model.cell import Phase
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.engine import Engine
from wireproof.verdict.report.run.terminal_report import TerminalReport

_WITHOUT_JAVA: Final = "whether Kafka's classes agree with the entries, too: Java was not asked"


def verify_added(output: Path, release: str, store: JarStore, *, without_java: bool, jobs: int) -> int:
    """Verify all entries of a release after some were added."""
    place = output / "golden" / release
    if not place.is_dir():
        advice = "The lines above list the excluded frames, with the reasons."
        raise FatalError("no frame of the capture became an entry", advice, ExitCode.NOTHING_RAN)
    written = use_corpus(str(place), damaged=ExitCode.DIVERGENCE)
    return verify_corpus(written, store, without_java=without_java, jobs=jobs)


def verify_corpus(
    corpus: CorpusInUse, store: JarStore, *, without_java: bool, jobs: int, source: SchemaSource | None = None
) -> int:
    """Compare entries with our codec, and with Kafka's classes if wanted and if Java is installed; return the
    exit code.
    """
    releases = corpus.releases((), source)
    missing = "" if without_java else _no_java()
    if missing:
        echo(f"Kafka's classes are not asked: {missing}", err=True)
    if without_java or missing:
        prepared = prepare_without_java(releases, store, installed_forms(), corpus.source)
    else:
        prepared = replace(prepare(releases, store, installed_forms()), corpus=corpus.source)
    return _verify(prepared, corpus, jobs)


def _verify(prepared: RunInputs, corpus: CorpusInUse, jobs: int) -> int:
    """Verify the prepared corpus. The last line has the counts, the provenance and the speed."""

    cells = [cell for cell in prepared.every_cell if cell.id in corpus.cells]
    if len(cells) < len(corpus.cells):
        odd = sorted(corpus.cells - {cell.id for cell in cells})
        raise FatalError(f"{odd[0]} is not a known cell", "", ExitCode.DIVERGENCE)
    options = RunOptions((Phase.CORPUS,), shrink_s=0)
    engine = Engine(environment_maker(prepared), options, min(jobs, len(cells)))
    unsaid = () if prepared.java else (_WITHOUT_JAVA,)
    started = prepared.header(options, len(cells), jars=corpus.jars, corpus=corpus.entries, unsaid=unsaid)
    begun = time.monotonic()
    code = listen(engine, cells, started, [TerminalReport(Console(stderr=True))])
    entries, seconds = sum(corpus.entries.values()), time.monotonic() - begun
    provenance = ", ".join(f"{count:,} {name}" for name, count in sorted(corpus.entries.items()))
    who = "our codec and Kafka's classes" if prepared.java else "our codec"
    echo(
        f"{counted(entries, 'entry', 'entries')} of {len(cells)} cells against {who}: {provenance}; "
        f"{entries / max(seconds, 0.001):,.0f} entries/s",
        err=True,
    )
    return code


def _no_java() -> str:
    """The reason why Kafka's classes are not available; empty if they are."""
    from wireproof.kafka.oracle.java_runtime import RuntimeMissingError, find_runtime

    if find_spec("jpype") is None:
        return f"jpype1 is not installed ({install('oracle')})"
    try:
        find_runtime()
    except RuntimeMissingError as error:
        return str(error)
    return ""
