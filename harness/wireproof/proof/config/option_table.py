"""The options of a run: the name of each, the values that it takes, and its sentence for the documentation.

The configuration file, the pytest marker, `RunConfig.of` and the reference page read this table. The
command line has the same names with dashes in place of underscores.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kafkawire.schema.model import VersionRange
from wireproof.model import Phase
from wireproof.proof.config.report_paths import REPORTS, ReportOption
from wireproof.proof.config.selection import ALL_PHASES, MutationSet

__all__ = ["CODEC_FORMS", "INSTALLED_CORPUS", "OPTIONS", "PHASE_NAMES", "Option"]

PHASE_NAMES: Final = tuple(phase.value for phase in ALL_PHASES if phase is not Phase.SHAPE)
"""The phases that can be named; the phase `shape` always runs."""

INSTALLED_CORPUS: Final = "installed"
"""The word for the corpus of the package wireproof-corpus, in place of a path."""

CODEC_FORMS: Final = ("compiled", "interpreted")
"""The two forms of our own codec, as ``--twin`` names them."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a run.

    Attributes:
        expects: the values that it takes, for error messages and documentation.
        read: turns a value from Python or TOML into the value of `RunConfig`; raises ValueError or TypeError.
        sentence: the effect of the option.
        several: the option may be given more than once on a command line.
        flag: the option has no value on a command line.
        path: the value names a file or folder; in a configuration file it is relative to that file's folder.
    """

    expects: str
    read: Callable[[Any], Any]
    sentence: str
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
    return tuple(VersionRange.parse(part.strip()) for part in words.split(","))


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
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError
        if value < least:
            raise ValueError
        return value

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
    return tuple(
        map(_folder, value if isinstance(value, Sequence) and not isinstance(value, str) else [value])
    )


def _number(least: int) -> tuple[str, Callable[[Any], int]]:
    return f"a whole number of {least} or more", _whole(least)


def _report_option(report: ReportOption) -> Option:
    if report.is_flag:
        return Option("true or false", _flag, report.sentence, flag=True)
    return Option("a file, or -", _file, report.sentence, path=True)


OPTIONS: Final[dict[str, Option]] = {
    "testee": Option("the name of a testee", _file, "The codec under test. Default: our own."),
    "twin": Option(
        f"a list of {' and '.join(CODEC_FORMS)}",
        _one_of(CODEC_FORMS),
        "The forms of our own codec to prove. Default: both.",
        several=True,
    ),
    "no_java": Option(
        f"a folder or file of a corpus, - or {INSTALLED_CORPUS}",
        _file,
        "Use the entries of this corpus in place of Kafka's classes.",
        path=True,
    ),
    "release": Option(
        "a list of releases", _texts, "The Kafka releases. Default: the newest one.", several=True
    ),
    "schemas": Option(
        "a folder",
        _folder,
        "Lay the message definitions of this folder over those of the release.",
        path=True,
    ),
    "schemas_jar": Option(
        "a list of files",
        _files,
        "Jars with the classes of these messages. Default: Kafka's generator makes them.",
        several=True,
        path=True,
    ),
    "module": Option("a list of modules", _texts, "Only these modules.", several=True),
    "message": Option("a list of messages", _texts, "Only these messages; * matches any text.", several=True),
    "message_version": Option(
        "version ranges such as 3, 2-5, 7+ or 1-2,8-10", _versions, "Only these versions of messages."
    ),
    "cell": Option(
        "a list of RELEASE/MESSAGE/VERSION",
        _texts,
        "Only cells that match a pattern, such as FetchRequest/12 or FetchRequest; * within a part, ** over "
        "parts.",
        several=True,
    ),
    "shard": Option("I/N with I from 1 to N", _shard, "Only the I-th of N parts of the cells."),
    "edges": Option(
        "true or false",
        _flag,
        "Of each message only the newest version with tag sections and the newest without.",
        flag=True,
    ),
    "phase": Option(
        f"a list of {', '.join(PHASE_NAMES)}",
        _one_of(PHASE_NAMES),
        "Only these phases. Default: all but bulk.",
        several=True,
    ),
    "mutations": Option(
        "slice or all",
        MutationSet,
        "How many mutations the phase mutations tries. Default: all where phase names it, else slice.",
    ),
    "examples": Option(*_number(1), "Random instances of a cell."),
    "cases": Option(*_number(1), "Seeded instances of a cell in the phase bulk."),
    "first_case": Option(*_number(0), "The number of the first seeded instance."),
    "seed": Option("a whole number", _any_whole, "The seed of all random choices."),
    "every_hang": Option(
        "true or false", _flag, "Try every field though the same fault hung the codec elsewhere.", flag=True
    ),
    "last_failed": Option(
        "true or false", _flag, "Only the cells that failed in the runs before; all if none did.", flag=True
    ),
    "maxfail": Option(*_number(1), "Stop after this many findings. Default: no limit."),
    "jobs": Option(*_number(0), "Worker processes; 0 for one per processor."),
    "budget": Option("a positive number of seconds", _positive, "Stop after this many seconds."),
    "shrink": Option(
        "a number of seconds, 0 or more", _seconds, "The time to make the failures of a cell smaller."
    ),
    "shrink_total": Option(
        "a number of seconds, 0 or more", _seconds, "The same for the whole run. Default: no limit."
    ),
    "ledger": Option(
        "a file, or none",
        _file,
        "The known deviations of the codec. Default: ledger.toml in the folder of the testee.",
        path=True,
    ),
    "events": Option("a file, or -", _file, "Write every event as a line of JSON.", path=True),
    **{each.name: _report_option(each) for each in REPORTS},
    "jars": Option("a folder", _folder, "A folder of jars to look into first.", path=True),
    "offline": Option("true or false", _flag, "Never use the network, and build no testee.", flag=True),
}
"""Every field of `RunConfig` by its name."""
