"""Starting Spark (on this machine without configuration, on a cluster, inside spark-submit), and interrupts.

Facts about Spark that this module depends on:

- The JVM that PySpark starts inherits our streams and environment. Spark's messages belong on standard
  error, so the JVM's standard output is redirected there.
- Settings of the JVM (heap, collector) must be made before it starts. Inside spark-submit the JVM already
  runs; there, and for a cluster's executors, the user sets the memory.
- A session of this process is used again; its settings stay.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wireproof.kafka.oracle.java_runtime import JavaRuntime, RuntimeMissingError, find_runtime
from wireproof.pipeline.job_plan import PipelineError
from wireproof.pipeline.runtime.artifacts import INSTALL_SPARK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_LOGGERS: Final = (None, "py4j.clientserver")
"""The loggers that py4j uses. Each needs the filter, because a logger's filter sees only its own records."""

_AGAIN_S: Final = 0.01
"""Seconds until a lost interrupt is raised again. By then the finalizer has ended."""

_TRIES: Final = 10
"""The most attempts, each with a connection of its own. So far, the second attempt has always succeeded."""


@contextmanager
def own_interrupts() -> Iterator[None]:
    """Keep the program's handler of Ctrl-C while Spark starts, and lose no interrupt from then on.

    Spark's own handler sends a command during the command that it interrupts, and py4j logs both failures.
    """
    before = signal.getsignal(signal.SIGINT)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_not_interrupted)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            if sys.unraisablehook is not _interrupt_again:
                global _unraisable  # Python has one hook
                _unraisable, sys.unraisablehook = sys.unraisablehook, _interrupt_again


@contextmanager
def interrupts_first() -> Iterator[None]:
    """Raise `KeyboardInterrupt` in place of a failure of the block that an interrupt caused."""
    try:
        yield
    except Exception as error:
        if _follows_interrupt(error):
            raise KeyboardInterrupt from error
        raise


def stop(session: "SparkSession") -> None:
    """Stop a session, even after an interrupt."""
    connect_again(session)
    session.stop()


def connect_again(session: "SparkSession") -> None:
    """Send commands to Java until it answers one, or the attempts are used up."""
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

    before = logging.root.manager.disable
    logging.disable()  # py4j logs each command without an answer
    try:
        for _ in range(_TRIES):
            try:
                session.sparkContext._jvm.System.nanoTime()  # type: ignore[union-attr]  # it runs
            except Py4JNetworkError:
                continue
            return
    finally:
        logging.disable(before)


_unraisable = sys.__unraisablehook__


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt the program again if a finalizer has swallowed an interrupt."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
    else:
        _unraisable(lost)


def _not_interrupted(record: logging.LogRecord) -> bool:
    """Return False for py4j's traceback of a command that failed because of Ctrl-C, even indirectly."""
    return not _follows_interrupt(record.exc_info[1] if record.exc_info else None)


