"""Malformed frames: how many a process judges in a second, with Kafka's classes beside the codec.

    python benchmarks/mutations.py

`tox run -e prove -- --phase mutations` shows that each ends in a value or a refusal, within the limits.
"""

import resource
import time

from wireproof import RunConfig
from wireproof.app.assembly.run_plan import plan_run
from wireproof.base.exit_codes import FatalError
from wireproof.model.cell import Phase
from wireproof.proof.run.provers.message_prover import CellProver

JUDGED = (
    "FetchRequest",
    "FetchResponse",
    "MetadataResponse",
    "ProduceRequest",
    "ConsumerGroupHeartbeatRequest",
)


def main() -> None:
    """One process, one form of our codec, Kafka's classes in it: the second round, when all is loaded."""
    plan = plan_run(RunConfig.of(phase="mutations", message=[*JUDGED], twin="compiled"))
    environment = plan.make_environment()
    for counted in (False, True):
        start, spent_before, frames = time.perf_counter(), _processor_s(), 0
        for cell in plan.cells:
            prove = CellProver(environment, plan.options, cell, lambda event: None, lambda phase, names: None)
            frames += prove.prove().cases[Phase.MUTATIONS]
        spent = time.perf_counter() - start
        for codec in environment.limited:
            codec.close()  # only then is its processor time known
        if counted:
            worked = _processor_s() - spent_before
            print(
                f"judged against Kafka: {frames / spent:,.0f} frames a second, "
                f"{frames / worked:,.0f} a second of processor time, the codec's process included "
                f"({frames:,} of {len(plan.cells)} cells)"
            )


def _processor_s() -> float:
    """Processor time of this process, the JVM in it, and of the children that have ended."""
    return sum(
        use.ru_utime + use.ru_stime
        for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


if __name__ == "__main__":
    try:
        main()
    except FatalError as error:
        raise SystemExit(str(error)) from error
