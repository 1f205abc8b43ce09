"""The POSIX of files: unistd, fcntl, stat, uio, dirent, glob, ftw, termios, mqueue, System V messages, pwd, grp.

Files are not memory: that one thread writes to a file and another reads from it is no race, and orders nothing.
Pointers that go through a file, a pipe or a queue are followed.
Errs on the side of more accesses: an ioctl may read and write whatever its argument points to, two levels deep.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT,
    INT64,
    OPAQUE,
    POINTER,
    TIMESPEC,
    arg,
    both,
    calls,
    copy,
    effects,
    frees,
    fresh,
    fresh_at,
    hidden,
    into,
    n,
    or_arg,
    rd,
    receives,
    receives_parts,
    rw,
    sends,
    sends_parts,
    static,
    store,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect

_STAT: Final = Bytes(144, sure=128, sure_ilp32=88)
_STATX: Final = Bytes(256)
_STATFS: Final = Bytes(120, ilp32=96, sure=112, sure_ilp32=64)
_FLOCK: Final = Bytes(32, sure_ilp32=16)
_TERMIOS: Final = Bytes(60)
_WINSIZE: Final = Bytes(8)
_UTSNAME: Final = Bytes(390)
_OFF_T: Final = INT64
_TIMES: Final = Bytes(32, sure_ilp32=16)

FILES: Final = effects(
    ("open creat __open __open_2", rd(0)),
    ("openat __openat_2", rd(1)),
    ("close closefrom close_range dup dup2 dup3 fsync fdatasync sync syncfs lseek ftruncate isatty",),
    ("posix_fallocate posix_fadvise fallocate readahead sync_file_range flock lockf",),
    ("fcntl", rw(2, _FLOCK)),
    ("ioctl", rw(2, ALL), rw(2, ALL, deref=True)),
    ("pipe pipe2", wr(0, Bytes(8))),
    ("read pread __read", wr(1, n(2)), receives(1)),
    ("__read_chk __pread_chk", wr(1, n(2)), receives(1)),
    ("write pwrite __write", rd(1, n(2)), sends(1)),
    ("readv preadv preadv2", rd(1, n(2, unit=16)), wr(1, ALL, deref=True), receives_parts(1)),
    ("writev pwritev pwritev2 vmsplice", rd(1, n(2, unit=16)), rd(1, ALL, deref=True), sends_parts(1)),
    ("sendfile", rw(2, _OFF_T)),
    ("splice copy_file_range", rw(1, _OFF_T), rw(3, _OFF_T)),
    ("tee",),
    ("access chdir chmod chown lchown euidaccess eaccess lchmod mkdir mkfifo mknod rmdir unlink truncate", rd(0)),
    ("chroot umount umount2 swapon swapoff", rd(0)),
    ("fchdir fchmod fchown umask fpathconf getdtablesize posix_close",),
    ("faccessat fchmodat fchownat mkdirat mkfifoat mknodat unlinkat", rd(1)),
    ("link symlink", rd(0), rd(1)),
    ("linkat renameat renameat2", rd(1), rd(3)),
    ("symlinkat", rd(0), rd(2)),
    ("readlink __readlink_chk", rd(0), wr(1, n(2))),
    ("readlinkat", rd(1), wr(2, n(3))),
    ("stat lstat __stat __lstat", rd(0), wr(1, _STAT)),
    ("fstat __fstat", wr(1, _STAT)),
    ("fstatat", rd(1), wr(2, _STAT)),
    ("__xstat __lxstat", rd(1), wr(2, _STAT)),
    ("__fxstat", wr(2, _STAT)),
    ("__fxstatat", rd(2), wr(3, _STAT)),
    ("__xmknod", rd(1), rd(3, INT64)),
    ("statx", rd(1), wr(4, _STATX)),
    ("statfs statvfs", rd(0), wr(1, _STATFS)),
    ("fstatfs fstatvfs", wr(1, _STATFS)),
    ("utime", rd(0), rd(1, TIMESPEC)),
    ("utimes lutimes", rd(0), rd(1, _TIMES)),
    ("futimes futimens", rd(1, _TIMES)),
    ("utimensat futimesat", rd(1), rd(2, _TIMES)),
    ("getcwd __getcwd_chk", wr(0, n(1)), or_arg(0), fresh()),
    ("get_current_dir_name", fresh()),
    ("getwd", wr(0), arg(0)),
    ("pathconf", rd(0)),
    ("confstr", wr(1, n(2))),
    ("eventfd inotify_init inotify_init1 inotify_rm_watch",),
    ("eventfd_read", wr(1, INT64)),
    ("eventfd_write",),
    ("inotify_add_watch", rd(1)),
    ("mount", rd(0), rd(1), rd(2), rd(4)),
    ("getxattr lgetxattr", rd(0), rd(1), wr(2, n(3))),
    ("setxattr lsetxattr", rd(0), rd(1), rd(2, n(3))),
    ("listxattr llistxattr", rd(0), wr(1, n(2))),
    ("removexattr lremovexattr", rd(0), rd(1)),
    ("fgetxattr", rd(1), wr(2, n(3))),
    ("fsetxattr", rd(1), rd(2, n(3))),
    ("flistxattr", wr(1, n(2))),
    ("fremovexattr", rd(1)),
    ("getdents", wr(1, n(2))),
    ("setmntent", rd(0), rd(1), OPAQUE),
    ("getmntent", static("mntent buffer", linked=True)),
    ("endmntent", wr(0, ALL)),
)

DIRECTORIES: Final = effects(
    ("opendir", rd(0), OPAQUE),
    ("fdopendir", OPAQUE),
    ("closedir", frees(0)),
    ("dirfd telldir", rd(0, ALL)),
    ("seekdir rewinddir", wr(0, ALL)),
    ("readdir", wr(0, ALL), into(0)),  # the entry is the DIR's own: the next readdir writes it
    ("readdir_r", wr(1, ALL), store(1, 2)),
    ("scandir", rd(0), fresh_at(1, ALL, linked=True), calls(2, None), calls(3, None, None)),
    ("alphasort versionsort", rd(0, POINTER), rd(1, POINTER), rd(0, ALL, deref=True), rd(1, ALL, deref=True)),
    ("ftw", rd(0), calls(1, None, None, None)),
    ("nftw", rd(0), calls(1, None, None, None, None)),
    # appending frees the array that was there; functions in the glob_t are called instead of opendir, if a flag says so
    (
        "glob",
        *(rd(0), calls(2, None, None), calls(3, None, None, deref=True)),
        *(rw(3, ALL), wr(3, ALL, deref=1), fresh_at(3, ALL, linked=True)),
    ),
    ("wordexp", rd(0), rw(1, ALL), wr(1, ALL, deref=1), fresh_at(1, ALL, linked=True)),
    ("globfree wordfree", rw(0, ALL), wr(0, ALL, deref=True)),
)

TERMINALS: Final = effects(
    ("tcgetattr", wr(1, _TERMIOS)),
    ("tcsetattr", rd(2, _TERMIOS)),
    ("cfmakeraw cfsetispeed cfsetospeed cfsetspeed", rw(0, _TERMIOS)),
    ("cfgetispeed cfgetospeed", rd(0, _TERMIOS)),
    ("tcflush tcdrain tcflow tcsendbreak tcgetpgrp tcsetpgrp tcgetsid vhangup",),
    ("tcgetwinsize", wr(1, _WINSIZE)),
    ("tcsetwinsize", rd(1, _WINSIZE)),
    ("openpty", wr(0, INT), wr(1, INT), wr(2), rd(3, _TERMIOS), rd(4, _WINSIZE)),
    ("ttyname", static("ttyname buffer")),
    ("ttyname_r", wr(1, n(2))),
    ("getpass", rd(0), static("getpass buffer")),
)

IPC: Final = effects(
    ("mq_open", rd(0), rd(3, Bytes(64, ilp32=32))),
    ("mq_close",),
    ("mq_unlink", rd(0)),
    ("mq_send", rd(1, n(2)), sends(1)),
    ("mq_timedsend", rd(1, n(2)), rd(4, TIMESPEC), sends(1)),
    ("mq_receive", wr(1, n(2)), wr(3, INT), receives(1)),
    ("mq_timedreceive", wr(1, n(2)), wr(3, INT), rd(4, TIMESPEC), receives(1)),
    ("mq_getattr", wr(1, Bytes(64, ilp32=32))),
    ("mq_setattr", rd(1, Bytes(64, ilp32=32)), wr(2, Bytes(64, ilp32=32))),
    (
        "mq_notify",
        *(rd(1, ALL), rd(1, ALL, deref=1), calls(1, 1, later=True, deref=True, loads=True)),
        *(Effect(static_object="signals"), copy(STATIC_ARG, 1)),  # as timer_create
    ),
    ("ftok", rd(0)),
    ("msgget semget",),
    ("msgsnd", rd(1, ALL), sends(1)),
    ("msgrcv", wr(1, ALL), receives(1)),
    ("msgctl shmctl", rw(2, ALL)),
    ("semop", rd(1, n(2, unit=6))),  # the order that these semaphores make is not used
    ("semtimedop", rd(1, n(2, unit=6)), rd(3, TIMESPEC)),
    ("semctl", rw(3, ALL), rw(3, ALL, deref=True)),
)

# The members of a group are an array of pointers, in the buffer as well.
_ENTRY_R: Final = both(wr(1, ALL), wr(2, n(3)), store(2, 1), store(2, 2), store(1, 4))
_NEXT_R: Final = both(wr(0, ALL), wr(1, n(2)), store(1, 0), store(1, 1), store(0, 3))

USERS: Final = effects(
    ("getpwnam", rd(0), static("passwd buffer", linked=True)),
    ("getpwuid getpwent", static("passwd buffer", linked=True)),
    ("getgrnam", rd(0), static("group buffer", linked=True)),
    ("getgrgid getgrent", static("group buffer", linked=True)),
    ("getspnam", rd(0), static("shadow buffer", linked=True)),
    ("getutent getutxent", static("utmp buffer")),
    ("getutid getutxid getutline getutxline pututline pututxline", rd(0, ALL), static("utmp buffer")),
    ("setutent setutxent endutent endutxent", hidden("utmp buffer")),
    ("utmpname utmpxname", rd(0), hidden("utmp buffer")),
    ("getpwnam_r getgrnam_r getspnam_r", rd(0), _ENTRY_R),
    ("getpwuid_r getgrgid_r", _ENTRY_R),
    ("getpwent_r getgrent_r getspent_r", _NEXT_R),
    ("setpwent endpwent", hidden("passwd buffer")),
    ("setgrent endgrent", hidden("group buffer")),
    ("getgrouplist", rd(0), wr(2, ALL), rw(3, INT)),
    ("getlogin", static("login buffer")),
    ("getlogin_r gethostname getdomainname __gethostname_chk", wr(0, n(1))),
    ("sethostname", rd(0, n(1))),
    ("gethostid",),
    ("uname", wr(0, _UTSNAME)),
)

POSIX: Final = FILES | DIRECTORIES | TERMINALS | IPC | USERS
