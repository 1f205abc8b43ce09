"""time.h, sys/time.h, sys/timex.h, signal.h, sys/wait.h, sched.h, sys/resource.h, unistd.h's processes, dlfcn.h.

A handler given to the library is a callback that runs `later`: at any time, in any thread.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT,
    OPAQUE,
    SIGSET,
    TIME_T,
    TIMESPEC,
    TM,
    arg,
    both,
    calls,
    copy,
    effects,
    frees,
    fresh,
    fresh_at,
    into,
    keeps,
    loaded,
    n,
    own,
    rd,
    rw,
    static,
    symbol,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect

_ITIMER: Final = Bytes(32, sure_ilp32=16)
_TIMEZONE: Final = Bytes(8)
_RUSAGE: Final = Bytes(272, ilp32=144, sure=144, sure_ilp32=72)
_RLIMIT: Final = Bytes(16, sure_ilp32=8)
_SIGINFO: Final = Bytes(128)
_SIGACTION: Final = Bytes(152, ilp32=140)
_STACK_T: Final = Bytes(24, ilp32=12)
_TMS: Final = Bytes(32, ilp32=16)
_SCHED_PARAM: Final = Bytes(48, sure=4)  # musl's has reserved fields behind sched_priority
# What the system keeps of signals: their handlers, and the values sent with them, which come to those who wait for them
# and, in a siginfo_t, to handlers. Which of these a pointer out of it is, is not told apart.
_SIGNALS: Final = Effect(static_object="signals")
_SET_HANDLER: Final = both(_SIGNALS, Effect(stores=((1, STATIC_ARG),)), calls(1, None, later=True))

TIME: Final = effects(
    ("time", wr(0, TIME_T)),
    ("clock difftime dysize tzset",),
    ("gettimeofday __gettimeofday", wr(0, TIMESPEC), wr(1, _TIMEZONE)),
    ("settimeofday", rd(0, TIMESPEC), rd(1, _TIMEZONE)),
    ("adjtime", rd(0, TIMESPEC), wr(1, TIMESPEC)),
    ("ftime", wr(0, TIMESPEC)),
    ("clock_gettime __clock_gettime clock_getres", wr(1, TIMESPEC)),
    ("timespec_get timespec_getres", wr(0, TIMESPEC)),
    ("clock_settime", rd(1, TIMESPEC)),
    ("clock_getcpuclockid", wr(1, INT)),
    ("adjtimex ntp_adjtime", rw(0, ALL)),
    ("times", wr(0, _TMS)),
    ("mktime timegm timelocal", rw(0, TM)),
    # POSIX: any of these may overwrite what another one has returned, as glibc's ctime does with localtime's
    ("gmtime localtime", rd(0, TIME_T), static("time buffer")),
    ("gmtime_r localtime_r", rd(0, TIME_T), wr(1, TM), arg(1)),
    ("asctime", rd(0, TM), static("time buffer")),
    ("asctime_r", rd(0, TM), wr(1, Bytes(26)), arg(1)),
    ("ctime", rd(0, TIME_T), static("time buffer")),
    ("ctime_r", rd(0, TIME_T), wr(1, Bytes(26)), arg(1)),
    ("strftime strftime_l", wr(0, n(1)), rd(2), rd(3, TM), rd(3, deref=1)),  # %Z: the name that tm_zone points to
    ("wcsftime", wr(0, n(1, unit=4)), rd(2), rd(3, TM), rd(3, deref=1)),
    ("strptime", rd(0), rd(1), wr(2, TM), into(0)),
    ("getdate", rd(0), static("getdate buffer", TM)),
    ("getitimer", wr(1, _ITIMER)),
    ("setitimer", rd(1, _ITIMER), wr(2, _ITIMER)),
    (
        "timer_create",
        *(rd(1, ALL), rd(1, ALL, deref=1), calls(1, 1, later=True, deref=True, loads=True), fresh_at(2, ALL)),
        *(_SIGNALS, copy(STATIC_ARG, 1)),  # the value, if a signal tells of the timer
    ),
    ("timer_settime", rd(0, ALL), rd(2, _ITIMER), wr(3, _ITIMER)),
    ("timer_gettime", rd(0, ALL), wr(1, _ITIMER)),
    ("timer_getoverrun", rd(0, ALL)),
    ("timer_delete", wr(0, ALL)),
    ("timerfd_create",),
    ("timerfd_settime", rd(2, _ITIMER), wr(3, _ITIMER)),
    ("timerfd_gettime", wr(1, _ITIMER)),
    ("nanosleep", rd(0, TIMESPEC), wr(1, TIMESPEC)),
    ("clock_nanosleep", rd(2, TIMESPEC), wr(3, TIMESPEC)),
    ("sleep usleep alarm ualarm pause",),
)

SIGNAL: Final = effects(
    # the old handler comes back: it is kept in a table that the system guards
    ("signal ssignal bsd_signal sysv_signal __sysv_signal sigset", _SET_HANDLER, loaded(STATIC_ARG)),
    (
        "sigaction __sigaction",
        *(rd(1, _SIGACTION), wr(2, _SIGACTION), calls(1, None, STATIC_ARG, None, later=True, deref=True)),
        *(_SIGNALS, copy(STATIC_ARG, 1), copy(2, STATIC_ARG)),
    ),
    ("sigemptyset sigfillset", wr(0, SIGSET)),
    ("sigaddset sigdelset", rw(0, SIGSET)),
    ("sigismember sigisemptyset", rd(0, SIGSET)),
    ("sigandset sigorset", wr(0, SIGSET), rd(1, SIGSET), rd(2, SIGSET)),
    ("sigprocmask pthread_sigmask", rd(1, SIGSET), wr(2, SIGSET)),
    ("sigpending", wr(0, SIGSET)),
    ("sigsuspend", rd(0, SIGSET)),
    ("sigwait", rd(0, SIGSET), wr(1, INT)),
    ("sigwaitinfo", rd(0, SIGSET), wr(1, _SIGINFO), _SIGNALS, copy(1, STATIC_ARG)),
    ("sigtimedwait", rd(0, SIGSET), wr(1, _SIGINFO), rd(2, TIMESPEC), _SIGNALS, copy(1, STATIC_ARG)),
    ("signalfd", rd(1, SIGSET)),
    (
        "sigaltstack",
        *(rd(0, _STACK_T), keeps(0), wr(1, _STACK_T)),
        *(Effect(static_object="alternate stacks"), copy(STATIC_ARG, 0), copy(1, STATIC_ARG)),
    ),
    ("raise kill killpg tgkill tkill pthread_kill siginterrupt",),
    ("sigqueue pthread_sigqueue", _SIGNALS, Effect(stores=((2, STATIC_ARG),))),
    ("sighold sigrelse sigignore sigpause sigblock sigsetmask siggetmask",),
    ("__libc_current_sigrtmin __libc_current_sigrtmax gsignal",),
    ("psiginfo", rd(0, _SIGINFO), rd(1)),
)

_MAX_ARGUMENTS: Final = 128  # in the source of one call

PROCESSES: Final = effects(
    ("fork vfork _Fork getpid getppid gettid getpgid getpgrp setpgid setpgrp setsid getsid",),
    ("getuid geteuid getgid getegid setuid seteuid setgid setegid setreuid setregid setresuid setresgid",),
    ("getresuid getresgid", wr(0, INT), wr(1, INT), wr(2, INT)),
    ("getgroups", wr(1, n(0, unit=4))),
    ("setgroups", rd(1, n(0, unit=4))),
    ("initgroups", rd(0)),
    ("execve execvpe", rd(0), rd(1, ALL), rd(1, deref=True), rd(2, ALL), rd(2, deref=True)),
    ("acct", rd(0)),
    ("execv execvp", rd(0), rd(1, ALL), rd(1, deref=True)),
    ("execl execlp", *(rd(i) for i in range(_MAX_ARGUMENTS))),
    ("execle", *(part for i in range(_MAX_ARGUMENTS) for part in (rd(i, ALL), rd(i, deref=True)))),
    ("fexecve", rd(1, ALL), rd(1, deref=True), rd(2, ALL), rd(2, deref=True)),
    (
        "posix_spawn posix_spawnp",
        *(wr(0, INT), rd(1), rd(2, ALL), rd(3, ALL), rd(4, ALL), rd(4, deref=True), rd(5, ALL), rd(5, deref=True)),
    ),
    ("posix_spawn_file_actions_init posix_spawnattr_init", wr(0, ALL)),
    ("posix_spawn_file_actions_destroy posix_spawnattr_destroy", rw(0, ALL)),
    ("posix_spawn_file_actions_addclose posix_spawn_file_actions_adddup2 posix_spawnattr_setflags", rw(0, ALL)),
    ("posix_spawnattr_setpgroup posix_spawnattr_setschedpolicy", rw(0, ALL)),
    ("posix_spawn_file_actions_addopen", rw(0, ALL), rd(2)),
    ("posix_spawnattr_setsigmask posix_spawnattr_setsigdefault", rw(0, ALL), rd(1, SIGSET)),
    ("wait", wr(0, INT)),
    ("waitpid", wr(1, INT)),
    ("wait3", wr(0, INT), wr(2, _RUSAGE)),
    ("wait4", wr(1, INT), wr(3, _RUSAGE)),
    ("waitid", wr(2, _SIGINFO)),
    ("clone __clone", calls(0, 3, later=True), keeps(1)),
    ("unshare setns daemon nice",),
    ("getpriority setpriority",),
    ("getrlimit", wr(1, _RLIMIT)),
    ("setrlimit", rd(1, _RLIMIT)),
    ("prlimit", rd(2, _RLIMIT), wr(3, _RLIMIT)),
    ("getrusage", wr(1, _RUSAGE)),
    ("sched_yield sched_getcpu sched_get_priority_max sched_get_priority_min sched_getscheduler",),
    ("sched_setscheduler", rd(2, _SCHED_PARAM)),
    ("getcpu", wr(0, INT), wr(1, INT)),
    ("sched_setparam", rd(1, _SCHED_PARAM)),
    ("sched_getparam", wr(1, _SCHED_PARAM)),
    ("sched_rr_get_interval", wr(1, TIMESPEC)),
    ("sched_setaffinity", rd(2, n(1))),
    ("sched_getaffinity", wr(2, n(1))),
    ("__sched_cpucount", rd(1, n(0))),
    ("__sched_cpualloc", OPAQUE),
    ("__sched_cpufree", frees(0)),
    ("prctl", rw(1, ALL)),
    ("personality getauxval",),
    ("sysinfo", wr(0, Bytes(112, ilp32=64))),
    ("get_nprocs get_nprocs_conf get_phys_pages get_avphys_pages getpagesize sysconf",),
    ("dlopen", rd(0), OPAQUE),
    ("dlclose", wr(0, ALL)),
    ("dlsym dlvsym", rd(0, ALL), rd(1), symbol(1)),
    ("dladdr", wr(1, Bytes(32, ilp32=16))),
    ("dlerror", own("dlerror")),
    ("backtrace", wr(0, n(1, unit=8))),
    ("backtrace_symbols_fd", rd(0, n(1, unit=8))),
    ("backtrace_symbols", rd(0, n(1, unit=8)), fresh(ALL, linked=True)),
)

TIMES: Final = TIME | SIGNAL | PROCESSES
