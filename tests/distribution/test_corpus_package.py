"""The corpus as a package of its own: equal bytes, its files, and a run of wireproof with it."""

import json
from pathlib import Path

from tests.distribution.builds import Distributions
from tests.distribution.project_files import ROOT, corpus_sdist_files, corpus_wheel_files
from tests.distribution.pythons import create_environment, find_pythons
from tests.distribution.test_builds import run_tool

VERSION = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["version"]


def test_two_builds_are_equal(built_corpus: Distributions, rebuilt_corpus: Distributions):
    """The names have the version of the manifest."""
    assert built_corpus.digests() == rebuilt_corpus.digests()
    assert sorted(built_corpus.digests()) == [
        f"wireproof_corpus-{VERSION}-py3-none-any.whl",
        f"wireproof_corpus-{VERSION}.tar.gz",
    ]


def test_the_files_are_those_of_the_corpus(built_corpus: Distributions):
    """Entries and documents, without the captured sample and Kafka's schemas."""
    assert built_corpus.wheel_names() == corpus_wheel_files()
    assert built_corpus.sdist_names() == corpus_sdist_files()


def test_the_tools_of_the_index_accept_it(built_corpus: Distributions):
    """FORMAT.md is its description."""
    run_tool("twine", "check", "--strict", str(built_corpus.wheel), str(built_corpus.sdist))
    run_tool(
        "check_wheel_contents", "--config", str(ROOT / "corpus" / "pyproject.toml"), str(built_corpus.wheel)
    )


def test_a_run_without_java_uses_it(built: Distributions, built_corpus: Distributions, tmp_path: Path):
    """With no path to name: first without the package, then with it, and its version is the recorded one."""
    alone = create_environment(find_pythons()[0], tmp_path / "alone" / "env", str(built.wheel))
    run = ("wireproof", "run", "--no-java", "--message", "ApiVersionsRequest")
    missing = alone.run(*run)
    both = create_environment(
        find_pythons()[-1], tmp_path / "both" / "env", str(built.wheel), str(built_corpus.sdist)
    )
    proven = both.run(*run)
    folder = both.run(
        "python", "-c", "import wireproof_corpus; print(wireproof_corpus.FOLDER)"
    ).stdout.strip()
    version = both.run("wireproof", "corpus", "version", folder)

    assert (missing.returncode, "wireproof-corpus is not installed" in missing.stderr) == (4, True)
    assert (proven.returncode, "0 findings" in proven.stderr) == (0, True), proven.stderr
    assert (version.returncode, version.stdout.split(":")[0]) == (0, VERSION), version.stderr
