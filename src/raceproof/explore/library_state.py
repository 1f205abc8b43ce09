"""What the library and the system keep for all threads outside of the program's memory: who changes it, who can tell.

The search tries orders of events, and a call such as `getchar` is none. Where one thread changes such a state and
another one can tell, the order of the two calls may decide what the program does, and nobody tries it.

    State(_words("pthread_setname_np"), _words("pthread_getname_np"))

Two threads that draw numbers from one sequence change it and can tell, both: who comes first gets the first number.
The lists err on the side of more. Random numbers that cannot be seeded, addresses and clocks are no such state: they
are part of the given input, and each thread has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from raceproof.facts import sync_op


@dataclass(frozen=True, slots=True)
class State:
    """Functions that change something for all threads, and functions whose result or effect depends on it.

    `needs`: it changes only in programs that have one of these; empty: in all.
    """

    changes: frozenset[str]
    asks: frozenset[str]
    needs: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _shared(text: str) -> State:
    """Each call changes it, and can tell."""
    return State(_words(text), _words(text))


# -- streams and descriptors: in memory mode only the standard ones. Which one a call is about is not looked at.

_BYTES_IN: Final = _words("""
    getc getc_unlocked _IO_getc getchar getchar_unlocked fgetc fgetc_unlocked ungetc getw gets fgets fgets_unlocked
    fread fread_unlocked getdelim __getdelim getline scanf vscanf fscanf vfscanf __uflow
""")
_WIDE_IN: Final = _words("""
    getwc getwc_unlocked getwchar getwchar_unlocked fgetwc fgetwc_unlocked ungetwc fgetws fgetws_unlocked
    wscanf vwscanf fwscanf vfwscanf
""")
_BYTES_OUT: Final = _words("""
    putc putc_unlocked _IO_putc putchar putchar_unlocked fputc fputc_unlocked putw puts fputs fputs_unlocked
    fwrite fwrite_unlocked printf vprintf fprintf vfprintf perror psignal psiginfo __overflow
    err errx verr verrx warn warnx vwarn vwarnx error error_at_line
""")
_WIDE_OUT: Final = _words("""
    putwc putwc_unlocked putwchar putwchar_unlocked fputwc fputwc_unlocked fputws fputws_unlocked
    wprintf vwprintf fwprintf vfwprintf
""")
_MOVES: Final = _words("""
    fseek fseeko rewind fsetpos clearerr clearerr_unlocked setvbuf setbuf setbuffer setlinebuf freopen
""")
_ASKS: Final = _words("feof feof_unlocked ferror ferror_unlocked ftell ftello fgetpos fwide")
_FLUSHES: Final = _words("fflush fflush_unlocked")
_DESCRIPTORS: Final = _words("read readv write writev dprintf vdprintf isatty")
STREAMS: Final = _BYTES_IN | _WIDE_IN | _BYTES_OUT | _WIDE_OUT | _MOVES | _ASKS | _FLUSHES
_READS: Final = _BYTES_IN | _WIDE_IN | _MOVES | _words("read readv")
_WRITES: Final = _BYTES_OUT | _WIDE_OUT | _MOVES | _FLUSHES | _words("write writev dprintf vdprintf")

_STREAM_STATES: Final = (
    State(_READS, _READS | _ASKS),
    State(_WRITES, _MOVES | _ASKS),
    # A stream serves either bytes or wide characters: the first call decides.
    State(_WIDE_IN | _WIDE_OUT | _words("fwide"), _BYTES_IN | _BYTES_OUT),
    # A stream that was closed must not be used, but what is below it may be.
    State(_words("close dup2"), STREAMS | _DESCRIPTORS),
    State(_words("fclose freopen"), _DESCRIPTORS),
)

# Files that the program has opened, all of them: what one thread finds there depends on what others have written.
FILE_ASKS: Final = _BYTES_IN | _WIDE_IN | _MOVES | _ASKS
FILE_CHANGES: Final = (FILE_ASKS | _FLUSHES | _BYTES_OUT | _WIDE_OUT | _words("fclose")) - _words(
    "printf vprintf puts putchar putchar_unlocked putwchar putwchar_unlocked wprintf vwprintf perror psignal psiginfo"
)

# -- of the process

_ENVIRONMENT: Final = _words("setenv putenv unsetenv clearenv")
_LOCAL_TIME: Final = _words("""
    localtime localtime_r ctime ctime_r mktime timelocal strftime strftime_l wcsftime tzset getdate strptime
