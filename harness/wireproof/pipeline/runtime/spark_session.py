"""Starting Spark (here with nothing to configure, on a cluster, inside spark-submit), and its interruption.

What one must know about it:

- The JVM that PySpark starts inherits our streams and environment. Spark's own words belong on standard
  error, so its standard output is led there.
- Settings of the JVM (heap, collector) hold only if they are made before it starts. Inside spark-submit it
  runs already; there, and for a cluster's executors, memory is the user's to set.
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
"""Those that py4j logs to: a filter of a logger does not see what goes to another one."""

_AGAIN_S: Final = 0.01
"""Seconds until an interrupt that was lost comes again. The finalizer has ended then."""

_TRIES: Final = 10
"""The second has always succeeded; each opens a connection of its own."""


@contextmanager
def own_interrupts() -> Iterator[None]:
    """Keep the program's handler of Ctrl-C while Spark starts, and let no interrupt be lost from then on.

    Spark's own handler sends a command inside the command that it interrupts, and py4j logs both failures.
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
    """Raise the interrupt itself where the block ends with a failure that followed from one."""
    try:
        yield
    except Exception as error:
        if _follows_interrupt(error):
            raise KeyboardInterrupt from error
        raise


def stop(session: "SparkSession") -> None:
    """Stop a session, after an interrupt too."""
    connect_again(session)
    session.stop()


def connect_again(session: "SparkSession") -> None:
    """Send Java a command until one is answered, or Java is gone."""
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

    before = logging.root.manager.disable
    logging.disable()  # what py4j says of a command that is not answered
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
    """Interrupt the program once more for an interrupt that a finalizer has raised."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
    else:
        _unraisable(lost)


def _not_interrupted(record: logging.LogRecord) -> bool:
    """Return False for py4j's traceback of a command that Ctrl-C ended, or of one that followed from it."""
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
"""The heap where Spark runs on this machine alone: the driver does everything then. Two tasks with a frame of
100 MiB each fit: the row, Kafka's objects of it, and its canonical form are at most four times a frame."""

ARROW_BATCH_BYTES: Final = 16 << 20
"""Bytes of one batch between the JVM and Python, whatever the number of rows: 10,000 frames may be a
gigabyte. Batches of 4 to 256 MiB took the same processor time."""

ARROW_BATCH_ROWS: Final = 10_000

PARQUET_ROWS_HELD: Final = 16
"""Rows that Spark's reader of Parquet holds at once: at its own 4096, a table of frames of 1 MiB kills a JVM
of 2 GiB. Small frames are read as fast. By default its writer first checks the size of its buffers after 100
rows, however large they are."""

TASK_BYTES: Final = 32 << 20
"""Bytes that a task reads of a table or of a shuffle: 160,000 small frames, a few seconds' work. With Spark's
own 128 MiB a job of 5 million frames had six such tasks, and one of two cores waited for the last of them."""

_SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""Set where spark-submit has started this program and its JVM."""

_STANDARD_ERROR: Final = 2

_STOPPED: Final = "on a stopped SparkContext"
"""All that is left to be thrown when Spark has given up a master that does not answer."""

_ADVICE: Final = (
    "Install a full JDK of version 17 or newer (Debian: apt-get install openjdk-17-jdk-headless) and set "
    "JAVA_HOME to it."
)

_COLLECTOR: Final = "-XX:+UseParallelGC"
"""Java's own choice, G1, collects beside the program, on cores that a job has none of to spare: on two cores
the same tables took 7 % longer with it."""

_OF_NEW_JVMS: Final = {
    "spark.driver.memory": f"{DRIVER_MEMORY_MB}m",
    "spark.driver.defaultJavaOptions": _COLLECTOR,
    "spark.executor.defaultJavaOptions": _COLLECTOR,
}
"""Left to the user where spark-submit has started the first: two collectors in its options are none."""

_UNREPEATED: Final = (
    "payload", "data", "position", "offset", "paired_offset", "correlation_id", "time_ns",
    "frame_sha256", "value_sha256", "kafka.written_sha256", "kafka.value_sha256",
)  # fmt: skip
"""Columns of tables whose values are all others: Parquet would gather each in a dictionary, and drop it when
it is full."""

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
    """The Java that Spark is to start on.

    Raises:
        PipelineError: there is none that it starts on; each place that was looked at is named.
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
    """A session: the one that runs already, or a new one.

    Args:
        master: Spark's address of the cluster; None is every core of this machine, or, inside spark-submit,
            what that was given.
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
    """Return True if it means this machine, in one JVM."""
    return master == "local" or master.startswith("local[")


def _words() -> dict[str, str]:
    """Spark's log settings from a file of ours; without it, as in an archive, Spark logs more."""
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
    """A session in the JVM that spark-submit has started; what was given to that goes before our defaults."""
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
            # A process has one JVM for good: after a session has ended the next one gets the same.
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
    """The Java and the Python that Spark shall start, where the user has not chosen a Python.

    Args:
        alone: no other machine is in it: nothing listens but to this one, whatever its name is.
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
