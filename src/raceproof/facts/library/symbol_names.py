"""Under which names the tables may know a symbol that the C library's headers, or LLVM, have renamed.

    __isoc23_strtol -> strtol    fopen64 -> fopen    __pthread_cond_timedwait_time64 -> pthread_cond_timedwait
    __getgroups_chk -> getgroups     __pthread_once -> pthread_once     llvm.memcpy.inline -> llvm.memcpy

The renamed function takes its arguments in the same order (a fortified one takes the size of the object behind them;
those that take it elsewhere have rows of their own). Sizes may differ, but the tables use the larger one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Large files (lfs64): only these, because a program may well have a `hash64` that is no variant of a `hash`.
_LARGE_FILE_NAMES: Final = """
    __fxstat __fxstatat __lxstat __open_2 __openat_2 __pread_chk __xstat aio_read aio_write alphasort creat fallocate
    fcntl fgetpos fopen freopen fseeko fsetpos fstat fstatat fstatfs fstatvfs ftello ftruncate ftw getrlimit glob
    globfree lio_listio lockf lseek lstat mkostemp mkostemps mkstemp mkstemps mmap nftw open openat posix_fadvise
    posix_fallocate pread preadv prlimit pwrite pwritev readdir readdir_r scandir sendfile setrlimit stat statfs
    statvfs tmpfile truncate versionsort
"""
_LARGE_FILE: Final = frozenset(_LARGE_FILE_NAMES.split())
_FORTIFIED: Final = re.compile(r"__(\w+)_chk")
_STANDARD: Final = re.compile(r"__isoc(?:99|23)_(\w+)")
_TIME_64: Final = re.compile(r"__(\w+?)(?:64)?(?:_time64)?(_r)?")
_SIZE_64: Final = re.compile(r"(\w+?)64(_\w+)?")


def names_of(symbol: str) -> Iterator[str]:
    """Yield `symbol` itself, then what it may be a variant of, most alike first."""
    name = symbol.removeprefix("\x01")  # LLVM's mark of a name given with asm()
    yield name
    if name.startswith("llvm."):
        words = name.split(".")
        yield from (".".join(words[:count]) for count in range(len(words) - 1, 1, -1))
    if standard := _STANDARD.fullmatch(name):
        yield standard[1]
    if fortified := _FORTIFIED.fullmatch(name):
        yield fortified[1]
    if name.startswith("__pthread_"):
        yield name.removeprefix("__")
    if large := _SIZE_64.fullmatch(name):
        plain = large[1] + (large[2] or "")
        if plain in _LARGE_FILE:
            yield plain
    if name.startswith("__") and "64" in name and (time := _TIME_64.fullmatch(name)):
        yield time[1].lstrip("_") + (time[2] or "")
