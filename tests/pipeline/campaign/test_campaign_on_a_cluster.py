"""A campaign on a cluster, one of whose machines goes."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.support.mutants.wrong_size import CELL
from tests.support.spark.standalone_spark import StandaloneCluster


def test_a_machine_that_goes_takes_nothing_along(
    tmp_path: Path, cluster: StandaloneCluster, strangers_python: Path
) -> None:
    """On a cluster that knows nothing of wireproof: one of two workers is killed when the first block is
    there, and all instances are proven by the other."""
    out, log = tmp_path / "out", tmp_path / "stderr.txt"
    words = ("--cell", CELL, "--cases", "50000", "--offline", "--output", str(out))
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "wireproof", "campaign", "--master", cluster.master, *words],
            env={**os.environ, "PYSPARK_PYTHON": str(strangers_python), "SPARK_LOCAL_IP": "127.0.0.1"},
            cwd=tmp_path,
            stderr=stderr,
        ) as campaign,
    ):
        while not any(out.glob("results/**/cases-*.parquet")) and campaign.poll() is None:
            time.sleep(0.05)
        killed_in_time = campaign.poll() is None
        cluster.kill()
    cluster.add(1)
    said = log.read_text().splitlines()
    assert killed_in_time, said
    assert campaign.returncode == 0, said
    cases = int(said[-1].removeprefix("1 of 1 cells, ").partition(" cases")[0].replace(",", ""))
    assert 50_000 < cases < 51_000, said  # besides the random ones only the named cases: no block twice
