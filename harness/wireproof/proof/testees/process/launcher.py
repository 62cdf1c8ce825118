"""Start a testee within limits. Run as a program: ``python -I launcher.py REPORT LIMITS FOLDERS COMMAND...``.

The testee runs in namespaces of its own if the system allows it: it has no network, and its child processes
end with it. Limits on processes do not bind root, so root's testee runs as a user of its own, who may still
open root's files. Landlock (Linux 5.13 and newer) permits changes only to files in FOLDERS. The first one is
the process's own, for temporary files: a file system in memory with a limited size, if the system allows it.
Else the size of each file is limited, and wireproof measures the folder. The testee can read every file that
its user may read, and can connect to Unix sockets that have a path. Before the testee begins, the launcher
writes the limits that it could enforce to the report's descriptor, as JSON.
The module imports the standard library only, because it is started for every process of a testee.
"""

import ctypes
import json
import os
import resource
import signal
import sys

_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_CLONE_NEWNS, _MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_PRIVATE_ALL = 0x20000, 2, 4, 4096, 1 << 18 | 1 << 14
_MOST_FILES = 1 << 16
"""The number of temporary files in memory."""
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
_SHARED_MEMORY = "/dev/shm"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
_FIRST_USER = 0x40000000
"""The first user id of root's testees: far above those that systems assign."""

_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: "list[str]") -> None:
    """Apply the limits, then become the testee, or wait for it."""
    report, limits, folders = int(arguments[0]), json.loads(arguments[1]), json.loads(arguments[2])
    command = arguments[3:]
    _end_with_parent()
    alone = _own_namespaces()
    in_memory = _mount_in_memory(folders[0], limits["temporary_bytes"])
    _use_temporary(folders[0])
    enforced = {
        "network": "none, but Unix sockets that have a path" if alone else "the machine's own",
        "memory": _limit(resource.RLIMIT_AS, limits["memory_bytes"]),
        "descriptors": _limit(resource.RLIMIT_NOFILE, limits["descriptors"]),
        "core dumps": _limit(resource.RLIMIT_CORE, 0),
        "temporary files": str(limits["temporary_bytes"]),
    }
    dropped = _drop_root() if os.getuid() == 0 else True
    allowed = _limit(resource.RLIMIT_NPROC, limits["processes"])
    enforced["processes"] = allowed if dropped else "no limit: it runs as root"
    _limit(resource.RLIMIT_FSIZE, limits["temporary_bytes"])
    shared = [_SHARED_MEMORY] if in_memory else []
    protected = _write_protect([*folders, *shared])
    enforced["files written"] = "temporary files of its own" if protected else "not limited"
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


def _mount_in_memory(folder: str, most_bytes: int) -> bool:
    """Put a file system of limited size on the folder and on /dev/shm; return whether it is there."""
    if _libc.unshare(_CLONE_NEWNS) != 0:
        return False
    options = f"size={most_bytes},nr_inodes={_MOST_FILES},mode=1777".encode()
    path, shared = os.fsencode(folder), os.fsencode(_SHARED_MEMORY)
    if _libc.mount(b"none", b"/", None, _MS_PRIVATE_ALL, None) != 0:
        return False
    if _libc.mount(b"wireproof", path, b"tmpfs", _MS_NOSUID | _MS_NODEV, options) != 0:
        return False
    return bool(_libc.mount(path, shared, None, _MS_BIND, None) == 0)


def _use_temporary(folder: str) -> None:
    """Name the folder for temporary files as runtimes expect it. Java ignores TMPDIR."""
    given = os.environ.get("JAVA_TOOL_OPTIONS", "")
    os.environ["TMPDIR"] = folder
    os.environ["JAVA_TOOL_OPTIONS"] = f'{given} "-Djava.io.tmpdir={folder}"'.lstrip()


def _write_protect(folders: "list[str]") -> bool:
    """Permit changes only to files in these folders; return whether the system can."""
    version = _libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _VERSION_ONLY)
    if version < 1:
        return False
    rights = _CHANGES | sum(right for since, right in _SINCE.items() if version >= since)
    rules = _libc.syscall(_LANDLOCK_CREATE_RULESET, ctypes.byref(ctypes.c_uint64(rights)), 8, 0)
    if rules < 0:
        return False
    for path in folders:
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
