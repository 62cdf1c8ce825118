"""The gate of a pull request: the time until a planted regression has its annotation, and false alarms.

    python benchmarks/ci_gate.py --times 100

Makes a repository with a small codec, and runs the steps of integrations/github/action.yml on it as a runner
does: first on a branch with a regression, then so many times on the branch without one. Each of these runs
has another seed, while the profile `pr` has the same one in each run. wireproof is installed once,
by the action's own step. Needs git, Java 17 and a package index. Exits 1 where a figure is not what the
project promises.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.integrations.codec_repository import plant, start_repository  # noqa: E402
from tests.integrations.composite_action import ActionRun, run_action  # noqa: E402

ACTION: Final = ROOT / "integrations" / "github"
INSTALL: Final = "Install wireproof"
CODEC: Final = "my-codec"
KEPT: Final = ("PATH", "HOME", "WIREPROOF_CACHE", "JAVA_HOME")
MOST_S: Final = 60


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=100, help="runs of the unchanged codec (default: 100)")
    parser.add_argument(
        "--extras", default="oracle", help="the input `extras` of the action (default: oracle)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ci gate ") as folder:
        runner = Runner(Path(folder), options.extras)
        failed = _report_regression(runner)
        failed += _report_unchanged(runner, options.times)
    return 1 if failed else 0


class Runner:
    """A runner with a clone of a repository: the branch `main` is right, `regression` has a bug."""

    def __init__(self, folder: Path, extras: str) -> None:
        self.repository = start_repository(folder / "repository", CODEC)
        self._temp = folder / "runner"
        self._temp.mkdir()
        self._extras = extras
        for words in (["init", "--quiet", "--initial-branch", "main"], ["add", "."], _commit("A codec")):
            self.git(*words)
        self.git("switch", "--quiet", "--create", "regression")
        plant(self.repository / CODEC)
        self.git(*_commit("A change"))

    def git(self, *words: str) -> None:
        """Run git in the repository."""
        subprocess.run(["git", *words], cwd=self.repository, check=True)

    def check(self, branch: str, arguments: str = "", *, install: bool = False) -> tuple[ActionRun, float]:
        """Run the action on a branch.

        Returns:
            the run, and the seconds until it printed its first annotation of an error; those until its end if
            it printed none.
        """
        self.git("switch", "--quiet", branch)
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        env["PATH"] = os.pathsep.join([str(self._temp / "wireproof" / "bin"), env["PATH"]])
        annotated: list[float] = []
        started = time.perf_counter()

        def see(line: str) -> None:
            if line.startswith("::error "):
                annotated.append(time.perf_counter() - started)

        inputs = {"testee": f"./{CODEC}", "extras": self._extras, "arguments": arguments}
        without = () if install else (INSTALL,)
        ran = run_action(ACTION, self.repository, self._temp, inputs, env, without=without, see=see)
        return ran, next(iter(annotated), time.perf_counter() - started)


def _commit(message: str) -> Sequence[str]:
    author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    return (*author, "commit", "--quiet", "--all", "--message", message)


def _report_regression(runner: Runner) -> bool:
    ran, first_s = runner.check("regression", install=True)
    _, again_s = runner.check("regression")
    annotations = [line for line in ran.output.splitlines() if line.startswith("::error ")]
    found = ran.outputs["run"]["exit-code"] == "1" and any("clientSoftware" in line for line in annotations)
    if not found:
        print(ran.output)
    print(f"a planted regression: {'found' if found else 'NOT FOUND'}, {len(annotations)} annotations")
    print(f"  seconds until the annotation      {first_s:8.1f}  promised at most {MOST_S}")
    print(f"  the same with wireproof installed {again_s:8.1f}")
    return not found or first_s > MOST_S


def _report_unchanged(runner: Runner, times: int) -> bool:
    passed, seconds = 0, []
    for number in range(1, times + 1):
        ran, took_s = runner.check("main", f"--seed {number}")
        seconds.append(took_s)
        if not ran.failed and "::error" not in ran.output:
            passed += 1
        else:
            print(f"run {number} (--seed {number}) failed in {ran.failed or 'no step'}:\n{ran.output}")
    print(f"an unchanged codec: {passed} of {times} runs pass, {sum(seconds) / max(times, 1):.1f} s each")
    return passed < times


if __name__ == "__main__":
    sys.exit(main())
