"""A command with one thread forks its workers; those of other processes share its environment alone."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, sys, threading
from answering import answer
from wireproof.base.own_process import claim_process
from wireproof.proof.run.engine.worker_pool import WorkerPool

if "claim" in sys.argv:
    claim_process()
end = threading.Event()
if "thread" in sys.argv:
    threading.Thread(target=end.wait).start()
sys.marked = True
pool = WorkerPool(answer)
workers = []
for place in "ab":
    os.mkdir(place)
    os.chdir(place)
    os.environ["PLACE"] = place
    workers.append(pool.start(None))
answers = []
for number, worker in enumerate(workers):
    pool.give(worker, number)
    answers.append(worker.pipe.recv())
pool.dismiss(workers[0])  # its pipe breaks, though the other worker began later
print(answers, workers[0].process.exitcode)
pool.end()
end.set()
"""
ANSWERING = """
import os, sys

def answer(send):
    return lambda job: send((job, os.environ["PLACE"], os.path.basename(os.getcwd()), hasattr(sys, "marked")))
"""


@pytest.mark.parametrize(
    ("words", "forked"),
    [(["claim"], sys.platform == "linux"), (["claim", "thread"], False), ([], False)],
    ids=["a command", "with a thread", "a program of a user"],
)
def test_a_command_with_one_thread_forks(tmp_path, words: list[str], forked: bool) -> None:
    """Forked workers have what the command had in memory. They end when the pool dismisses them.

    Each worker has the environment and the folder that the program had when it started the worker.
    """
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "answering.py").write_text(ANSWERING)
    command = [sys.executable, "program.py", *words]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == f"{[(0, 'a', 'a', forked), (1, 'b', 'b', forked)]} 0\n", ran.stderr
