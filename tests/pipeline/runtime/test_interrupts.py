"""An interrupt of a program that calls Java is raised once, whenever it comes, and leaves no traceback."""

import logging
import os
import subprocess
import sys

from wireproof.pipeline.runtime import spark_session

PROGRAM = """
import random, signal, threading, time, weakref
from pyspark.sql import functions as f
from wireproof.pipeline.runtime.spark_session import connect_again, interrupts_first, stop
from wireproof.pipeline.runtime.spark_session import start

class Collected:
    pass

def columns():
    while True:
        f.count_if(f.col("a").isNotNull())

def finalizer():
    each = Collected()
    kept = weakref.ref(each, lambda _: signal.raise_signal(signal.SIGINT))
    del each
    time.sleep(60)

spark = start("local[1]", settings={"spark.ui.enabled": "false"})
random.seed(1)
this, raised = threading.get_ident(), 0
for number in range(101):
    try:
        if number == 0:
            finalizer()
        threading.Timer(random.uniform(0.001, 0.03), signal.pthread_kill, (this, signal.SIGINT)).start()
        with interrupts_first():
            columns()
    except KeyboardInterrupt:
        raised += 1
    connect_again(spark)
    f.col("a")
assert spark.range(3).count() == 3
stop(spark)
print(raised)
"""


def test_an_interrupt_is_raised_whenever_it_comes() -> None:
    """In a command, between two, and in a finalizer, whose exceptions Python drops; Spark works after it."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "101\n", done.stderr
    assert "Traceback" not in done.stderr


def test_py4j_is_silent_about_commands_that_an_interrupt_ended() -> None:
    """Also about one that ends Spark afterwards; another failure is logged."""

    def record(error: BaseException) -> logging.LogRecord:
        return logging.LogRecord("root", logging.ERROR, "", 1, "", (), (type(error), error, None))

    followed = OSError("the answer is empty")
    followed.__context__ = KeyboardInterrupt()
    assert not spark_session._not_interrupted(record(KeyboardInterrupt()))
    assert not spark_session._not_interrupted(record(followed))
    assert spark_session._not_interrupted(record(OSError("the connection is gone")))