def _follows_interrupt(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


VECTOR_MODULE: Final = "jdk.incubator.vector"
"""Spark's launcher names it to every JVM (``--add-modules``); a runtime without it does not start."""

DRIVER_MEMORY_MB: Final = 2048
"""The heap if Spark runs only on this machine, where the driver does all work. Two tasks with a frame of 100
MiB each fit: a row, Kafka's objects for it, and its canonical form take at most four times the frame."""

ARROW_BATCH_BYTES: Final = 16 << 20
"""The bytes of one batch between the JVM and Python. A limit of the number of rows does not suffice: 10,000
frames may take a gigabyte. Batches of 4 to 256 MiB took the same processor time."""

ARROW_BATCH_ROWS: Final = 10_000

PARQUET_ROWS_HELD: Final = 16
"""The rows that Spark's Parquet reader holds at once. With the default of 4096, a table of frames of 1 MiB
kills a JVM of 2 GiB. Small frames are read as fast with 16. By default, the writer first checks the size of
its buffers after 100 rows, however large they are."""

TASK_BYTES: Final = 32 << 20
"""The bytes that a task reads from a table or a shuffle: 160,000 small frames, some seconds of work. With the
default of 128 MiB, a job of 5 million frames had six tasks, and one of two cores waited for the last task."""

_SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""The variable that is set if spark-submit has started this program and its JVM."""

_STANDARD_ERROR: Final = 2

_STOPPED: Final = "on a stopped SparkContext"
"""The message of the only exception that Spark throws after it gave up a master that does not answer."""

_ADVICE: Final = (
    "Install a full JDK of version 17 or newer (Debian: apt-get install openjdk-17-jdk-headless) and set "
    "JAVA_HOME to it."
)

_COLLECTOR: Final = "-XX:+UseParallelGC"
"""Java's default, G1, collects in parallel with the program, but a job has no cores to spare: on two cores,
the same tables took 7 % longer with G1."""

_OF_NEW_JVMS: Final = {
    "spark.driver.memory": f"{DRIVER_MEMORY_MB}m",
    "spark.driver.defaultJavaOptions": _COLLECTOR,
    "spark.executor.defaultJavaOptions": _COLLECTOR,
}
"""Options that the user sets if spark-submit started the JVM: a JVM with two collectors does not start."""

_UNREPEATED: Final = (
    "payload", "data", "position", "offset", "paired_offset", "correlation_id", "time_ns",
    "frame_sha256", "value_sha256", "kafka.written_sha256", "kafka.value_sha256",
)  # fmt: skip
"""Columns of tables with unique values: Parquet would collect these in a dictionary, and drop the dictionary
when it is full."""

_SETTINGS: Final = {
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(ARROW_BATCH_BYTES),
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(ARROW_BATCH_ROWS),
    "spark.sql.files.maxPartitionBytes": str(TASK_BYTES),
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": str(TASK_BYTES),
    "spark.sql.parquet.columnarReaderBatchSize": str(PARQUET_ROWS_HELD),
    "spark.hadoop.parquet.page.size.row.check.min": "1",
    "spark.hadoop.parquet.block.size.row.check.min": "1",
    **{f"spark.hadoop.parquet.enable.dictionary#{column}": "false" for column in _UNREPEATED},
}


def find_java(environ: Mapping[str, str] = os.environ) -> JavaRuntime:
    """Return the Java that Spark will use.

    Raises:
        PipelineError: no Java works with Spark; the message names each place that was searched.
    """
    try:
        return find_runtime(environ, module=VECTOR_MODULE)
    except RuntimeMissingError as error:
        raise PipelineError(f"Spark cannot start: {error}", _ADVICE) from error


def start(
    master: str | None = None,
    *,
    name: str = "wireproof",
    event_log: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> "SparkSession":
    """Return the running session, or start a new one.

    Args:
        master: Spark's address of the cluster; None for every core of this machine, or, inside spark-submit,
            for the master that spark-submit was given.
        event_log: a folder for Spark's event log, which its history server shows.
        settings: of Spark, by their names; they override ours.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise PipelineError(f"pyspark cannot be imported: {error}", INSTALL_SPARK) from error
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    submitted = _SUBMITTED in os.environ
    if submitted and master is not None:
        raise PipelineError(
            f"spark-submit has chosen the cluster, and --master {master} too",
            "Give --master to spark-submit alone.",
        )
    chosen = {**_SETTINGS, **_event_log(event_log), **(settings or {})}
    if submitted:
        return _submitted(name, chosen)
    return _started(master or "local[*]", name, {**_words(), **_OF_NEW_JVMS, **chosen})


def is_alone(master: str) -> bool:
    """Return True if a master is this machine alone, with one JVM."""
    return master == "local" or master.startswith("local[")


def _words() -> dict[str, str]:
    """Spark's log settings from our file; without the file, as in an archive, Spark logs more."""
    file = Path(__file__).with_name("log4j2.properties")
    if not file.is_file():
        return {}
    return {"spark.driver.extraJavaOptions": f'"-Dlog4j2.configurationFile={file.as_uri()}"'}


def _event_log(folder: Path | None) -> dict[str, str]:
    if folder is None:
        return {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PipelineError(f"the event log {folder} cannot be made: {error.strerror}") from error
    return {"spark.eventLog.enabled": "true", "spark.eventLog.dir": folder.resolve().as_uri()}


def _submitted(name: str, settings: Mapping[str, str]) -> "SparkSession":
    """Return a session in the JVM of spark-submit. Settings for spark-submit take precedence over ours."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    SparkContext._ensure_initialized()
    given = SparkConf()
    builder = SparkSession.builder
    if not given.contains("spark.app.name"):
        builder = builder.appName(name)
    for key, value in settings.items():
        if not given.contains(key):
            builder = builder.config(key, value)
    return _quiet(builder.getOrCreate())


def _started(master: str, name: str, settings: Mapping[str, str]) -> "SparkSession":
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    java = find_java()
    conf = SparkConf(loadDefaults=False).setMaster(master).setAppName(name).setAll(list(settings.items()))
    try:
        with _environment(java, alone=is_alone(master)):
            # A process keeps its one JVM: the next session gets the same JVM.
            gateway = SparkContext._gateway or launch_gateway(  # type: ignore[no-untyped-call]
                conf, {"stdout": _STANDARD_ERROR}
            )
            with own_interrupts():
                context = SparkContext(gateway=gateway, conf=conf)
        return _quiet(SparkSession(context))
    except (PySparkException, Py4JError, OSError) as error:
        if SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()
        raise PipelineError(
            f"Spark does not start on {master} with {java.home} ({java.origin}): {_reason(error)}",
            "Look at what Spark said above, at the cluster's address, and at the log of its master.",
        ) from error


def _reason(error: Exception) -> str:
    """Return the first line of a Java exception, without its stack trace."""
    thrown = str(getattr(error, "java_exception", error)).partition("\n")[0]
    return "the cluster gave no answer" if _STOPPED in thrown else thrown


def _quiet(session: "SparkSession") -> "SparkSession":
    session.sparkContext.setLogLevel("FATAL")
    return session


@contextmanager
def _environment(java: JavaRuntime, *, alone: bool) -> Iterator[None]:
    """Set the Java that Spark starts, and the Python unless the user has chosen one, for the block.

    Args:
        alone: whether only this machine takes part: Spark then listens only on the loopback address.
    """
    wanted = {"JAVA_HOME": str(java.home)}
    defaults = {"PYSPARK_PYTHON": sys.executable, **({"SPARK_LOCAL_IP": "127.0.0.1"} if alone else {})}
    wanted.update({name: value for name, value in defaults.items() if name not in os.environ})
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
