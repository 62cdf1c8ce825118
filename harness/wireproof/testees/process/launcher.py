"""Start a testee within limits. Run as a program: ``python -I launcher.py REPORT_FD LIMITS COMMAND...``.

The testee runs in namespaces of its own if the system allows it: it has no network, and its child processes
end with it. Limits on processes do not bind root, so root's testee runs as a user of its own, who may still
open root's files. Landlock (Linux 5.13 and newer) permits changes only to files in the testee's own folder
and in the folders for temporary files. The testee can read every file that its user may read, and can connect
to Unix sockets that have a path. Before the testee begins, the launcher writes the limits that it could
enforce to the report's descriptor, as JSON.
The module imports the standard library only, because it is started for every process of a testee.
"""

import ctypes
import json
import os
import resource
import signal
import sys

_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 1, 8, 38, 47
_PR_CAP_AMBIENT_RAISE = 2
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2
_CAPABILITY_VERSION_3 = 0x20080522
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_VERSION_ONLY, _PATH_BENEATH = 1, 1
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
_CHANGES = _WRITE_FILE | 0b1_1111_1111 << 4
"""Landlock's rights to write, create and remove files (landlock(7))."""
_SINCE = {2: _REFER, 3: _TRUNCATE}
"""The rights that later versions of Landlock added."""
_SHARED = ("/tmp", "/var/tmp", "/dev/shm")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
_FIRST_USER = 0x40000000
"""The first user id of root's testees: far above those that systems assign."""

_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: "list[str]") -> None:
    """Apply the limits, then become the testee, or wait for it."""
    report, limits, command = int(arguments[0]), json.loads(arguments[1]), arguments[2:]
    _end_with_parent()
    alone = _own_namespaces()
    enforced = {
        "network": "none, but Unix sockets that have a path" if alone else "the machine's own",
        "memory": _limit(resource.RLIMIT_AS, limits["memory_bytes"]),
        "descriptors": _limit(resource.RLIMIT_NOFILE, limits["descriptors"]),
        "core dumps": _limit(resource.RLIMIT_CORE, 0),
    }
    dropped = _drop_root() if os.getuid() == 0 else True
    allowed = _limit(resource.RLIMIT_NPROC, limits["processes"])
    enforced["processes"] = allowed if dropped else "no limit: it runs as root"
    written = "its own folder and those for temporary files" if _write_protect() else "not limited"
    enforced["files written"] = written
    enforced["files read"] = "not limited"
    os.write(report, json.dumps(enforced).encode())
    os.close(report)
    _end_with_parent()
    if not alone:
        _become(command)
    keeper = os.fork()
    if keeper == 0:
        _keep(command)
    os.close(0)
    os.close(1)
    _mirror(os.waitpid(keeper, 0)[1])


def _end_with_parent() -> None:
    """Let the system kill this process with its parent. A change of user clears this."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _own_namespaces() -> bool:
    """Leave the network, and get process ids of its own; return whether the system allowed it."""
    if os.getuid() == 0:
        return bool(_libc.unshare(_CLONE_NEWPID | _CLONE_NEWNET) == 0)
    # Some systems allow the first step and not the second: a child tries both.
    child = os.fork()
    if child == 0:
        os._exit(0 if _own_user_namespace() else 1)
    return os.waitpid(child, 0)[1] == 0 and _own_user_namespace()


def _own_user_namespace() -> bool:
    """Do the same without being root: in a user namespace that keeps the user's id."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_CLONE_NEWUSER | _CLONE_NEWPID | _CLONE_NEWNET) != 0:
        return False
    maps = (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"))
    try:
        for path, text in maps:
            with open(f"/proc/self/{path}", "w", encoding="ascii") as file:
                file.write(text)
    except OSError:
        return False
    return True


def _drop_root() -> bool:
    """Become a user of its own; return whether the system allowed it."""
    user = _FIRST_USER + os.getpid()
    kept = 1 << _CAP_DAC_OVERRIDE | 1 << _CAP_DAC_READ_SEARCH
    if _libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0:
        return False
    try:
        os.setresuid(user, user, user)
    except OSError:
        return False
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # Effective, permitted, inheritable: of the lower 32 capabilities, then of the upper ones.
    if _libc.capset(header, (ctypes.c_uint32 * 6)(kept, kept, kept, 0, 0, 0)) == 0:
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0)
    return True


def _write_protect() -> bool:
    """Permit changes only to files in its own and temporary folders; return whether the system can."""
    version = _libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _VERSION_ONLY)
    if version < 1:
        return False
    rights = _CHANGES | sum(right for since, right in _SINCE.items() if version >= since)
    rules = _libc.syscall(_LANDLOCK_CREATE_RULESET, ctypes.byref(ctypes.c_uint64(rights)), 8, 0)
    if rules < 0:
        return False
    for path in {os.getcwd(), *_SHARED, os.environ.get("TMPDIR", "")}:
        _allow(rules, path, rights)
    for path in _DEVICES:
        _allow(rules, path, rights & (_WRITE_FILE | _TRUNCATE))
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    done = _libc.syscall(_LANDLOCK_RESTRICT_SELF, rules, 0) == 0
    os.close(rules)
    return bool(done)


def _allow(rules: int, path: str, rights: int) -> None:
    """Add rights beneath a path, if it exists."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    beneath = rights.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder)
    _libc.syscall(_LANDLOCK_ADD_RULE, rules, _PATH_BENEATH, beneath, 0)
    os.close(descriptor)


def _limit(number: int, allowed: int) -> str:
    _, hard = resource.getrlimit(number)
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    try:
        resource.setrlimit(number, (allowed, allowed))
    except (OSError, ValueError) as error:
        return f"not limited: {error}"
    return str(allowed)


def _keep(command: "list[str]") -> None:
    """Be the first process of the namespace: when it ends, the system ends all others in it."""
    _end_with_parent()
    testee = os.fork()
    if testee == 0:
        _become(command)
    os.close(0)
    os.close(1)
    while True:
        ended, status = os.wait()
        if ended == testee:
            _mirror(status)


def _become(command: "list[str]") -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"wireproof: cannot start {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)


def _mirror(status: int) -> None:
    """End as the testee did; a signal becomes an exit code, because it cannot cross the namespace."""
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


if __name__ == "__main__":
    main(sys.argv[1:])
