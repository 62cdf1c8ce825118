"""Kafka's own classes as functions of columns, in the executors' JVM (java/spark).

They are asked for rows, not for batches from Python: nothing of a frame leaves the JVM that holds it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import Column
from pyspark.sql.functions import call_function
from pyspark.sql.types import BinaryType, DataType, IntegerType, StringType, StructField, StructType

from wireproof.pipeline.runtime.artifacts import JobArtifacts
from wireproof.pipeline.runtime.code_distribution import distribute_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OK: Final = "ok"
UNKNOWN_CELL: Final = "unknown-cell"
"""The release has no such message or version, or its classes none that fit; nothing was read."""

ANSWER: Final = StructType(
    [
        StructField("status", StringType(), nullable=False),
        StructField("error_class", StringType()),
        StructField("error_message", StringType()),
        StructField("consumed", IntegerType()),
        StructField("size", IntegerType()),
        StructField("written_sha256", BinaryType()),
        StructField("value_sha256", BinaryType()),
    ]
)
"""The answer of Kafka's classes about some bytes.

- status: ``ok``, ``unknown-cell``, or the stage that refused it: ``read``, ``value``, ``size``, ``write``.
  What lies beyond that stage is null.
- error_class, error_message: of what was thrown; null where nothing was.
- consumed: how many bytes were read, those of a frame's size among them; up to where it was refused.
- size: how many bytes they say it takes, before they write it; those of a frame's size among them.
- written_sha256: of the bytes they wrote.
- value_sha256: of the canonical binary (`kafkawire.canonical`) of the header, then that of the body.
"""

WHOLE_ANSWER: Final = StructType(
    [
        *ANSWER.fields,
        StructField("written", BinaryType()),
        StructField("header", BinaryType()),
        StructField("value", BinaryType()),
    ]
)
"""`ANSWER`, with the bytes they wrote and the canonical binaries of header and body."""

_PACKAGE: Final = "io.wireproof.spark"
_REFRAME: Final = "reframe"
_READ_RECORDS: Final = "read_records"
_CLASSES: Final = {_REFRAME: "Reframe", _READ_RECORDS: "ReadRecords"}


class KafkaClasses:
    """The classes of some releases, sent to all executors of a session. `distribute` makes it.

    In SQL they are ``wireproof_reframe``, ``wireproof_read_records``, and each followed by ``_whole``:
    those that were sent last.

    Attributes:
        releases: those that were sent.
    """

    def __init__(self, releases: Sequence[str], digest: str) -> None:
        self.releases = tuple(releases)
        self._digest = digest

    @classmethod
    def distribute(cls, spark: "SparkSession", artifacts: JobArtifacts) -> "KafkaClasses":
        """Send everything along with the jobs to come. Doing it twice sends nothing twice."""
        distribute_files(spark, artifacts.files, artifacts.class_path)
        books = {release: path.name for release, path in artifacts.books.items()}
        digest = hashlib.sha256(repr(sorted(books.items())).encode()).hexdigest()[:8]
        driver = _Driver(spark, artifacts.class_path)
        for name, class_name in _CLASSES.items():
            for whole, answer in ((False, ANSWER), (True, WHOLE_ANSWER)):
                function = driver.make(class_name, books, whole)
                for each in (_sql_name(name, whole), _sql_name(name, whole, digest)):
                    driver.register(each, function, answer)
        return cls(list(books), digest)

    def reframe(
        self,
        release: Column,
        module: Column,
        message: Column,
        version: Column,
        header_version: Column,
        data: Column,
        *,
        whole: bool = False,
    ) -> Column:
        """`ANSWER` for each row, or `WHOLE_ANSWER`. No row fails the job.

        Args:
            header_version: of the header that goes before the message; null where the bytes are a body alone.
            data: a frame, its size included; or a body alone.
        """
        cell = [release, module, message, version.cast("int"), header_version.cast("int")]
        return call_function(_sql_name(_REFRAME, whole, self._digest), *cell, data)

    def read_records(self, release: Column, records: Column, *, whole: bool = False) -> Column:
        """The same of a record set, read by MemoryRecords, checksums included; nothing is written.

        The value is the set's canonical form (`kafkawire.records.kafka_view`).
        """
        return call_function(_sql_name(_READ_RECORDS, whole, self._digest), release, records)


class _Driver:
    """The driver's JVM. Its class path is set when it starts, so our classes get a loader of their own."""

    def __init__(self, spark: "SparkSession", class_path: Sequence[Path]) -> None:
        gateway: Any = spark.sparkContext._gateway
        self._jvm, self._new_array = gateway.jvm, gateway.new_array
        self._session: Any = spark._jsparkSession
        urls = self._new_array(self._jvm.java.net.URL, len(class_path))
        for place, path in enumerate(class_path):
            urls[place] = self._jvm.java.io.File(str(path)).toURI().toURL()
        parent = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self._loader = self._jvm.java.net.URLClassLoader(urls, parent)

    def make(self, class_name: str, books: Mapping[str, str], whole: bool) -> Any:
        """A function for these books; it travels to executors as it is, serialised."""
        made = self._jvm.java.lang.Class.forName(f"{_PACKAGE}.{class_name}", True, self._loader)
        arguments = self._new_array(self._jvm.java.lang.Object, 2)
        arguments[0], arguments[1] = self._jvm.java.util.HashMap(dict(books)), whole
        (constructor,) = made.getConstructors()
        return constructor.newInstance(arguments)

    def register(self, name: str, function: Any, answer: DataType) -> None:
        """Let columns and SQL know the function by a name."""
        self._session.udf().register(name, function, self._session.parseDataType(answer.json()))


def _sql_name(name: str, whole: bool, digest: str = "") -> str:
    return "_".join(filter(None, ("wireproof", name, "whole" if whole else "", digest)))
