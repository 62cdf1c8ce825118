"""A jar with the classes that Kafka's generator makes from a fork's definitions, in Kafka's own packages.

The jar is before Kafka's on the class path. So a changed message replaces Kafka's class, and the generated
tables of a package (`ApiMessageType`, `MetadataRecordType`, ...) have the new messages. All other classes,
including readers and writers, are Kafka's.
"""

import json
import os
import subprocess
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.files.replacement import move_file
from wireproof.kafka.oracle.java_runtime import CompileError, RuntimeMissingError, compile_jar, find_runtime
from wireproof.model.oracle import OracleError

_MAIN: Final = "org.apache.kafka.message.MessageGenerator"
_MESSAGES: Final = ("MessageDataGenerator", "JsonConverterGenerator")
_TABLES: Final = {
    "ApiMessageType": "ApiMessageTypeGenerator",
    "MetadataRecordType": "MetadataRecordTypeGenerator",
    "MetadataJsonConverters": "MetadataJsonConvertersGenerator",
    "CoordinatorRecordType": "CoordinatorRecordTypeGenerator",
    "CoordinatorRecordJsonConverters": "CoordinatorRecordJsonConvertersGenerator",
}
"""Generated classes about all messages of a package, and their generators."""
_LEVEL: Final = 17
"""The Java release compiled for: Kafka's server modules are class files of Java 17."""
_LIMIT_S: Final = 120.0
_SHOWN: Final = 15
_FAILURE: Final = "Exception in thread"
_CAUSE: Final = "Caused by: "


@dataclass(frozen=True, slots=True)
class GeneratedModule:
    """A Kafka module in which a fork has messages.

    Attributes:
        package: the Java package of its generated classes.
        jar: Kafka's jar of the module.
        prefix: the folder of its definitions in that jar, with a slash at the end.
        texts: the fork's definitions as JSON text, by the name of the message.
    """

    package: str
    jar: Path
    prefix: str
    texts: Mapping[str, str]


def make_fork_jar(
    name: str,
    modules: Sequence[GeneratedModule],
    generator: Sequence[Path],
    class_path: Sequence[Path],
    folder: Path,
    ecj: Callable[[], Path] | None = None,
) -> Path:
    """Return the jar, made once for each state of the definitions.

    Args:
        name: the name of the fork, for the name of the jar.
        generator: the generator's jar and its dependencies.
        class_path: the release's jars, which the generated classes need.
        folder: the folder of the cache.
        ecj: returns the Eclipse compiler's jar, for a Java without a compiler.

    Raises:
        OracleError: the generator refuses a definition, its Java does not compile, or there is no Java.
    """
    jar = folder / f"{name}-{_digest(modules, generator)}.jar"
    if jar.is_file():
        return jar
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with temporary_folder("generate", folder) as place:
            sources = place / "java"
            for module in modules:
                _generate(module, generator, place / module.package, sources)
            return compile_jar(sources, jar, ecj, class_path=class_path, level=_LEVEL)
    except CompileError as error:
        shown = "\n".join(str(error).splitlines()[:_SHOWN])
        raise OracleError(
            f"the Java that Kafka's generator makes of {name} does not compile: {shown}",
            "Change the definition: Kafka cannot have it.",
        ) from error
    except OSError as error:
        raise OracleError(f"the cache {folder} cannot be written: {error}") from error


def _digest(modules: Sequence[GeneratedModule], generator: Sequence[Path]) -> str:
    """A digest of all inputs of the jar; for released jars, their names suffice."""
    parts = [[each.package, each.jar.name, sorted(each.texts.items())] for each in modules]
    names = [jar.name for jar in generator]
    return sha256(json.dumps([_LEVEL, names, parts]).encode()).hexdigest()[:16]


def _generate(module: GeneratedModule, generator: Sequence[Path], place: Path, sources: Path) -> None:
    """Generate the Java code of a module; move the fork's messages and the tables to `sources`."""
    texts, classes = _released(module)
    texts |= module.texts
    definitions, made = place / "json", place / "made"
    definitions.mkdir(parents=True)
    made.mkdir()
    for name, text in texts.items():
        (definitions / f"{name}.json").write_text(text, encoding="utf-8")
    tables = [name for name in _TABLES if f"{module.package.replace('.', '/')}/{name}.class" in classes]
    _run(generator, module.package, definitions, made, [_TABLES[name] for name in tables])
    target = sources.joinpath(*module.package.split("."))
    target.mkdir(parents=True)
    for name in module.texts:
        # A definition without valid versions, or one whose name ends in Data, has fewer classes.
        for stem in (f"{name}Data", name, f"{name}DataJsonConverter", f"{name}JsonConverter"):
            if (made / f"{stem}.java").is_file():
                move_file(made / f"{stem}.java", target / f"{stem}.java")
    for name in tables:
        move_file(made / f"{name}.java", target / f"{name}.java")


def _released(module: GeneratedModule) -> tuple[dict[str, str], frozenset[str]]:
    """The definitions in Kafka's jar of a module by the name of their file, and all names in the jar."""
    with zipfile.ZipFile(module.jar) as jar:
        names = jar.namelist()
        texts = {
            name.removeprefix(module.prefix).removesuffix(".json"): jar.read(name).decode()
            for name in names
            if name.startswith(module.prefix) and name.endswith(".json")
        }
    return texts, frozenset(names)


def _run(
    generator: Sequence[Path], package: str, definitions: Path, made: Path, tables: Sequence[str]
) -> None:
    try:
        java = find_runtime().tool("java")
    except RuntimeMissingError as error:
        raise OracleError(
            str(error), "Install Java 17, or name the fork's jar: --schemas-jar FILE."
        ) from error
    command = [str(java), "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(map(str, generator)), _MAIN]
    command += ["-p", package, "-i", str(definitions), "-o", str(made), "-m", *_MESSAGES]
    command += ["-t", *tables] if tables else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LIMIT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OracleError(f"Kafka's generator cannot be run: {error}") from error
    if done.returncode:
        raise OracleError(
            f"Kafka's generator refuses the definitions: {_cause(done.stderr)}",
            "`wireproof schema try FILE` compares its opinion with that of wireproof.",
        )


def _cause(text: str) -> str:
    """The root cause in the output of a Java program that failed."""
    lines = text.splitlines()
    causes = [line.removeprefix(_CAUSE) for line in lines if line.startswith(_CAUSE)]
    thrown = [line.partition('" ')[2] for line in lines if line.startswith(_FAILURE)]
    return (causes or thrown or lines or ["it ended without a word"])[-1]