""")
_MESSAGES: Final = _words("textdomain bindtextdomain bind_textdomain_codeset")
_GETTEXT: Final = _words("gettext dgettext dcgettext ngettext dngettext dcngettext")
_DRAWS: Final = _words("rand random initstate setstate")
_DRAWS_48: Final = _words("drand48 lrand48 mrand48 seed48")
_KEYS: Final = _words("pthread_key_create tss_create")
_EXIT_HANDLERS: Final = _words("atexit on_exit at_quick_exit __cxa_atexit")
_EXITS: Final = _words("exit quick_exit err errx verr verrx error error_at_line")

_PROCESS_STATES: Final = (
    # As long as nobody changes the environment, each call finds the same time zone.
    State(_ENVIRONMENT | _LOCAL_TIME, _LOCAL_TIME, needs=_ENVIRONMENT),
    State(_MESSAGES, _MESSAGES | _GETTEXT),
    State(_DRAWS | _words("srand srandom"), _DRAWS),
    State(_DRAWS_48 | _words("srand48 lcong48"), _DRAWS_48 | _words("erand48 nrand48 jrand48")),
    _shared("alarm ualarm setitimer getitimer"),
    _shared("getopt getopt_long getopt_long_only"),
    _shared("strtok"),
    State(_EXIT_HANDLERS, _EXIT_HANDLERS | _EXITS),
)

# -- of the runtime's threads

_SIGNALS: Final = _words("kill killpg raise gsignal pthread_kill")
_THREAD_STATES: Final = (
    _shared("sem_open sem_unlink"),
    State(_SIGNALS, _SIGNALS | _words("sigwait sigwaitinfo sigtimedwait sigpending sigsuspend pause")),
    State(_KEYS | _words("pthread_key_delete tss_delete"), _KEYS),
    State(_words("pthread_setname_np prctl"), _words("pthread_getname_np prctl")),
    State(
        _words("pthread_setschedparam pthread_setschedprio sched_setscheduler sched_setparam"),
        _words("pthread_getschedparam sched_getscheduler sched_getparam"),
    ),
    State(_words("pthread_setconcurrency"), _words("pthread_getconcurrency")),
    State(
        _words("pthread_setaffinity_np sched_setaffinity"),
        _words("pthread_getaffinity_np sched_getaffinity pthread_getattr_np"),
    ),
)

STATES: Final = (*_STREAM_STATES, *_PROCESS_STATES, *_THREAD_STATES)

# Of the system: other threads may change what the answer is. Files that are no standard ones were opened by others.
QUESTIONS: Final = _words("""
    read readv write writev close poll ppoll select pselect isatty raise gsignal kill killpg pthread_kill
    getenv secure_getenv __secure_getenv getpgrp getpgid getsid getrlimit getdtablesize getpriority sysconf
    getuid geteuid getgid getegid getresuid getresgid getgroups gethostname getdomainname
    access eaccess euidaccess faccessat stat lstat fstatat statx statfs statvfs readlink readlinkat
    realpath canonicalize_file_name getcwd get_current_dir_name pathconf fpathconf
    __stat __lstat __xstat __lxstat __fxstatat
""")
# Of these the next one to ask can tell.
ANSWERS: Final = _words("read readv write writev close raise gsignal kill killpg pthread_kill")

# By these a thread tells others something, or learns of it, through the system: the runtime orders the one behind the
# other. C11 knows no such order, but a race that it excludes is one that no run can show.
_LOCKS_FILES: Final = _words("flock lockf fcntl rename link symlink renameat renameat2 linkat symlinkat futex syscall")
TELLS: Final = (
    _LOCKS_FILES
    | FILE_CHANGES
    | _words("""
    semop semtimedop semctl msgsnd msgctl shmdt write writev pwrite pwritev send sendto sendmsg sendmmsg sendfile splice
    tee vmsplice close shutdown dprintf vdprintf kill killpg raise gsignal pthread_kill pthread_sigqueue sigqueue tgkill
    mq_send mq_timedsend mq_close mq_unlink eventfd_write unlink unlinkat rmdir remove fclose pclose timerfd_settime
    connect ftruncate fork vfork
""")
)
LEARNS: Final = (
    _LOCKS_FILES
    | FILE_ASKS
    | _words("""
    semop semtimedop semctl msgrcv msgctl shmat read readv pread preadv recv recvfrom recvmsg recvmmsg accept accept4
    poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2 sigwait sigwaitinfo sigtimedwait sigsuspend pause
    sigpending mq_receive mq_timedreceive mq_getattr eventfd_read open open64 openat openat64 creat mkdir mkdirat
    wait waitpid waitid wait3 wait4 system pclose connect stat lstat fstat access
""")
)

# What the runtime has of its own and no other thread can tell, beside all that is an event of the search.
_FOR_ITSELF: Final = _words("""
    time clock gettimeofday __gettimeofday clock_gettime timespec_get ftime times getrusage
    malloc calloc realloc reallocarray free cfree free_sized free_aligned_sized aligned_alloc memalign posix_memalign
    valloc pvalloc malloc_trim malloc_usable_size mallopt strdup strndup wcsdup asprintf vasprintf __strdup __strndup
    __libc_malloc __libc_calloc __libc_realloc __libc_free __libc_memalign qsort qsort_r
    _exit _Exit exit_group abort fclose reach_error
    arc4random arc4random_buf arc4random_uniform getrandom getentropy
    uselocale pthread_sigmask sigprocmask sigaltstack
    getpid getppid gettid getcpu sched_getcpu get_nprocs get_nprocs_conf
""")
_FAMILIES: Final = ("__VERIFIER_", "__assert", "_Z", "__cxa_pure", "__stack_chk", "__chk_fail")
_CLEANUP: Final = ("__pthread_register", "__pthread_unregister", "__pthread_unwind", "_pthread_cleanup")


_PLACED: Final = _FOR_ITSELF | QUESTIONS | frozenset[str]().union(*(state.changes | state.asks for state in STATES))


def is_placed(name: str) -> bool:
    """Whether it is known who can tell that this function of the runtime's was called; or it is an event, or nobody."""
    return name in _PLACED or name.startswith(_FAMILIES + _CLEANUP) or sync_op(name) is not None
