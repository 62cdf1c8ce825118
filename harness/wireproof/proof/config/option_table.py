"""The options of a run: the name of each, the values that it takes, and its sentence.

The command line, the configuration file, the pytest marker, `RunConfig.of` and the reference pages read this
table. The command line has the same names with dashes in place of underscores.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kafkawire.schema.model import VersionRange
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.proof.config.report_paths import REPORTS, ReportOption
from wireproof.proof.config.selection import ALL_PHASES, MutationSet

PHASE_NAMES: Final = tuple(phase.value for phase in ALL_PHASES if phase is not Phase.SHAPE)
"""The phases that can be named; the phase `shape` always runs."""

INSTALLED_CORPUS: Final = "installed"
"""The word for the corpus of the package wireproof-corpus, in place of a path."""

NATIVE_FORM: Final = "native"
CODEC_FORMS: Final = (NATIVE_FORM, "compiled", "interpreted")
"""The forms of our own codec, as ``--twin`` names them, the fastest first. The first one is optional."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a run.

    Attributes:
        expects: the values that it takes, for error messages and documentation.
        read: turns a value from Python or TOML into the value of `RunConfig`; raises ValueError or TypeError.
        metavar: the value in the help of a command; empty where `choices` are shown.
        kind: the type of the value that the text of a command line stands for.
        choices: the words that it takes; empty where it takes others.
        several: the option may be given more than once on a command line.
        flag: the option has no value on a command line.
        path: the value names a file or folder; in a configuration file it is relative to that file's folder.
    """

    expects: str
    read: Callable[[Any], Any]
    sentence: str
    metavar: str = ""
    kind: type[str] | type[int] | type[float] = str
    choices: tuple[str, ...] = ()
    several: bool = False
    flag: bool = False
    path: bool = False


def _text(value: Any) -> str:
    if isinstance(value, str | Path):
        return str(value)
    raise TypeError


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, value if isinstance(value, Sequence) and not isinstance(value, str) else [value]))


def _one_of(names: Sequence[str]) -> Callable[[Any], tuple[str, ...]]:
    def read(value: Any) -> tuple[str, ...]:
        texts = _texts(value)
        if not set(texts) <= set(names):
            raise ValueError
        return texts

    return read


def _versions(value: Any) -> tuple[VersionRange, ...]:
    if isinstance(value, tuple) and all(isinstance(each, VersionRange) for each in value):
        return value
    words = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)
    ranges = tuple(VersionRange.parse(part.strip()) for part in words.split(","))
    if any(each.empty for each in ranges):
        raise ValueError
    return ranges


def _shard(value: Any) -> tuple[int, int]:
    if isinstance(value, str):
        match = re.fullmatch(r"(\d+)/(\d+)", value)
        value = (int(match[1]), int(match[2])) if match else ()
    index, count = map(_whole(1), value)
    if index > count:
        raise ValueError
    return index, count


def _whole(least: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if _any_whole(value) < least:
            raise ValueError
        return _any_whole(value)

    return read


def _any_whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    if not value >= 0:
        raise ValueError
    return float(value)


def _positive(value: Any) -> float:
    if not _seconds(value):
        raise ValueError
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _file(value: Any) -> str:
    text = _text(value)
    if not text:
        raise ValueError
    return text


def _folder(value: Any) -> Path:
    return Path(_file(value))


def _files(value: Any) -> tuple[Path, ...]:
    return tuple(map(_folder, _texts(value)))


def _number(least: int, sentence: str) -> Option:
    return Option(f"a whole number of {least} or more", _whole(least), sentence, "NUMBER", int)


def _time(sentence: str) -> Option:
    return Option("a number of seconds, 0 or more", _seconds, sentence, "SECONDS", float)


def _true(sentence: str) -> Option:
    return Option("true or false", _flag, sentence, flag=True)


def _list(what: str, metavar: str, sentence: str) -> Option:
    return Option(f"a list of {what}", _texts, sentence, metavar, several=True)


def _words(choices: Sequence[str], sentence: str) -> Option:
    expects = f"a list of {', '.join(choices)}"
    return Option(expects, _one_of(choices), sentence, choices=tuple(choices), several=True)


def _report_option(report: ReportOption) -> Option:
    if report.is_flag:
        return _true(report.sentence)
    return Option("a file, or -", _file, report.sentence, "FILE", path=True)


OPTIONS: Final[dict[str, Option]] = {
    "testee": Option(
        "the name of a testee",
        _file,
        "Test this codec instead of our own. NAME[:VARIANT][@VERSION]: a testee that comes with wireproof. "
        "A path: a folder with a testee.toml, or a program that speaks the testee protocol. "
        "container:IMAGE: an image of such a program. python:MODULE:OBJECT: an object of the Python kit, "
        "in this process.",
        "NAME",
    ),
    "twin": _words(
        CODEC_FORMS,
        "Prove only this form of our codec. Default: all that are installed. Random phases ask the first.",
    ),
    "no_java": Option(
        f"a folder or file of a corpus, - or {INSTALLED_CORPUS}",
        _file,
        "Use a corpus (`wireproof corpus make`) instead of Java: a folder, a file, - for standard input, or "
        f"{INSTALLED_CORPUS} for the package wireproof-corpus, which is the default. The report lists the "
        "parts of the proof that a corpus does not cover.",
        "[PATH]",
        path=True,
    ),
    "release": _list(
        "releases",
        "RELEASE",
        "Use this Kafka release: 4.4.0, 4.4 for its pinned patch, newest (the default) or all.",
    ),
    "schemas": Option(
        "a folder",
        _folder,
        "Take a fork: lay the message definitions of this folder over those of the release. Its cells are "
        "RELEASE+NAME/MESSAGE/VERSION; NAME is the folder's.",
        "DIR",
        path=True,
    ),
    "schemas_jar": Option(
        "a list of files",
        _files,
        "Take the classes of these messages from this jar of the fork. Default: Kafka's generator makes them "
        "of the definitions.",
        "FILE",
        several=True,
        path=True,
    ),
    "module": _list("modules", "NAME", "Select only this module, such as clients."),
    "message": _list("messages", "NAME", "Select only this message; * matches any text."),
    "message_version": Option(
        "version ranges such as 3, 2-5, 7+ or 1-2,8-10",
        _versions,
        "Select only these versions of messages: 3, 2-5, 7+ or a list such as 1-2,8-10.",
        "RANGES",
    ),
    "cell": _list(
        "RELEASE/MESSAGE/VERSION",
        "PATTERN",
        "Select only cells that match, such as FetchRequest/12, FetchRequest or 4.4.0/Fetch*/*; * matches "
        "in a part, ** across parts.",
    ),
    "shard": Option(
        "I/N with I from 1 to N, such as 2/4",
        _shard,
        "Select the I-th of N parts of the cells. New cells do not move other cells to another part.",
        "I/N",
    ),
    "edges": _true(
        "Select two versions of each message: the newest with tagged fields and the newest without. These "
        "are half of the cells, and have nearly all fields in both forms."
    ),
    "phase": _words(
        PHASE_NAMES,
        "Run only this phase. A run always compares the layout with Kafka's class. Default: all phases "
        "except bulk, and a slice of mutations.",
    ),
    "mutations": Option(
        "slice or all",
        MutationSet,
        "Set the number of mutations of each cell's bytes in the phase mutations. slice: each operator "
        "once at each kind of place. Default: all if the phase is named, otherwise slice.",
        choices=tuple(each.value for each in MutationSet),
    ),
    "examples": _number(1, "Set the number of random instances per cell."),
    "cases": _number(1, "Set the number of seeded instances per cell in the phase bulk."),
    "first_case": _number(0, "Start the phase bulk at this instance, to continue an earlier run."),
    "seed": Option(
        "a whole number",
        _any_whole,
        "Seed all random choices: the same seed gives the same cases.",
        "NUMBER",
        int,
    ),
    "every_hang": _true(
        "Try malformed bytes at every field, even after the same fault hung the codec elsewhere. This is "
        "slow. By default a run reports one hang for each kind of fault, and spends a minute on hangs. "
        "With this option `wireproof ledger accept` records every place."
    ),
    "last_failed": _true(
        "Prove only the selected cells that failed in the runs before, and all of them if none did. The "
        "record is .wireproof/last-failed.json; a cell that agrees leaves it."
    ),
    "cause": Option(
        "the id of a cause",
        _text,
        "Try one cause again, after a fix: prove only the cells and the phases in which it showed. The id is "
        "in the ledger, or in the report of the last run. All other known failures stay excused.",
        "ID",
    ),
    "cause_from": Option(
        "an event file",
        _folder,
        "Take the cause from the events of this run. Default: the ledger, and .wireproof/last-causes.ndjson, "
        "which each run with a cause writes.",
        "FILE",
        path=True,
    ),
    "maxfail": _number(1, "Stop after so many findings. Default: no limit."),
    "jobs": _number(0, "Run so many processes in parallel. 0, the default: one per processor."),
    "budget": Option(
        "a positive number of seconds",
        _positive,
        "Stop after so many seconds. The cells that were judged count. "
        f"Exit code {ExitCode.BELOW_FLOOR:d} if cells are left.",
        "SECONDS",
        float,
    ),
    "shrink": _time("Spend at most so many seconds per cell on shrinking its failures."),
    "shrink_total": _time(
        "Spend at most so many seconds of the whole run on shrinking; each process has an equal part. "
        "Default: no limit."
    ),
    "ledger": Option(
        "a file, or none",
        _file,
        "Use this ledger of known deviations: failures that it explains are counted, and do not fail the "
        f"run. Exit code {ExitCode.LEDGER:d} if an entry is wrong or outdated: the report prints the "
        "command that repairs it. Default: ledger.toml in the folder of the testee. none: no ledger.",
        "FILE",
        path=True,
    ),
    "events": Option(
        "a file, or -", _file, "Write every event as a line of JSON; - is standard output.", "FILE", path=True
    ),
    **{each.name: _report_option(each) for each in REPORTS},
    "jars": Option(
        "a folder",
        _folder,
        "Look for jars in this folder first. It is flat, or has the layout of a Maven repository.",
        "DIR",
        path=True,
    ),
    "offline": _true(
        "Do not use the network: take files from the cache or from --jars, and build no testee."
    ),
}
"""Every field of `RunConfig` by its name."""
