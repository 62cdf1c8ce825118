"""Sessions of Spark that one process starts one after the other."""

import os
import subprocess
import sys

AGAIN = """
from wireproof.pipeline.job_plan import PipelineError
from wireproof.pipeline.runtime.spark_session import start
for cores in (1, 2):
    session = start(f"local[{cores}]", settings={"spark.ui.enabled": "false"})
    print(session.sparkContext.defaultParallelism, session.range(5).count())
    session.stop()
try:
    start("nonsense")
except PipelineError as error:
    print(error.message)
print(start("local[1]", settings={"spark.ui.enabled": "false"}).range(3).count())
"""


def test_one_session_after_the_other() -> None:
    """They share the JVM of the process; one that does not start leaves nothing, and is said in a line."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", AGAIN], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, second, refused, last = done.stdout.splitlines()
    assert (first, second, last) == ("1 5", "2 5", "3")
    assert refused.startswith("Spark does not start on nonsense with ")
    assert refused.endswith("Could not parse Master URL: 'nonsense'")
