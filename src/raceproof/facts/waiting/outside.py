"""Functions of the library in which a thread may wait for what another thread of the program does, and that are no
thread operations.

A wait for the outside world (input, the network, time) is taken to end. These are for waits that a thread of the
program itself may have to end: through channels that the program makes, signals, child processes, locks on files, and
locks inside streams that the program holds on to (flockfile). One makes others wait: readers of a rwlock that prefers
writers wait for who has not got it yet.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Call, IntConst


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMES: Final = _words("""
    pipe pipe2 socketpair socket eventfd signalfd mkfifo mkfifoat mknod mknodat popen mq_open msgget semget memfd_create
    openpty forkpty posix_openpt inotify_init inotify_init1 userfaultfd pidfd_open
    sigwait sigwaitinfo sigtimedwait sigsuspend sigpause pause
    wait wait3 wait4 waitpid waitid fork vfork _Fork clone posix_spawn posix_spawnp system
    flock lockf lockf64 syscall aio_suspend lio_listio getaddrinfo_a gai_suspend
    flockfile ftrylockfile dlopen dlclose
    pthread_rwlockattr_setkind_np
""")
_OFD_WAIT: Final = 38
"""F_OFD_SETLKW: the only lock of fcntl that one thread can hold against another one of its process."""


def may_wait_outside(name: str, call: Call) -> bool:
    """Whether the function may make the thread wait for another one, or lead to that."""
    names = set(names_of(name))
    if names & {"fcntl", "fcntl64"}:
        command = call.args[1] if len(call.args) > 1 else None
        return not isinstance(command, IntConst) or command.value == _OFD_WAIT
    return not _NAMES.isdisjoint(names)
