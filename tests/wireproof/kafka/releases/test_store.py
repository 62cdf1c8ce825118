"""The jar store returns only the pinned bytes, in spite of faults of the cache, the network or the run."""

import errno
import os
import shutil
import signal
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.wireproof.kafka.releases.small_releases import (
    CLIENTS,
    CLIENTS_JAR,
    FILES,
    RELEASE,
    RELEASES,
    DyingFetcher,
    FakeFetcher,
    MeetingFetcher,
    fetch_clients,
    store,
)
from wireproof.base.files.own_folders import MARKER
from wireproof.kafka.releases.broker_classpath import FetchError
from wireproof.kafka.releases.jar_store import JarState, JarStore, cache_folder
from wireproof.kafka.releases.release_table import Jar, ReleaseError

SPAWN = get_context("spawn")


@pytest.fixture
def fetcher() -> FakeFetcher:
    return FakeFetcher(FILES)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def files_below(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_a_jar_is_fetched_once(cache: Path, fetcher: FakeFetcher) -> None:
    """The second run finds the jars of the first: the repository is asked once for each jar."""
    first = store(cache, fetcher).release_jars(RELEASE)
    second = store(cache, fetcher).release_jars(RELEASE)
    assert first == second
    assert fetcher.asked == ["clients-9.1.0.jar", "raft-9.1.0.jar"]
    assert first["clients"] == cache / "jars" / "clients-9.1.0.jar"
    assert first["clients"].read_bytes() == CLIENTS


def test_only_the_requested_jars_are_fetched(cache: Path, fetcher: FakeFetcher) -> None:
    """A run of one module fetches only that module's jar."""
    assert list(store(cache, fetcher).release_jars(RELEASE, ["raft"])) == ["raft"]
    assert fetcher.asked == ["raft-9.1.0.jar"]


def test_support_jars_and_tools_are_fetched(cache: Path, fetcher: FakeFetcher) -> None:
    """Support jars and tools are fetched like a release's jars."""
    jars = store(cache, fetcher)
    assert [path.name for path in jars.support_jars()] == ["logger-9.1.0.jar"]
    assert jars.tool_jar("ecj").name == "compiler-9.1.0.jar"
    with pytest.raises(ReleaseError, match="no tool 'javac'"):
        jars.tool_jar("javac")


def test_no_temporary_file_stays(cache: Path, fetcher: FakeFetcher) -> None:
    """After a fetch the cache has the jar and no temporary file."""
    store(cache, fetcher).jar(CLIENTS_JAR)
    assert files_below(cache) == {"clients-9.1.0.jar"}
    assert [each.name for each in cache.iterdir()] == ["jars"]


def test_progress_ends_with_the_size(cache: Path, fetcher: FakeFetcher) -> None:
    """Progress goes from zero to the whole jar; a cached jar reports none."""
    seen: list[tuple[str, int]] = []

    def note(jar: Jar, there_bytes: int) -> None:
        seen.append((jar.file_name, there_bytes))

    for _ in range(2):
        JarStore(cache, fetcher=fetcher, releases=RELEASES, progress=note).jar(CLIENTS_JAR)
    assert seen == [("clients-9.1.0.jar", 0), ("clients-9.1.0.jar", len(CLIENTS))]


@pytest.mark.parametrize("damage", [b"", CLIENTS[:-1], CLIENTS + b"x", b"x" + CLIENTS[1:]])
def test_damaged_cache_is_fetched_again(cache: Path, fetcher: FakeFetcher, damage: bytes) -> None:
    """An empty, cut, longer or changed jar in the cache is never used, but replaced."""
    path = store(cache, fetcher).jar(CLIENTS_JAR)
    path.write_bytes(damage)
    assert store(cache, fetcher).jar(CLIENTS_JAR).read_bytes() == CLIENTS
    assert len(fetcher.asked) == 2


def test_damaged_cache_offline(cache: Path, fetcher: FakeFetcher) -> None:
    """Offline, a damaged jar is an error that names the file, the damage and the next step."""
    path = store(cache, fetcher).jar(CLIENTS_JAR)
    path.write_bytes(b"x" + CLIENTS[1:])
    with pytest.raises(ReleaseError, match="is damaged") as caught:
        store(cache, fetcher, offline=True).jar(CLIENTS_JAR)
    assert str(path) in caught.value.message
    assert CLIENTS_JAR.sha256 in caught.value.message
    assert "without --offline" in caught.value.advice


def test_offline_uses_the_cache(cache: Path, fetcher: FakeFetcher) -> None:
    """Offline, fetched jars are used, and the repository is not asked."""
    online = store(cache, fetcher).release_jars(RELEASE)
    fetcher.asked.clear()
    assert store(cache, fetcher, offline=True).release_jars(RELEASE) == online
    assert fetcher.asked == []


def test_offline_without_the_jar_is_an_error(cache: Path, fetcher: FakeFetcher) -> None:
    """Offline with an empty cache, the error names the jar; nothing is fetched, and no folder is made."""
    with pytest.raises(ReleaseError, match=r"clients-9\.1\.0\.jar is not in the cache, and --offline"):
        store(cache, fetcher, offline=True).release_jars(RELEASE)
    assert fetcher.asked == []
    assert not cache.exists()


def test_a_failed_network_is_an_error(cache: Path, fetcher: FakeFetcher) -> None:
    """The error names the jar and the reason, and the advice names the alternative."""
    fetcher.failure = FetchError("the network failed: no route to host")
    with pytest.raises(ReleaseError, match=r"org\.example:clients:9\.1\.0 .* no route to host") as caught:
        store(cache, fetcher).jar(CLIENTS_JAR)
    assert "--jars" in caught.value.advice
    assert files_below(cache) == set()


def test_a_jar_that_is_not_found_is_an_error(cache: Path, fetcher: FakeFetcher) -> None:
    """A jar that the repository does not have is another error than a failed network."""
    del fetcher.files["clients-9.1.0.jar"]
    with pytest.raises(ReleaseError, match="the repository does not give it") as caught:
        store(cache, fetcher).jar(CLIENTS_JAR)
    assert "still published" in caught.value.advice


@pytest.mark.parametrize("served", [CLIENTS[:100], b"x" + CLIENTS[1:], b"<html>login</html>"])
def test_a_wrong_file_from_the_repository_is_an_error(
    cache: Path, fetcher: FakeFetcher, served: bytes
) -> None:
    """A download that is cut or is another file is not stored in the cache."""
    fetcher.files["clients-9.1.0.jar"] = served
    with pytest.raises(ReleaseError, match="what came is not the pinned file"):
        store(cache, fetcher).jar(CLIENTS_JAR)
    assert files_below(cache) == set()


def test_a_full_disk_is_an_error(cache: Path, fetcher: FakeFetcher) -> None:
    """An error of the disk is not reported as one of the network."""
    fetcher.failure = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(ReleaseError, match=r"cannot be put into .* No space left") as caught:
        store(cache, fetcher).jar(CLIENTS_JAR)
    assert "WIREPROOF_CACHE" in caught.value.advice


def test_interrupt_leaves_nothing(cache: Path, fetcher: FakeFetcher) -> None:
    """Ctrl-C during a download is passed on, and the half jar is removed."""
    fetcher.failure = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        store(cache, fetcher).jar(CLIENTS_JAR)
    assert files_below(cache) == set()


def test_a_cache_that_cannot_be_made_is_an_error(tmp_path: Path, fetcher: FakeFetcher) -> None:
    """The error says how to choose another cache folder."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ReleaseError, match="cannot be put into") as caught:
        store(tmp_path / "file" / "cache", fetcher).jar(CLIENTS_JAR)
    assert "WIREPROOF_CACHE" in caught.value.advice


def test_a_read_only_cache_is_used(
    cache: Path, fetcher: FakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only cache supplies its jars; other jars give a clear error."""
    held = store(cache, fetcher).jar(CLIENTS_JAR)

    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr("os.mkdir", refuse)
    assert store(cache, fetcher).jar(CLIENTS_JAR) == held
    with pytest.raises(ReleaseError, match="Read-only file system"):
        store(cache, fetcher).release_jars(RELEASE)


def test_an_unreadable_jar_is_an_error(
    cache: Path, fetcher: FakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cached jar that cannot be opened is an error that names it."""
    path = store(cache, fetcher).jar(CLIENTS_JAR)

    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReleaseError, match="Permission denied") as caught:
        store(cache, fetcher).jar(CLIENTS_JAR)
    assert str(path) in caught.value.message


@pytest.mark.parametrize("layout", ["flat", "maven"])
def test_a_jars_folder_is_used(cache: Path, tmp_path: Path, fetcher: FakeFetcher, layout: str) -> None:
    """`--jars` accepts a flat folder and a Maven repository; the cache is not used."""
    given = tmp_path / "given"
    path = given / (CLIENTS_JAR.file_name if layout == "flat" else CLIENTS_JAR.maven_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(CLIENTS)
    assert store(cache, fetcher, given, offline=True).jar(CLIENTS_JAR) == path
    assert not cache.exists()


def test_a_jars_folder_with_another_file_is_an_error(
    cache: Path, tmp_path: Path, fetcher: FakeFetcher
) -> None:
    """A file of that name with other content is refused by name: it is neither used nor replaced."""
    (tmp_path / CLIENTS_JAR.file_name).write_bytes(b"x" + CLIENTS[1:])
    with pytest.raises(ReleaseError, match="its SHA-256 is") as caught:
        store(cache, fetcher, tmp_path).jar(CLIENTS_JAR)
    assert str(tmp_path / CLIENTS_JAR.file_name) in caught.value.message
    assert fetcher.asked == []


def test_a_jar_that_the_jars_folder_lacks_is_fetched(
    cache: Path, tmp_path: Path, fetcher: FakeFetcher
) -> None:
    """Missing jars come from the cache or the repository; offline the error names both places."""
    with pytest.raises(
        ReleaseError, match=f"not in the cache, and {tmp_path} does not have it, and --offline"
    ):
        store(cache, fetcher, tmp_path, offline=True).jar(CLIENTS_JAR)
    assert store(cache, fetcher, tmp_path).jar(CLIENTS_JAR).parent == cache / "jars"


def test_a_missing_jars_folder_is_an_error(cache: Path, tmp_path: Path, fetcher: FakeFetcher) -> None:
    """A `--jars` that is not a folder is refused immediately."""
    with pytest.raises(ReleaseError, match="--jars: there is no folder"):
        store(cache, fetcher, tmp_path / "nowhere")


def test_the_status_fetches_nothing(cache: Path, fetcher: FakeFetcher) -> None:
    """The status of each jar is ready, wrong or missing; nothing is fetched."""
    store(cache, fetcher).release_jars(RELEASE)
    (cache / "jars" / "raft-9.1.0.jar").write_bytes(b"short")
    fetcher.asked.clear()
    found = store(cache, fetcher).status(RELEASE)
    assert [(entry.module, entry.jar.artifact, entry.state) for entry in found] == [
        ("clients", "clients", JarState.READY),
        ("raft", "raft", JarState.WRONG),
        ("", "logger", JarState.MISSING),
        ("", "compiler", JarState.MISSING),
    ]
    assert found[1].detail.startswith("it has 5 bytes")
    assert fetcher.asked == []


def test_a_killed_fetch_leaves_no_jar(cache: Path, fetcher: FakeFetcher) -> None:
    """A temporary file of a killed fetch is never used as a jar, and the next run works."""
    process = SPAWN.Process(target=fetch_clients, args=(cache, DyingFetcher(FILES)))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert files_below(cache) == {"clients-9.1.0.jar", MARKER}
    assert store(cache, fetcher).status(RELEASE)[0].state is JarState.MISSING
    assert store(cache, fetcher).jar(CLIENTS_JAR).read_bytes() == CLIENTS
    assert [each.name for each in cache.iterdir()] == ["jars"], "the next fetch removes the folder"


@pytest.mark.parametrize("linked", [True, False])
def test_a_fetch_leaves_all_that_others_put_into_the_cache(
    tmp_path: Path, fetcher: FakeFetcher, linked: bool
) -> None:
    """Old folders of the user stay: in the cache, at the end of a link in it, in a cache with spaces."""
    cache = tmp_path / "a cache, with spaces"
    cache.mkdir()
    outside = tmp_path / "t" if linked else cache / "arriving"
    for name in ("old", ".wireproof-fetch-0123456789abcdef"):
        (outside / name).mkdir(parents=True)
        (outside / name / "file").write_text("the user's")
        os.utime(outside / name, (0, 0))
    if linked:
        (cache / "arriving").symlink_to(outside)
        (cache / ".wireproof-fetch-0123456789abcdef").symlink_to(outside / "old")
    store(cache, fetcher).jar(CLIENTS_JAR)
    assert files_below(outside) == {"file"}
    assert len(list(outside.iterdir())) == 2


def test_two_fetches_at_once_both_get_the_jar(cache: Path) -> None:
    """Two processes that download the same jar at the same time both get it whole."""
    meeting = SPAWN.Barrier(2)
    both = [SPAWN.Process(target=fetch_clients, args=(cache, MeetingFetcher(meeting))) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert files_below(cache) == {"clients-9.1.0.jar"}


def test_a_jar_in_use_is_not_replaced(
    cache: Path, fetcher: FakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system refuses to replace an open file, a whole jar of another run is used."""

    def race(source: Path, target: Path) -> Path:
        shutil.copy(source, target)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("os.replace", race)
    assert store(cache, fetcher).jar(CLIENTS_JAR).read_bytes() == CLIENTS


def test_the_cache_folder_is_chosen_by_environment_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The project's own variable wins, then XDG's if it is absolute, then the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WIREPROOF_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.setenv("WIREPROOF_CACHE", "")
    assert cache_folder() == tmp_path / "xdg" / "wireproof"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / ".cache" / "wireproof"
    monkeypatch.setenv("WIREPROOF_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "mine"


def test_a_folder_of_jars_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path, fetcher: FakeFetcher
) -> None:
    """Its jars are used before those of the cache, are checked, and --jars wins over it."""
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / CLIENTS_JAR.file_name).write_bytes(CLIENTS)
    monkeypatch.setenv("WIREPROOF_JARS", str(folder))
    assert store(cache, fetcher).jar(CLIENTS_JAR) == folder / CLIENTS_JAR.file_name
    assert (fetcher.asked, cache.exists()) == ([], False)
    (folder / CLIENTS_JAR.file_name).write_bytes(b"another")
    with pytest.raises(ReleaseError, match=r"is not org\.example:clients:9") as caught:
        store(cache, fetcher).jar(CLIENTS_JAR)
    assert "WIREPROOF_JARS" in caught.value.advice
    assert store(cache, fetcher, jars_dir=tmp_path).jar(CLIENTS_JAR).parent == cache / "jars"


def test_a_folder_of_jars_from_the_environment_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path, fetcher: FakeFetcher
) -> None:
    """The error names the variable; an empty one is none."""
    monkeypatch.setenv("WIREPROOF_JARS", str(tmp_path / "nowhere"))
    with pytest.raises(ReleaseError, match="WIREPROOF_JARS: there is no folder"):
        store(cache, fetcher)
    monkeypatch.setenv("WIREPROOF_JARS", "")
    assert store(cache, fetcher).jar(CLIENTS_JAR).parent == cache / "jars"


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o702])
def test_a_cache_that_every_user_can_write_to_is_refused(
    cache: Path, fetcher: FakeFetcher, mode: int
) -> None:
    """Other users could put programs there; the error says what to do. The own cache below such a folder is
    taken, and one that does not exist yet."""
    cache.mkdir()
    cache.chmod(mode)
    with pytest.raises(
        ReleaseError, match=f"every user can write to it .mode {mode:o}.(?s:.*)WIREPROOF_CACHE"
    ):
        store(cache, fetcher)
    store(cache / "own", fetcher).jar(CLIENTS_JAR)
    store(cache / "own", fetcher)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_cache_that_another_user_made_in_a_shared_folder_is_refused(
    tmp_path: Path, fetcher: FakeFetcher
) -> None:
    """The other user waited there for the cache; a folder that was given on purpose is elsewhere."""
    for name, mode in (("shared", 0o1777), ("given", 0o755)):
        (tmp_path / name / "cache").mkdir(parents=True)
        (tmp_path / name).chmod(mode)
        os.chown(tmp_path / name / "cache", 0x40000001, 0x40000001)
    with pytest.raises(ReleaseError, match="user 1073741825 made it"):
        store(tmp_path / "shared" / "cache", fetcher)
    store(tmp_path / "given" / "cache", fetcher)
