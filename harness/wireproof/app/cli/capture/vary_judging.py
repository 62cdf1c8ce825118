"""``wireproof judge --vary``: a program against varied answers of a real broker."""

import contextlib
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from kafkawire.records import missing_libraries
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.capture.clusters import make_cluster, open_folder, wanted_broker, wanted_nodes
from wireproof.base.extras import install
from wireproof.base.fatal import FatalError, as_fatal
from wireproof.base.files import temporary_folder
from wireproof.base.text.foreign_text import json_text
from wireproof.base.text.output import document
from wireproof.base.version import own_version
from wireproof.kafka.releases import load_snapshot
from wireproof.proof.run import ExitCode
from wireproof.traffic.capture import CaptureError
from wireproof.verdict.report.client_judge.vary_report import (
    VaryReport,
    VaryRow,
    finding_lines,
    summary_lines,
    vary_json,
)

if TYPE_CHECKING:
    from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
    from wireproof.traffic.capture.varying.variation_choice import VariationChoice
    from wireproof.traffic.capture.varying.varied_program import VariedProgram
    from wireproof.traffic.capture.varying.vary_verdict import VaryFinding, VaryVerdict


def judge_varied(program: tuple[str, ...], options: Mapping[str, Any], console: Console) -> ExitCode:
    """Run the program without and with variations; print findings as they are made, and the summary.

    Raises:
        FatalError: an option is wrong, or something is missing.
        CannotWorkError: the broker or the capture failed.
    """
    from wireproof.traffic.capture.capture_session import run_capture
    from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
    from wireproof.traffic.capture.varying.program_runs import VaryingProxy
    from wireproof.traffic.capture.varying.varied_program import VariedProgram

    if missing := missing_libraries():
        packages = ", ".join(missing)
        raise FatalError(
            f"--vary compresses records; missing: {packages}", install("records"), ExitCode.MISSING
        )
    wanted = wanted_broker(options["broker"], options["release"], options["command_config"])
    store = open_store(options["jars"], options["offline"])
    apis = ApiCatalog(load_snapshot(wanted.release))
    chosen = _options(options, apis)
    with contextlib.ExitStack() as stack:
        output = options["output"] or stack.enter_context(temporary_folder("capture")) / "capture"
        folder = open_folder(output)
        nodes = wanted_nodes(options["nodes"], wanted)
        cluster = make_cluster(wanted, store, apis, nodes, folder, auto_topics=options["auto_topics"])
        about = {"tool": f"wireproof {own_version()}", "broker": options["broker"], "nodes": nodes}
        proxy = VaryingProxy(apis.naming)
        replay = _replay(program, options)

        def found(finding: "VaryFinding") -> None:
            for line in finding_lines(_row(finding, replay)):
                console.print(line, markup=False, highlight=False, soft_wrap=True)

        workload = VariedProgram(program, proxy, apis, chosen, _runs_folder(folder.path), found)
        began, interrupted = time.monotonic(), False
        try:
            run_capture(
                cluster,
                folder,
                [workload],
                about,
                apis.naming,
                lambda line: console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True),
                proxy.filter,
            )
        except KeyboardInterrupt:
            interrupted = True
        report = _report(workload, program, replay, time.monotonic() - began)
    report.exit_code = ExitCode.INTERRUPTED if interrupted else _exit_code(workload.verdict)
    for line in summary_lines(report):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if options["form"] == "json":
        document(json_text(vary_json(report), indent=1) + "\n")
    return report.exit_code


def selections_of(texts: tuple[str, ...], apis: "ApiCatalog") -> "tuple[VariationChoice, ...]":
    """Parse the values of `--only`; `FatalError` if one is not valid."""
    from wireproof.traffic.capture.varying.variation_choice import parse_selection

    def key_of(name: str) -> int | None:
        try:
            return apis.key(name)
        except KeyError:
            return None

    with as_fatal(CaptureError, exit_code=ExitCode.USAGE, what="--only: "):
        return tuple(parse_selection(text, key_of) for text in texts)


def _options(options: Mapping[str, Any], apis: "ApiCatalog") -> Any:
    from wireproof.traffic.capture.varying.varied_program import VaryOptions

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
    )


def _runs_folder(path: Path) -> Path:
    return path / "runs"


def _replay(program: tuple[str, ...], options: Mapping[str, Any]) -> str:
    """Return the command line that repeats a finding, with ``{only}`` for its selections."""
    words = ["wireproof", "judge", "--vary", "{only}"]
    if options["seed"]:
        words += ["--seed", str(options["seed"])]
    if options["compares"]:
        words.append("--compare-output")
    if options["broker"] != "jars:newest":
        words += ["--broker", options["broker"]]
    quoted = [word if word == "{only}" else shlex.quote(word) for word in words]
    return f"{' '.join(quoted)} -- {shlex.join(program)}"


def _row(finding: "VaryFinding", replay: str) -> VaryRow:
    site = finding.site
    variations = [each.variation for each in finding.selections]
    only = " ".join(f"--only {each}" for each in finding.selections)
    return VaryRow(
        " + ".join(map(str, finding.selections)),
        " ".join(each.sentence for each in variations),
        "; ".join(dict.fromkeys(each.source for each in variations)),
        f"{site.message} version {site.version}, answer {site.index}" if site else "",
        finding.usual,
        finding.ended,
        site.before if site else b"",
        site.after if site else b"",
        site.pieces if site else (),
        finding.errors,
        replay.replace("{only}", only, 1),
        finding.narrowed,
    )


def _report(workload: "VariedProgram", program: tuple[str, ...], replay: str, seconds: float) -> VaryReport:
    verdict = workload.verdict
    return VaryReport(
        program,
        verdict.fault,
        {name: str(outcome) for name, outcome in verdict.outcomes.items()},
        [_row(each, replay) for each in verdict.findings],
        dict(sorted(verdict.spoken.items())),
        verdict.runs,
        verdict.connections,
        verdict.usual_s,
        seconds,
        verdict.over_budget,
    )


def _exit_code(verdict: "VaryVerdict") -> ExitCode:
    if not verdict.connections and verdict.fault:
        return ExitCode.NOTHING_RAN
    if verdict.findings:
        return ExitCode.DIVERGENCE
    return ExitCode.BELOW_FLOOR if verdict.fault or verdict.over_budget else ExitCode.PROVEN
