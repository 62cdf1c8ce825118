"""The plan of a campaign on Spark, made of the plan of a run."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from wireproof.app.assembly.inputs.run_inputs import RunInputs
from wireproof.app.assembly.run_plan import RunPlan
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.base.version import own_version
from wireproof.kafka.oracle.java_release import helper_jar
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.proof.run.core.environment import WorkerEnvironment

if TYPE_CHECKING:
    from wireproof.pipeline.campaign.campaign_worker import Find
    from wireproof.pipeline.campaign.spark_campaign import CampaignPlan


def _remote_environment(prepared: RunInputs, volume: bool, find: "Find") -> WorkerEnvironment:
    """Make the worker environment of a run on the machine of an executor."""
    return environment_maker(prepared.found(find), volume=volume)()


def campaign_plan(plan: RunPlan, tasks: int | None) -> "CampaignPlan":
    """The plan of a campaign.

    Args:
        tasks: the number of tasks; None for what fits.
    """
    from wireproof.pipeline.campaign.spark_campaign import CampaignPlan

    prepared = plan.prepared
    store = JarStore(prepared.cache_dir, offline=prepared.offline)
    prepared = replace(prepared, helper=helper_jar(prepared.cache_dir, lambda: store.tool_jar("ecj")))
    environment = partial(_remote_environment, prepared, plan.for_volume)
    return CampaignPlan(plan.options, environment, prepared.files, prepared.cache_dir / "pipeline", tasks)


def campaign_key(plan: RunPlan) -> Mapping[str, Any]:
    """The facts by which a campaign is recognised when it is continued."""
    config, hello = plan.config, plan.subject.hello
    cells = sha256("\n".join(cell.id for cell in plan.cells).encode())
    return {
        "tool": f"wireproof {own_version()}",
        "campaign": {
            "releases": list(config.release),
            "twins": list(config.twin),
            "testee": config.testee,
            "edges": config.edges,
            "schemas": [fork.sha256 for fork in plan.prepared.fork_headers],
        },
        "subject": None if hello is None else str(hello.identity),
        "cells": f"{len(plan.cells)} {cells.hexdigest()[:16]}",
        "cases": plan.options.cases,
        "seed": plan.options.seed,
        "ledger": sha256(repr(sorted(plan.ledger.words.items())).encode()).hexdigest()[:16],
    }
