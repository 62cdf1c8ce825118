"""A standalone cluster of Spark on this machine: a master and workers, each a process of its own.

They are started from pyspark's own classes, listen on the loopback alone, and are ended by their process.
"""

import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue

from wireproof.pipeline.runtime.artifacts import spark_home
from wireproof.pipeline.runtime.spark_session import find_java
from wireproof.traffic.capture.brokers.processes.node_process import die_with_parent_command

HOST = "127.0.0.1"
PATIENCE_S = 120
SHORT_LIVED_JVMS = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}
"""Their environment, where they live too short for Java's second compiler; executors have it of workers."""
_LISTENING = ("--host", HOST, "--port", "0", "--webui-port", "0")
_MASTER_IS_UP = re.compile(r"Starting Spark master at (spark://\S+)")
_ELECTED = re.compile(r"I have been elected leader")
_WORKER_IS_UP = re.compile(r"Successfully registered with master")


class ClusterProcess:
    """A master or a worker. What it says goes to a file, and is looked at until it is up.

    Args:
        words: a class below ``org.apache.spark.deploy`` and its arguments.
        environ: beside what Spark needs.
    """

    def __init__(self, words: Sequence[str], log: Path, environ: Mapping[str, str]) -> None:
        home = spark_home()
        program = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{words[0]}", *words[1:]]
        self._log = log
        self._lines: SimpleQueue[str] = SimpleQueue()
        self.process = subprocess.Popen(
            die_with_parent_command(program),
            env={
                "PATH": os.defpath,
                "JAVA_HOME": str(find_java().home),
                "SPARK_HOME": str(home),
                "SPARK_LOCAL_IP": HOST,
                "SPARK_DAEMON_MEMORY": "256m",
                **environ,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def until(self, pattern: "re.Pattern[str]") -> "re.Match[str]":
        """Wait for a line."""
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE_S)
            except Empty:
                raise AssertionError(f"{self._log} has no {pattern.pattern!r}") from None
            if found := pattern.search(line):
                return found
            if not line:
                raise AssertionError(f"it ended:\n{self._log.read_text('utf-8')}")

    def kill(self) -> None:
        """At once."""
        self.process.kill()
        self._end()

    def stop(self) -> None:
        """In order."""
        self.process.terminate()
        self._end()

    def _end(self) -> None:
        self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout, self._log.open("w", encoding="utf-8") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                self._lines.put(line)
        self._lines.put("")


@dataclass
class StandaloneCluster:
    """A running cluster, whose machines know Spark and Java, and nothing of wireproof.

    Attributes:
        master: its address, ``spark://127.0.0.1:PORT``.
        folder: logs, and what executors wrote.
        size: of each worker, as Spark's words.
        workers: those that run; killing one takes its executors along.
    """

    master: str
    folder: Path
    size: Sequence[str]
    environ: Mapping[str, str]
    workers: list[ClusterProcess] = field(default_factory=list)
    _begun: int = 0

    def add(self, number: int) -> None:
        """More workers; they are there when it returns."""
        added = []
        for _ in range(number):
            place = self.folder / f"worker-{self._begun}"
            place.mkdir()
            self._begun += 1
            own = [*_LISTENING, "--work-dir", str(place), *self.size]
            log = self.folder / f"{place.name}.log"
            added.append(ClusterProcess(["worker.Worker", *own, self.master], log, self.environ))
            self.workers.append(added[-1])
        for each in added:
            each.until(_WORKER_IS_UP)

    def kill(self) -> None:
        """The worker that has run longest, as a machine that loses its power."""
        self.workers.pop(0).kill()

    def stop(self) -> None:
        """All workers, in order."""
        while self.workers:
            self.workers.pop().stop()


@contextmanager
def standalone_cluster(
    folder: Path,
    workers: int = 2,
    cores: int = 1,
    memory_mb: int = 1024,
    environ: Mapping[str, str] | None = None,
) -> Iterator[StandaloneCluster]:
    """A master and workers.

    Args:
        folder: for logs and the workers' folders.
        cores: of each worker.
        memory_mb: what each worker has for executors.
        environ: of all processes, beside what Spark needs.
    """
    with ExitStack() as stack:
        master = ClusterProcess(["master.Master", *_LISTENING], folder / "master.log", environ or {})
        stack.callback(master.stop)
        size = ["--cores", str(cores), "--memory", f"{memory_mb}m"]
        cluster = StandaloneCluster(master.until(_MASTER_IS_UP)[1], folder, size, environ or {})
        master.until(_ELECTED)
        stack.callback(cluster.stop)
        cluster.add(workers)
        yield cluster
