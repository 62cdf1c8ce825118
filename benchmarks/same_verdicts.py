"""Show that two versions of wireproof give the same verdicts: each runs, and their records are compared.

    python benchmarks/same_verdicts.py --before COMMIT [--after FOLDER] [--part NAME ...] [--full]

`--before` and `--after` are checkouts or commits; `--after` is this checkout unless it is given. Both run in
this interpreter, which needs the packages of the extras `oracle`, `java`, `records` and `pipeline`.

Prints for each part how many records were compared, the processor seconds of each side, and every difference.
Exits 1 if there is one; differences of wording are counted only.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from verdict_differences import Difference, compare_files, compare_records, normalised

HERE: Final = Path(__file__).resolve().parent
MESSAGES: Final = ("ListOffsets*", "Metadata*", "Fetch*", "ConsumerGroup*", "DescribeConfigs*")
TESTEE_MESSAGES: Final = ("Metadata*", "ApiVersions*", "CreateTopics*", "JoinGroup*")
TESTEES: Final = ("python-kafka-python:compiled", "go-franz-go-kmsg")

REPLACED: Final = {
    r"\b\d+\.\d+ s\b": "N s",  # a watchdog's measurement
    r"(@[\w.]+)-[0-9a-f]{12}/": r"\1-BUILD/",  # the folder of a testee's build
}
"""Regular expressions with replacements, for the texts of both sides."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A version of wireproof.

    Attributes:
        root: its folder, whose `codecs` and `harness` are imported.
        work: the folder for what it writes.
    """

    root: Path
    work: Path

    def run(self, program: Sequence[str], name: str) -> "Run":
        """Run a Python program, such as `-m wireproof run`, in a new folder of this name."""
        folder = self.work / name
        folder.mkdir(parents=True)
        paths = os.pathsep.join(str(self.root / below) for below in ("codecs", "harness"))
        before = _processor_seconds()
        with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
            ran = subprocess.run(
                [sys.executable, *program],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": paths},
                stdout=stdout,
                stderr=stderr,
                check=False,
            )
        return Run(folder, ran.returncode, _processor_seconds() - before)


@dataclass(frozen=True, slots=True)
class Run:
    """A program that ended, with the folder that has its output."""

    folder: Path
    exit_code: int
    seconds: float


@dataclass(slots=True)
class Recording:
    """The output of one version in one part.

    Attributes:
        records: what it recorded, its exit code among it.
        files: the bytes of files that are compared whole.
        seconds: processor seconds of the program and of all processes that it waited for.
    """

    records: list[Mapping[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    def of(cls, run: Run) -> "Recording":
        """Return a recording of an exit code."""
        return cls(records=[{"name": "exit code", "exitCode": run.exit_code}], seconds=run.seconds)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that both versions do."""

    name: str
    record: Callable[[Checkout], Recording]


def main() -> int:
    options = _options()
    with contextlib.ExitStack() as stack:
        work = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        before, after = (
            Checkout(stack.enter_context(checkout(text)).resolve(), work.resolve() / side)
            for side, text in (("before", options.before), ("after", options.after))
        )
        parts = _parts(options, after.root)
        unknown = set(options.part or ()) - {part.name for part in parts}
        if unknown:
            sys.exit(
                f"--part: not a part: {', '.join(sorted(unknown))}; use {', '.join(p.name for p in parts)}"
            )
        chosen = [part for part in parts if not options.part or part.name in options.part]
        unequal = sum(_compare(part, before, after, options.wording) for part in chosen)
    return 1 if unequal else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the verdicts of two versions of wireproof.")
    parser.add_argument("--before", required=True, help="a checkout or a commit")
    parser.add_argument("--after", default=str(HERE.parent), help="a checkout or a commit")
    parser.add_argument("--part", action="append", help="only this part; may be repeated")
    parser.add_argument("--message", action="append", help="messages of the part run; may be repeated")
    parser.add_argument("--testee-message", action="append", help="messages of the testees; may be repeated")
    parser.add_argument(
        "--full", action="store_true", help="all messages of the newest release, and of the testees"
    )
    parser.add_argument("--lines-shard", default="1/64", help="of the cells of all releases")
    parser.add_argument("--mutations-shard", default="1/64", help="of the cells, with every mutation")
    parser.add_argument("--keep", type=Path, help="a new folder for all output; by default it is removed")
    parser.add_argument("--wording", action="store_true", help="print the differences of wording, too")
    return parser.parse_args()


@contextlib.contextmanager
def checkout(text: str) -> Iterator[Path]:
    """Give the folder, or a worktree of the commit that is removed at the end."""
    if Path(text).is_dir():
        yield Path(text)
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = f"{folder}/{text}"
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", tree, text], check=True)
        try:
            yield Path(tree)
        finally:
            subprocess.run([*git, "remove", "--force", tree], check=True)


def _parts(options: argparse.Namespace, ledgers: Path) -> list[Part]:
    """Return the parts, the fast ones first. The ledgers of one checkout are used for both."""
    selected = [] if options.full else _each("--message", options.message or MESSAGES)
    asked = [] if options.full else _each("--message", options.testee_message or TESTEE_MESSAGES)
    parts = [
        Part("commands", _commands),
        Part("power", _power),
        Part("run", _events("run", *selected)),
        Part("lines", _events("lines", "--release", "all", "--shard", options.lines_shard)),
        Part("mutations", _events("mutations", "--phase", "mutations", "--shard", options.mutations_shard)),
        Part("pipeline", _pipeline),
    ]
    # One process: what hung one cell is skipped in later ones, so that their order has to be the same.
    asked += ["--jobs", "1", "--shrink", "0"]
    for testee in TESTEES:
        ledger = ledgers / "codecs" / "testees" / testee.partition(":")[0] / "ledger.toml"
        name = testee.replace(":", "-")
        for part, value in ((name, str(ledger)), (f"{name}-without-ledger", "none")):
            parts.append(Part(part, _events(part, "--testee", testee, "--ledger", value, *asked)))
    return parts


