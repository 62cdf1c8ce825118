"""Kafka's own classes as functions of columns, in the executors' JVM (java/spark).

Spark calls them for each row inside the JVM, without Python: no frame leaves the JVM that has it.
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
"""The status if the release, or its classes, have no such message or version; nothing was read."""

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
  The results of later stages are null.
- error_class, error_message: the class and message of the exception; null without one.
- consumed: the number of bytes read, up to a refusal. It includes the size field of a frame.
- size: the number of bytes that the classes announce before they write. It includes the size field.
- written_sha256: the digest of the bytes that the classes wrote.
- value_sha256: the digest of the canonical binary (`kafkawire.canonical`) of the header, then of the body.
"""

WHOLE_ANSWER: Final = StructType(
    [
        *ANSWER.fields,
        StructField("written", BinaryType()),
        StructField("header", BinaryType()),
        StructField("value", BinaryType()),
    ]
)
"""`ANSWER`, with the bytes that the classes wrote, and the canonical binaries of header and body."""

_PACKAGE: Final = "io.wireproof.spark"
_REFRAME: Final = "reframe"
_READ_RECORDS: Final = "read_records"
_CLASSES: Final = {_REFRAME: "Reframe", _READ_RECORDS: "ReadRecords"}


class KafkaClasses:
    """The classes of some releases, sent to all executors of a session. `distribute` makes it.

    In SQL the functions are ``wireproof_reframe`` and ``wireproof_read_records``, and both names with
    ``_whole``. They use the classes that were sent last.

    Attributes:
        releases: the releases whose classes were sent.
    """

    def __init__(self, releases: Sequence[str], digest: str) -> None:
        self.releases = tuple(releases)
        self._digest = digest

    @classmethod
    def distribute(cls, spark: "SparkSession", artifacts: JobArtifacts) -> "KafkaClasses":
        """Send the files to the executors for later jobs. A second call does not send them again."""
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
            header_version: the version of the header before the message; null if the bytes are only a body.
            data: a frame, including its size field; or only a body.
        """
        cell = [release, module, message, version.cast("int"), header_version.cast("int")]
        return call_function(_sql_name(_REFRAME, whole, self._digest), *cell, data)

    def read_records(self, release: Column, records: Column, *, whole: bool = False) -> Column:
        """`ANSWER` or `WHOLE_ANSWER` for a record set, which MemoryRecords reads, with its checksums.

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
        """Return a function for these books, which Spark serialises and sends to the executors."""
        made = self._jvm.java.lang.Class.forName(f"{_PACKAGE}.{class_name}", True, self._loader)
        arguments = self._new_array(self._jvm.java.lang.Object, 2)
        arguments[0], arguments[1] = self._jvm.java.util.HashMap(dict(books)), whole
        (constructor,) = made.getConstructors()
        return constructor.newInstance(arguments)

    def register(self, name: str, function: Any, answer: DataType) -> None:
        """Register a function under a name, for columns and SQL."""
        self._session.udf().register(name, function, self._session.parseDataType(answer.json()))


def _sql_name(name: str, whole: bool, digest: str = "") -> str:
    return "_".join(filter(None, ("wireproof", name, "whole" if whole else "", digest)))
