"""``wireproof judge --vary``: a program against varied answers of a real broker."""

import contextlib
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from kafkawire.records import missing_libraries
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.capture.clusters import make_cluster, open_folder, wanted_broker, wanted_nodes
from wireproof.app.cli.capture.judge_options import accepted_of, exit_code_of, replay_words
from wireproof.app.cli.capture.vary_summary import (
    VaryRow,
    VarySummary,
    finding_lines,
    summary_lines,
    varied_finding,
    vary_json,
)
from wireproof.app.cli.event_loop import opened
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.extras import install
from wireproof.base.text.wording import did_you_mean, document, json_text
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.proof.client_judge.sent_requests import RequestStatistics
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import run_capture
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.traffic.capture.varying.cause_search import VaryFinding
from wireproof.traffic.capture.varying.program_runs import VaryingProxy
from wireproof.traffic.capture.varying.varied_program import VariedProgram, VaryOptions
from wireproof.traffic.capture.varying.varied_run import VariationChoice, parse_selection
from wireproof.verdict.report.client_judge.client_summary import (
    ClientEventWriter,
    accepted_json,
    accepted_lines,
)

_JOBS: Final = 3
"""Runs at the same time: most of them wait for the broker."""


def judge_varied(
    account: VarySummary, output: Path, options: Mapping[str, Any], console: Console
) -> ExitCode:
    """Run the program without and with variations; print findings as they are made, and the summary.

    Args:
        account: gets the results, for the reports at the end.
        output: the folder of the capture.
    """
    _check_libraries()
    wanted = wanted_broker(options["broker"], options["release"], options["command_config"])
    store = open_store(options["jars"], options["offline"])
    apis = ApiCatalog(load_snapshot(wanted.release))
    chosen, program = _options(options, apis), account.program
    account.release = wanted.release.version
    account.statistics = RequestStatistics(accepted_of(options, *_variations(apis)))
    account.partial = bool(options["only"] or options["without"] or options["maxfail"])
    with contextlib.ExitStack() as stack:
        folder = open_folder(output)
        nodes = wanted_nodes(options["nodes"], wanted)
        cluster = make_cluster(wanted, store, apis, nodes, folder, auto_topics=options["auto_topics"])
        about = {"tool": f"wireproof {account.version}", "broker": options["broker"], "nodes": nodes}
        proxy = VaryingProxy(apis.naming)
        say = partial(console.print, markup=False, highlight=False, soft_wrap=True)
        events = None
        if options["events"] is not None:
            events = ClientEventWriter(stack.enter_context(opened(options["events"])), account)
        found = partial(_take, account, events, say, _replay(program, options))
        workload = VariedProgram(program, proxy, apis, chosen, folder.path / "runs", found)
        began, interrupted = time.monotonic(), False
        try:
            progress = partial(say, style="dim")
            run_capture(cluster, folder, [workload], about, apis.naming, progress, proxy.filter)
        except KeyboardInterrupt:
            interrupted = True
        account.fill(workload.verdict, time.monotonic() - began)
        ran_nothing = account.unvaried or (not account.connections and bool(account.results.fault))
        account.exit_code = (
            ExitCode.INTERRUPTED if interrupted else exit_code_of(account, ran_nothing=ran_nothing)
        )
        if events is not None:
            events.end(account)
    for line in (*accepted_lines(account), *summary_lines(account)):
        say(line)
    if options["form"] == "json":
        document(json_text({**vary_json(account), **accepted_json(account)}, indent=1) + "\n")
    return account.exit_code


def _check_libraries() -> None:
    if missing := missing_libraries():
        packages = ", ".join(missing)
        raise FatalError(
            f"--vary compresses records; missing: {packages}", install("records"), ExitCode.MISSING
        )


def _take(
    account: VarySummary,
    events: ClientEventWriter | None,
    say: Callable[[str], None],
    replay: str,
    finding: VaryFinding,
) -> bool:
    """Count a finding, print it and write its event; return True if no entry accepts it."""
    row = _row(finding, replay)
    new = account.statistics.loose(varied_finding(row))
    if new:
        account.rows.append(row)
        for line in finding_lines(row):
            say(line)
    if events is not None:
        events(new)
    return bool(new)


def _variations(apis: ApiCatalog) -> Iterator[str]:
    """Yield the ids of all variations, including those of versions."""
    yield from (each.id for each in CATALOGUE)
    for name in apis.names:
        yield from (f"version:{name}:{version}" for version in apis.valid_versions(name))


def selections_of(texts: tuple[str, ...], apis: ApiCatalog) -> tuple[VariationChoice, ...]:
    """Parse the values of `--only`; `FatalError` if one is not valid."""

    def key_of(name: str) -> int | None:
        try:
            return apis.key(name)
        except KeyError:
            return None

    with as_fatal(CaptureError, what="--only: "):
        chosen = tuple(parse_selection(text, key_of) for text in texts)
    responses = [name.removesuffix("Request") + "Response" for name in apis.names]
    for each in chosen:
        if each.message not in ("", *responses):
            words = f"--only: Kafka {apis.release} has no response {each.message!r}"
            raise FatalError(words, did_you_mean(each.message, responses, "Name an answer: FetchResponse."))
    return chosen


def _options(options: Mapping[str, Any], apis: ApiCatalog) -> Any:
    known = list(_variations(apis))
    for name in options["without"]:
        if name not in known:
            advice = did_you_mean(name, known, "`wireproof judge --vary --list` has the ids.")
            raise FatalError(f"--without: {name!r} is not a variation", advice)
    return VaryOptions(
        selections_of(options["only"], apis),
        options["versions"] or "edges",
        options["vary"] == "errors",
        options["seed"] or 0,
        options["compares"],
        options["budget"],
        options["maxfail"],
        without=options["without"],
        limit_s=options["run_limit"],
        jobs=options["jobs"] or _JOBS,
    )


_REPLAYED: Final = {
    "seed": 0,
    "broker": "jars:newest",
    "release": None,
    "command-config": None,
    "nodes": None,
    "run-limit": None,
}
"""The options of a replay line, each with the value that the line leaves out."""


def _replay(program: tuple[str, ...], options: Mapping[str, Any]) -> str:
    """Return the command line that repeats a finding, with ``{only}`` for its selections."""
    words = ["wireproof", "judge", "--vary", "{only}"]
    if options["compares"]:
        words.append("--compare-output")
    words += replay_words(options, _REPLAYED)
    if not options["auto_topics"]:
        words.append("--no-auto-create-topics")
    quoted = [word if word == "{only}" else shlex.quote(word) for word in words]
    return f"{' '.join(quoted)} -- {shlex.join(program)}"


def _row(finding: VaryFinding, replay: str) -> VaryRow:
    site = finding.site
    variations = [each.variation for each in finding.selections]
    only = " ".join(f"--only {each}" for each in finding.selections)
    return VaryRow(
        " + ".join(map(str, finding.selections)),
        " ".join(each.sentence for each in variations),
        "; ".join(dict.fromkeys(each.source for each in variations)),
        " + ".join(each.id for each in variations),
        site.message if site else "",
        site.version if site else None,
        site.index if site else 0,
        finding.usual,
        finding.ended,
        site.before if site else b"",
        site.after if site else b"",
        site.pieces if site else (),
        finding.errors,
        replay.replace("{only}", only, 1),
        finding.narrowed,
    )
