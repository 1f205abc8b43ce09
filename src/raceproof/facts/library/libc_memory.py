"""stdlib.h's allocator, the mem* functions of string.h, mman.h.

Errs on the side of more accesses: a size that no argument tells is everything from the pointer on. Mappings of files
that are shared, those at an address that the program chooses, and attached segments may all be the same memory.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    arg,
    copy,
    effects,
    frees,
    fresh,
    fresh_at,
    into,
    n,
    one_place,
    or_arg,
    rd,
    wr,
)
from raceproof.facts.library.effects import Effect
from raceproof.facts.library.mappings import SEGMENTS

_COPY_RESULT: Final = Effect(copies_to_result=(0,))

MEMORY: Final = effects(
    # the allocator: its own data are behind its own lock
    ("malloc __libc_malloc alloca valloc pvalloc", fresh(n(0), blank=True)),
    ("calloc __libc_calloc", fresh(n(0, times=1), zeroed=True)),
    ("aligned_alloc memalign __libc_memalign", fresh(n(1), blank=True)),
    ("realloc __libc_realloc", frees(0), fresh(n(1)), _COPY_RESULT),
    ("reallocarray", frees(0), fresh(n(1, times=2)), _COPY_RESULT),
    ("posix_memalign", fresh_at(0, n(2), blank=True)),
    ("free cfree __libc_free", frees(0)),
    ("free_sized free_aligned_sized", frees(0)),
    ("malloc_usable_size malloc_trim mallopt malloc_stats mallinfo mallinfo2",),
    ("strdup __strdup", rd(0), fresh()),
    ("strndup __strndup", rd(0, n(1)), fresh()),
    ("wcsdup", rd(0), fresh()),
    # copying and filling
    ("memcpy memmove llvm.memcpy llvm.memcpy.inline llvm.memmove", wr(0, n(2)), rd(1, n(2)), copy(0, 1), arg(0)),
    ("__memcpy_chk __memmove_chk", wr(0, n(2)), rd(1, n(2)), copy(0, 1), arg(0)),
    ("mempcpy __mempcpy __mempcpy_chk", wr(0, n(2)), rd(1, n(2)), copy(0, 1), into(0)),
    ("memccpy", wr(0, n(3)), rd(1, n(3)), copy(0, 1), into(0)),
    ("bcopy", wr(1, n(2)), rd(0, n(2)), copy(1, 0)),
    ("swab", wr(1, n(2)), rd(0, n(2)), copy(1, 0)),
    ("memset llvm.memset llvm.memset.inline __memset_chk memset_explicit", wr(0, n(2)), arg(0)),
    ("memset_s", wr(0, n(3))),
    ("bzero explicit_bzero __explicit_bzero_chk", wr(0, n(1))),
    ("wmemcpy wmemmove __wmemcpy_chk __wmemmove_chk", wr(0, n(2, unit=4)), rd(1, n(2, unit=4)), copy(0, 1), arg(0)),
    ("wmempcpy", wr(0, n(2, unit=4)), rd(1, n(2, unit=4)), copy(0, 1), into(0)),
    ("wmemset __wmemset_chk", wr(0, n(2, unit=4)), arg(0)),
    # comparing and searching
    ("memcmp bcmp timingsafe_memcmp timingsafe_bcmp", rd(0, n(2)), rd(1, n(2))),
    ("wmemcmp", rd(0, n(2, unit=4)), rd(1, n(2, unit=4))),
    ("memchr memrchr __memrchr", rd(0, n(2)), into(0)),
    ("rawmemchr __rawmemchr", rd(0, ALL), into(0)),
    ("wmemchr", rd(0, n(2, unit=4)), into(0)),
    ("memmem", rd(0, n(1)), rd(2, n(3)), into(0)),
    # mman.h
    ("mmap", fresh(n(1), blank=True), or_arg(0), Effect(mapping_flags=3)),
    ("mremap", frees(0), fresh(n(2)), _COPY_RESULT),
    ("munmap", frees(0)),
    ("mprotect msync madvise posix_madvise mlock mlock2 munlock mlockall munlockall pkey_mprotect",),
    ("mincore", wr(2, ALL)),
    ("memfd_create shm_open shm_unlink", rd(0)),
    ("brk pkey_alloc pkey_free pkey_set pkey_get mseal",),
    ("sbrk", one_place("memory of sbrk")),
    ("shmget",),
    ("shmat", one_place(SEGMENTS), or_arg(1)),
    ("shmdt", wr(0, ALL)),
)
