"""The rate of instances that the strategies make, beside a plain strategy of the same layout.

    python benchmarks/strategies.py kafka-clients-4.4.0.jar [MESSAGE VERSION]

Both run in turn in one process, with an empty test body, and draw instances of about the same
number of fields; the rates are instances a second of processor time, the best of the rounds.
"""

import argparse
import random
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kafkawire.schema import FieldLayout, MessageLayout, ScalarType, StructLayout, read_message, resolve
from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
from wireproof.proof.strategies.drawing.instance_plan import InstancePlan

_INTEGERS = {
    ScalarType.INT8: (-(2**7), 2**7 - 1),
    ScalarType.INT16: (-(2**15), 2**15 - 1),
    ScalarType.UINT16: (0, 2**16 - 1),
    ScalarType.INT32: (-(2**31), 2**31 - 1),
    ScalarType.UINT32: (0, 2**32 - 1),
    ScalarType.INT64: (-(2**63), 2**63 - 1),
}


def plain(struct: StructLayout) -> st.SearchStrategy[dict[str, Any]]:
    """The strategy that one writes first: a strategy for each field, in a dictionary."""
    return st.fixed_dictionaries({field.name: _plain_field(field) for field in struct.all_fields})


def _plain_field(field: FieldLayout) -> st.SearchStrategy[Any]:
    if field.scalar is None and field.struct is not None:
        single = plain(field.struct)
    elif field.scalar in _INTEGERS:
        single = st.integers(*_INTEGERS[field.scalar])
    else:
        single = {
            ScalarType.BOOL: st.booleans(),
            ScalarType.FLOAT64: st.floats(),
            ScalarType.UUID: st.uuids(),
            ScalarType.STRING: st.text(max_size=20),
        }.get(field.scalar, st.binary(max_size=20))
    value = st.lists(single, max_size=3) if field.is_array else single
    return st.none() | value if field.nullable else value


def leaves(struct: StructLayout, value: dict[str, Any]) -> int:
    """Return the number of scalars that an instance writes, or omits at their default."""
    return sum(_field_leaves(field, value.get(field.name, field.default)) for field in struct.all_fields)


def _field_leaves(field: FieldLayout, value: Any) -> int:
    if value is None:
        return 1
    if field.struct is None:
        return len(value) if isinstance(value, list) else 1
    if field.is_array:
        return sum(leaves(field.struct, each) for each in value) if isinstance(value, list) else 0
    return leaves(field.struct, value if isinstance(value, dict) else {})


def measure(strategy: st.SearchStrategy[Any], struct: StructLayout, examples: int) -> tuple[float, float]:
    """Instances a second of processor time, and leaves an instance."""
    seen = [0, 0]

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: Any) -> None:
        seen[0] += 1
        if seen[0] % 50 == 0 and isinstance(value, dict):
            seen[1] += leaves(struct, value)

    start = time.process_time()
    draw()
    return seen[0] / (time.process_time() - start), 50 * seen[1] / seen[0]


def bulk(layout: MessageLayout, examples: int) -> float:
    """Instances a second from seeded bytes, without Hypothesis."""
    plan = InstancePlan(layout)
    source = random.Random(1)
    start = time.process_time()
    for _ in range(examples):
        plan.build(source.randbytes(plan.tape_bytes))
    return examples / (time.process_time() - start)


def find_layout(jar: Path, message: str, version: int) -> MessageLayout:
    with zipfile.ZipFile(jar) as archive:
        text = archive.read(f"common/message/{message}.json").decode()
    spec, problems = read_message(text, message)
    if spec is None:
        raise SystemExit(f"{message}: {problems}")
    return resolve(spec, version)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("jar", type=Path)
    parser.add_argument("message", nargs="?", default="FetchRequest")
    parser.add_argument("version", nargs="?", type=int, default=17)
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    layout = find_layout(arguments.jar, arguments.message, arguments.version)
    contenders: dict[str, Callable[[], tuple[float, float]]] = {
        "plain": lambda: measure(plain(layout.root), layout.root, arguments.examples),
        "from_layout": lambda: measure(from_layout(layout), layout.root, arguments.examples),
        "one binary choice": lambda: measure(
            st.binary(min_size=16, max_size=16), layout.root, arguments.examples
        ),
        "bulk": lambda: (bulk(layout, 10 * arguments.examples), 0.0),
    }
    best = dict.fromkeys(contenders, (0.0, 0.0))
    for _ in range(arguments.rounds):
        for name, run in contenders.items():
            best[name] = max(best[name], run())
    for name, (rate, size) in best.items():
        print(f"{name:18} {rate:8.0f}/s  {size:5.1f} leaves  {rate / best['plain'][0]:5.1f} x plain")


if __name__ == "__main__":
    main()
