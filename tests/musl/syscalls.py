"""What system calls read and write through their arguments, one letter per argument.

    -  a number, or an address that is not looked at        r  read        w  written        x  read and written
    R  an array of structures that is read, and what its pointers lead to (writev)
    W  the same, but what they lead to is written (readv)

From the manual pages of Linux. A number that is not here reads and writes whatever any argument leads to.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from musl.sources import root

_CALLS: Final = """
read -w-          write -r-         open r--          close -           stat rw           fstat -w
lstat rw          poll x--          lseek ---         mmap ------       mprotect ---      munmap --
brk -             rt_sigaction -rw- rt_sigprocmask -rw- ioctl --X       pread64 -w--      pwrite64 -r--
readv -W-         writev -R-        access r-         pipe w            select -xxxx      sched_yield
mremap -----      msync ---         mincore --w       madvise ---       shmget ---        shmat ---
shmctl --x        dup -             dup2 --           pause             nanosleep rw      getitimer -w
alarm -           setitimer -rw     getpid            sendfile --x-     socket ---        connect -r-
accept -wx        sendto -r--r-     recvfrom -w--wx   sendmsg -R-       recvmsg -Y-       shutdown --
bind -r-          listen --         getsockname -wx   getpeername -wx   socketpair ---w   setsockopt ---r-
getsockopt ---wx  clone -----       fork              vfork             execve rRR        exit -
wait4 -w-w        kill --           uname w           semget ---        semop -r-         semctl ---X
shmdt -           msgget ---        msgsnd -r--       msgrcv -w---      msgctl --x        fcntl --x
flock --          fsync -           fdatasync -       truncate r-       ftruncate --      getdents -w-
getcwd w-         chdir r           fchdir -          rename rr         mkdir r-          rmdir r
creat r-          link rr           unlink r          symlink rr        readlink rw-      chmod r-
fchmod --         chown r--         fchown ---        lchown r--        umask -           gettimeofday ww
getrlimit -w      getrusage -w      sysinfo w         times w           ptrace ---x       getuid
syslog -w-        getgid            setuid -          setgid -          geteuid           getegid
setpgid --        getppid           getpgrp           setsid            setreuid --       setregid --
getgroups -w      setgroups -r      setresuid ---     getresuid www     setresgid ---     getresgid www
getpgid -         setfsuid -        setfsgid -        getsid -          capget xw         capset rr
rt_sigpending w-  rt_sigtimedwait rwr- rt_sigqueueinfo --r rt_sigsuspend r- sigaltstack rw utime rr
mknod r--         personality -     statfs rw         fstatfs -w        getpriority --    setpriority ---
sched_setparam -r sched_getparam -w sched_setscheduler --r sched_getscheduler - sched_get_priority_max -
sched_get_priority_min - sched_rr_get_interval -w mlock -- munlock -- mlockall - munlockall
vhangup           pivot_root rr     prctl -----       arch_prctl --     adjtimex x        setrlimit -r
chroot r          sync              acct r            settimeofday rr   mount rrr-r       umount2 r-
swapon r-         swapoff r         reboot ----       sethostname r-    setdomainname r-  init_module r-r
delete_module r-  quotactl -r-x     gettid            readahead ---     setxattr rrr--    lsetxattr rrr--
fsetxattr -rr--   getxattr rrw-     lgetxattr rrw-    fgetxattr -rw-    listxattr rw-     llistxattr rw-
flistxattr -w-    removexattr rr    lremovexattr rr   fremovexattr -r   tkill --          time w
futex ---r--      sched_setaffinity --r sched_getaffinity --w epoll_create - remap_file_pages -----
getdents64 -w-    set_tid_address - semtimedop -r-r   fadvise64 ----    timer_create -rw  timer_settime --rw
timer_gettime -w  timer_getoverrun - timer_delete -   clock_settime -r  clock_gettime -w  clock_getres -w
clock_nanosleep --rw exit_group -   epoll_wait -w--   epoll_ctl ---r    tgkill ---        utimes rr
mq_open r--r      mq_unlink r       mq_timedsend -r--r mq_timedreceive -w-wr mq_notify -r mq_getsetattr -rw
waitid --w-w      ioprio_set ---    inotify_init      inotify_add_watch -r- inotify_rm_watch -- openat -r--
mkdirat -r-       mknodat -r--      fchownat -r---    futimesat -rr     newfstatat -rw-   unlinkat -r-
renameat -r-r     linkat -r-r-      symlinkat r-r     readlinkat -rw-   fchmodat -r-      faccessat -r-
pselect6 -xxxxR   ppoll x-r-        unshare -         set_robust_list -- splice -x-x--    tee ----
sync_file_range ---- vmsplice -R--  utimensat -rr-    epoll_pwait -w--r signalfd -r-      timerfd_create --
eventfd -         fallocate ----    timerfd_settime --rw timerfd_gettime -w accept4 -wx-  signalfd4 -r--
eventfd2 --       epoll_create1 -   dup3 ---          pipe2 w-          inotify_init1 -   preadv -W--
pwritev -R--      rt_tgsigqueueinfo ---r fanotify_init -- fanotify_mark ----r prlimit64 --rw name_to_handle_at -rxw-
open_by_handle_at -x- clock_adjtime -x syncfs -       sendmmsg -S--     setns --          getcpu ww-
process_vm_readv -WR-- process_vm_writev -RR-- renameat2 -r-r- getrandom w-- memfd_create r- mlock2 ---
copy_file_range -x-x-- preadv2 -W--- pwritev2 -R--- pkey_mprotect ---- pkey_alloc -- pkey_free - statx -r--w
membarrier --     close_range ---   faccessat2 -r--   fchmodat2 -r--    recvmmsg -Z--r    rt_sigreturn
rseq ----         restart_syscall   modify_ldt -x-    execveat -rRR-    ioperm ---        iopl -
"""

_DEPTHS: Final = {
    "r": (("read", 0),),
    "w": (("write", 0),),
    "x": (("read", 0), ("write", 0)),
    "X": (("read", 0), ("write", 0), ("read", 1), ("write", 1)),
    "R": (("read", 0), ("read", 1)),
    "W": (("read", 0), ("write", 1)),
    "Y": (("read", 0), ("write", 0), ("write", 1), ("read", 1), ("write", 2)),  # a msghdr and its iovec
    "S": (("read", 0), ("write", 0), ("read", 1), ("read", 2)),
    "Z": (("read", 0), ("write", 0), ("write", 1), ("read", 1), ("write", 2)),
    "-": (),
}
_UNKNOWN: Final = "X" * 6


@cache
def _by_number() -> dict[int, str]:
    text = (root().parent / "include" / "x86_64-linux-musl" / "bits" / "syscall.h").read_text()
    words = _CALLS.split()
    known: dict[str, str] = {}
    for at, word in enumerate(words):
        if not re.fullmatch(r"[-rwxXRWYSZ]+", word):
            following = words[at + 1] if at + 1 < len(words) else ""
            known[word] = following if re.fullmatch(r"[-rwxXRWYSZ]+", following) else ""
    numbers = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)", text)}
    if missing := sorted(known.keys() - numbers.keys()):
        raise AssertionError(f"no such system calls: {', '.join(missing)}")
    return {numbers[name]: arguments for name, arguments in known.items()}


def touches(number: int | None) -> tuple[tuple[int, str, int], ...]:
    """(argument counted from 0, "read" or "write", how many pointers behind it)."""
    letters = _UNKNOWN if number is None else _by_number().get(number, _UNKNOWN)
    return tuple((at, kind, depth) for at, letter in enumerate(letters) for kind, depth in _DEPTHS[letter])
