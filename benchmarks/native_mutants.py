"""Plant bugs of one line in the source of the native codec; the laws of `tests/native` must kill each.

    python benchmarks/native_mutants.py [--mutants 40] [--seed 1]

A mutant is a copy of `codecs/native` with one line changed by an operator of `OPERATORS`. It is killed if a
test fails, or if the module ends the process of the tests or hangs it. One that does not compile is replaced
by the next. Ends with 1 if any lives. Needs cargo, and the packages of the tests.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "codecs/native"
TESTS = [f"tests/native/test_native_{name}.py" for name in ("limits", "records", "codec", "laws")]
FILES = (
    "decode.rs",
    "encode.rs",
    "output.rs",
    "wire.rs",
    "table.rs",
    "canonical.rs",
    "records.rs",
    "pause.rs",
)
ONLY_SPEED = ("PRESIZED", "UNGROWN", "self.left")
"""Constants that change how long a call takes, and no result: mutants of their lines cannot be killed."""
NOT_RUN = "random_instances"
"""A test that takes as long as all others together."""
TEST_S = 900

OPERATORS = (
    (r" == ", " != "),
    (r" != ", " == "),
    (r" > ", " >= "),
    (r" <= ", " < "),
    (r" < ", " <= "),
    (r" \+ 1\b", ""),
    (r" - 1\b", ""),
    (r" \+= ", " = "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r"!(?=layout|tags)", ""),
    (r"0xFF\b", "0xFE"),
    (r"0x7F\b", "0x3F"),
    (r"0x80\b", "0x40"),
    (r"\b32767\b", "32766"),
    (r"\bi16::", "u16::"),
    (r"\bi8::", "u8::"),
    (r"\bi32::(?!try_from)", "u32::"),  # only a length of 2 GiB shows a difference
    (r"\bi64::from_be_bytes", "i64::from_le_bytes"),
    (r"to_be_bytes", "to_le_bytes"),
    (r"\[7, 14, 21, 28\]", "[7, 14, 21]"),
    (r"<< 31", "<< 30"),
    (r" - 2;", " - 3;"),
    (r"field\.compact", "!field.compact"),
    (r"field\.nullable", "true"),
    (r"Some\(tag\)", "None"),
)
"""The text of a line, and its replacement."""


class Mutant(NamedTuple):
    file: str
    line: int
    before: str
    after: str


def mutants() -> Iterator[Mutant]:
    """Every line that an operator changes, once for each operator; no comments and no attributes."""
    for name in FILES:
        for number, line in enumerate((SOURCE / "src" / name).read_text().splitlines()):
            if line.lstrip().startswith(("//", "#", "use ")) or any(name in line for name in ONLY_SPEED):
                continue
            for found, instead in OPERATORS:
                changed = re.sub(found, instead, line, count=1)
                if changed != line:
                    yield Mutant(name, number, line, changed)


def build(mutant: Mutant, work: Path) -> bool:
    """Build a mutant into `work/site`; False if it does not compile."""
    shutil.rmtree(work / "source", ignore_errors=True)
    shutil.copytree(SOURCE, work / "source")
    path = work / "source/src" / mutant.file
    lines = path.read_text().splitlines()
    lines[mutant.line] = mutant.after
    path.write_text("\n".join(lines) + "\n")
    fast = {"LTO": "off", "OPT_LEVEL": "1", "CODEGEN_UNITS": "16", "INCREMENTAL": "true"}
    environment = {**os.environ, **{f"CARGO_PROFILE_RELEASE_{key}": value for key, value in fast.items()}}
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--target-dir", str(work / "target")]
    environment["PYO3_PYTHON"] = sys.executable
    if subprocess.run(
        command, cwd=work / "source", env=environment, capture_output=True, check=False
    ).returncode:
        return False
    (work / "site").mkdir(exist_ok=True)
    built = work / "target/release/libkafkawire_native.so"
    shutil.copyfile(built, work / "site/kafkawire_native.abi3.so")
    return True


def killer(work: Path) -> str:
    """Run the tests until the first that fails; return its name, or how they ended; empty if all pass."""
    path = os.pathsep.join([str(work / "site"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-k", f"not {NOT_RUN}", *TESTS]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path, "WIREPROOF_NATIVE": "1"},
            capture_output=True,
            text=True,
            timeout=TEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {TEST_S} s"
    if not done.returncode:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) \S+?::(\S+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else f"exit code {done.returncode}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    every = list(mutants())
    random.Random(options.seed).shuffle(every)
    tried = lived = 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if not build(every[0]._replace(after=every[0].before), work) or killer(work):
            raise SystemExit("the tests fail with the native codec as it is")
        for mutant in every:
            if tried == options.mutants:
                break
            if not build(mutant, work):
                continue
            started, by = time.monotonic(), killer(work)
            tried, lived = tried + 1, lived + (not by)
            verdict = f"killed by {by}" if by else "LIVES"
            place = f"{mutant.file}:{mutant.line + 1}"
            sys.stdout.write(f"{verdict} {time.monotonic() - started:.0f} s {place} {mutant.after.strip()}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{tried} mutants of {len(every)} places, {tried - lived} killed, {lived} live\n")
    return 1 if lived else 0


if __name__ == "__main__":
    raise SystemExit(main())
