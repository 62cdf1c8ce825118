"""Schemas a second through Kafka's own message generator, without and with the Java compiler.

    python benchmarks/schema_generator.py [--release RELEASE] [--schemas N] [--batch N] [--peak]

Takes the message files of the release's own clients (as many as asked for, in turns) and drawn ones, and
judges them in batches: the generator alone, the generator with the compiler, and both with an oracle that
loads each new class. The first batch of each kind is a warm-up. Wall clock; two compilers work at once.
Exits 1 where fewer schemas a second than promised go through generator and compiler, 20.
"""

import argparse
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from itertools import cycle, islice

from kafkawire.schema import dialect_of, read_message
from wireproof.app.assembly.jar_store import open_generator
from wireproof.kafka.oracle import SchemaGenerator
from wireproof.kafka.releases import JarStore
from wireproof.model import Cell
from wireproof.proof.strategies.schemas.choices import SeededChoices
from wireproof.proof.strategies.schemas.message_drawing import draw_message
from wireproof.proof.strategies.schemas.schema_language import language_of
from wireproof.proof.strategies.schemas.schema_text import schema_text

PROMISED_PER_S = 20
PREFIX = "common/message/"


def main() -> int:
    """Measure; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", default="4.3.1", help="whose generator")
    parser.add_argument("--schemas", type=int, default=400, help="of each kind")
    parser.add_argument("--batch", type=int, default=100, help="schemas that are judged in one call")
    parser.add_argument("--peak", action="store_true", help="with the optimising compiler of the JVM")
    options = parser.parse_args()
    store = JarStore()
    generator = open_generator(options.release, store, peak=options.peak)
    slowest = float("inf")
    for kind, texts in (
        ("Kafka's", released(store, options.release, options.schemas)),
        ("drawn", drawn(options.release, options.schemas)),
    ):
        batches = [texts[start : start + options.batch] for start in range(0, len(texts), options.batch)]
        alone = rate(batches, lambda batch: generator.judge(batch, compiled=False))
        compiled = rate(batches, generator.judge)
        used = rate(batches, lambda batch: use(generator, batch))
        print(
            f"{kind:8} {len(texts)} schemas of {sum(map(len, texts)) / len(texts):,.0f} characters: "
            f"generator {alone:,.0f}/s, with the compiler {compiled:,.0f}/s, and loaded "
            f"{used:,.0f}/s"
        )
        slowest = min(slowest, compiled)
    return int(slowest < PROMISED_PER_S)


def released(store: JarStore, release: str, count: int) -> list[str]:
    """The message files of a release's clients, in turns."""
    _, clients = store.generator_jars(release)
    with zipfile.ZipFile(clients) as jar:
        names = sorted(name for name in jar.namelist() if name.startswith(PREFIX) and name.endswith(".json"))
        return list(islice(cycle([jar.read(name).decode() for name in names]), count))


def drawn(release: str, count: int) -> list[str]:
    """Random message files, the same in each run."""
    language = language_of(release)
    return [
        schema_text(draw_message(SeededChoices(7, number), "Drawn", language).tree) for number in range(count)
    ]


def rate(batches: Sequence[Sequence[str]], judge: Callable[[Sequence[str]], object]) -> float:
    """Schemas a second, after one batch as a warm-up."""
    judge(batches[0])
    start = time.perf_counter()
    for batch in batches:
        judge(batch)
    return sum(map(len, batches)) / (time.perf_counter() - start)


def use(generator: SchemaGenerator, batch: Sequence[str]) -> None:
    """Judge a batch, load each class, and read its own description of its newest version."""
    for text, verdict in zip(batch, generator.judge(batch), strict=True):
        spec, _ = read_message(text, "", dialect_of(generator.release))
        if verdict.java_class is None or spec is None:
            continue
        cell = Cell(generator.release, "generated", spec.name, spec.valid_versions.highest)
        generator.oracle([verdict]).schema(cell)


if __name__ == "__main__":
    sys.exit(main())
