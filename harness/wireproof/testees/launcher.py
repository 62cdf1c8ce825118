"""Starts a testee within limits. Run as a program: ``python -I launcher.py REPORT_FD LIMITS COMMAND...``.

In a namespace of its own where the system allows it: no network, and whatever the testee forks ends with it.
What could be enforced is written to the report's descriptor, as JSON, before the testee begins. The standard
library only, and nothing of wireproof: it is started for every process of a testee.
"""

import ctypes
import json
import os
import resource
import signal
import sys

_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_PR_SET_PDEATHSIG = 1


def main(arguments: "list[str]") -> None:
    """Apply the limits, then become the testee, or its keeper."""
    report, limits, command = int(arguments[0]), json.loads(arguments[1]), arguments[2:]
    enforced = {}
    _end_with_parent()
    alone = _own_namespaces()
    enforced["network"] = "none" if alone else "the machine's own"
    enforced["processes"] = _limit_processes(limits["processes"], alone)
    for name, number, most in (
        ("memory", resource.RLIMIT_AS, limits["memory_bytes"]),
        ("descriptors", resource.RLIMIT_NOFILE, limits["descriptors"]),
        ("core", resource.RLIMIT_CORE, 0),
    ):
        enforced[name] = _limit(number, most)
    os.write(report, json.dumps(enforced).encode())
    os.close(report)
    if not alone:
        _become(command)
    keeper = os.fork()
    if keeper == 0:
        _keep(command)
    os.close(0)
    os.close(1)
    _mirror(os.waitpid(keeper, 0)[1])


def _end_with_parent() -> None:
    """When wireproof is killed its testees go, too."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _own_namespaces() -> bool:
    """No network, and process ids of its own; False where the system does not allow that."""
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _CLONE_NEWPID | _CLONE_NEWNET
    if os.getuid() == 0:
        return bool(libc.unshare(flags) == 0)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(flags | _CLONE_NEWUSER) != 0:
        return False
    try:
        for path, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{path}", "w", encoding="ascii") as file:
                file.write(text)
    except OSError:
        sys.exit("wireproof: the user namespace of the testee cannot be set up")
    return True


def _limit_processes(most: int, alone: bool) -> str:
    if os.getuid() == 0:
        return "ended with it, not counted: root has no limit" if alone else "no limit: root has none"
    return _limit(resource.RLIMIT_NPROC, most)


def _limit(number: int, most: int) -> str:
    _, hard = resource.getrlimit(number)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    try:
        resource.setrlimit(number, (most, most))
    except (OSError, ValueError) as error:
        return f"not limited: {error}"
    return str(most)


def _keep(command: "list[str]") -> None:
    """The first process of the namespace: when it ends, the system ends all others in it."""
    _end_with_parent()
    testee = os.fork()
    if testee == 0:
        _become(command)
    os.close(0)
    os.close(1)
    while True:
        ended, status = os.wait()
        if ended == testee:
            # The first process of a namespace cannot die of a signal that it sends itself.
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def _become(command: "list[str]") -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"wireproof: cannot start {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)


def _mirror(status: int) -> None:
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


if __name__ == "__main__":
    main(sys.argv[1:])