def _each(option: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _events(name: str, *options: str) -> Callable[[Checkout], Recording]:
    """Return a function that records the events of a run."""

    def record(checkout: Checkout) -> Recording:
        run = checkout.run(["-m", "wireproof", "run", "--events", "events.ndjson", *options], name)
        recording = Recording.of(run)
        recording.records += _lines(run.folder / "events.ndjson")
        return recording

    return record


def _commands(checkout: Checkout) -> Recording:
    """Record the commands of the wireproof of a checkout, which a process of its own imports."""
    run = checkout.run([str(HERE / "same_verdicts.py"), "--print-commands"], "commands")
    recording = Recording.of(run)
    recording.records += _lines(run.folder / "stdout")
    return recording


def _parameters(command: Any, path: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each parameter of a command, and for the command itself; then those below it.

    A record has names, type, default, and how often an option may be given; sentences are left out.
    """
    import click

    context = click.Context(command, info_name=path.rpartition(" ")[2])
    yield {"name": path}
    for parameter in command.get_params(context):
        yield _parameter(parameter, path)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _parameters(below, f"{path} {name}")


def _parameter(parameter: Any, path: str) -> dict[str, Any]:
    import click

    kind = parameter.type.to_info_dict()
    record = {
        "name": f"{path} {'/'.join([*parameter.opts, *parameter.secondary_opts])}",
        "type": {key: value for key, value in kind.items() if key not in {"param_type", "name"}},
        "metavar": parameter.metavar,
        "required": parameter.required,
        "nargs": parameter.nargs,
        "multiple": parameter.multiple,
        "envvar": parameter.envvar,
    }
    if isinstance(parameter, click.Option):
        default = None if callable(parameter.default) else parameter.default
        shown = parameter.show_default
        record |= {"default": repr(default), "shownDefault": repr(shown), "flag": parameter.is_flag}
        record |= {"hidden": parameter.hidden, "count": parameter.count}
    return record


def _print_commands() -> int:
    """Print every command of the wireproof on `PYTHONPATH` as lines of JSON."""
    import click

    from wireproof.app.cli import app

    (group,) = {value for value in vars(app).values() if isinstance(value, click.Group)}
    for record in _parameters(group, "wireproof"):
        print(json.dumps(record, sort_keys=True, default=repr))
    return 0


def _power(checkout: Checkout) -> Recording:
    run = checkout.run(["-m", "wireproof", "power", "--list"], "power")
    recording = Recording.of(run)
    for line in (run.folder / "stdout").read_text("utf-8").splitlines():
        group, name, text = line.split(maxsplit=2)
        recording.records.append({"name": f"{group} {name}", "help": text})
    return recording


def _pipeline(checkout: Checkout) -> Recording:
    """Record the tables, counts and corpus of a job on the captured sample."""
    import pyarrow.parquet

    sample = str(checkout.root / "corpus" / "sample")
    run = checkout.run(
        ["-m", "wireproof", "pipeline", "run", "--input", sample, "--output", "job"], "pipeline"
    )
    recording = Recording.of(run)
    job = run.folder / "job"
    about = json.loads((job / "job.json").read_text("utf-8"))
    recording.records.append({"name": "job.json", **about})
    for table in sorted((job / "tables").iterdir()):
        rows = pyarrow.parquet.read_table(table).to_pylist()
        recording.records += [{"event": table.name, **row} for row in rows]
    corpus = job / "corpus"
    files = (path for path in sorted(corpus.rglob("*")) if path.is_file())
    recording.files = {str(path.relative_to(corpus)): path.read_bytes() for path in files}
    return recording


def _lines(path: Path) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def _compare(part: Part, before: Checkout, after: Checkout, show_wording: bool) -> bool:
    """Run a part in both checkouts, print the result, and return true if a verdict differs."""
    left, right = part.record(before), part.record(after)
    if min(len(left.records), len(right.records)) == 1:
        print(f"{part.name}: nothing was recorded; see what the program printed, with --keep")
        return True
    texts = REPLACED | {
        re.escape(str(folder)): text
        for side in (before, after)
        for folder, text in ((side.work, "WORK"), (side.root, "CHECKOUT"))
    }
    old, new = ([normalised(row, texts) for row in side.records] for side in (left, right))
    found = compare_records(part.name, old, new) + compare_files(part.name, left.files, right.files)
    wording = [difference for difference in found if difference.is_wording]
    verdicts = [difference for difference in found if not difference.is_wording]
    print(
        f"{part.name:46}{len(old):8,} and {len(new):8,} records,"
        f"{len(left.files):4,} and {len(right.files):4,} files;"
        f"{left.seconds:8.1f} and {right.seconds:8.1f} s; {len(verdicts):,} differences,"
        f" {len(wording):,} of wording",
        flush=True,
    )
    _print(verdicts)
    if show_wording:
        _print(wording)
    return bool(verdicts)


def _print(differences: Sequence[Difference]) -> None:
    for difference in differences:
        print(f"  {difference}", flush=True)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(_print_commands() if "--print-commands" in sys.argv else main())
