"""From the text of a generated program to an `ir.Program`, without headers: a tenth of the time.

Generated programs are plain C that includes nothing itself. `as_source` gives it the usual headers, for people;
`as_preprocessed` gives it declarations that fit the same text, for the compiler.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from raceproof.frontend import Cache, from_files, load
from raceproof.ir import Program

HEADERS: Final = """\
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
"""

DECLARATIONS: Final = """\
typedef unsigned long size_t;
typedef unsigned long pthread_t;
typedef union { struct { int lock; unsigned count; int owner; unsigned nusers; int kind; short a, b; void *p, *n; } d;
 char size[40]; long align; } pthread_mutex_t;
typedef union { char size[4]; int align; } pthread_mutexattr_t;
typedef union { char size[48]; long long align; } pthread_cond_t;
typedef union { char size[56]; long align; } pthread_rwlock_t;
typedef union { char size[32]; long align; } pthread_barrier_t;
typedef union { char size[32]; long align; } sem_t;
typedef volatile int pthread_spinlock_t;
typedef int pthread_once_t;
typedef _Atomic(int) atomic_int;
typedef _Atomic(long) atomic_long;
typedef struct { _Atomic(_Bool) _Value; } atomic_flag;
void *malloc(size_t); void *calloc(size_t, size_t); void free(void *); void *realloc(void *, size_t);
void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
void abort(void) __attribute__((noreturn)); void exit(int) __attribute__((noreturn));
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **); int pthread_detach(pthread_t); int pthread_tryjoin_np(pthread_t, void **);
typedef unsigned pthread_key_t; int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_setspecific(pthread_key_t, const void *); void *pthread_getspecific(pthread_key_t);
void pthread_exit(void *) __attribute__((noreturn));
pthread_t pthread_self(void); int pthread_equal(pthread_t, pthread_t);
int pthread_mutexattr_init(pthread_mutexattr_t *); int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *); int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_spin_init(pthread_spinlock_t *, int); int pthread_spin_lock(pthread_spinlock_t *);
int pthread_spin_trylock(pthread_spinlock_t *); int pthread_spin_unlock(pthread_spinlock_t *);
int pthread_rwlock_init(pthread_rwlock_t *, const void *);
int pthread_rwlock_rdlock(pthread_rwlock_t *); int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *); int pthread_rwlock_trywrlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_cond_init(pthread_cond_t *, const void *); int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *); int pthread_cond_broadcast(pthread_cond_t *);
int sem_init(sem_t *, int, unsigned); int sem_wait(sem_t *); int sem_trywait(sem_t *); int sem_post(sem_t *);
int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned); int pthread_barrier_wait(pthread_barrier_t *);
int pthread_once(pthread_once_t *, void (*)(void));
int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
"""

_WORDS: Final = {
    "PTHREAD_MUTEX_INITIALIZER": "{{0}}",
    "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP": "{{0, 0, 0, 0, 1}}",
    "PTHREAD_RWLOCK_INITIALIZER": "{{0}}",
    "PTHREAD_COND_INITIALIZER": "{{0}}",
    "PTHREAD_ONCE_INIT": "0",
    "PTHREAD_MUTEX_RECURSIVE": "1",
    "ATOMIC_FLAG_INIT": "{0}",
    "NULL": "((void *)0)",
    "memory_order_relaxed": "0",
    "memory_order_acquire": "2",
    "memory_order_release": "3",
    "memory_order_acq_rel": "4",
    "memory_order_seq_cst": "5",
    "atomic_load_explicit": "__c11_atomic_load",
    "atomic_store_explicit": "__c11_atomic_store",
    "atomic_exchange_explicit": "__c11_atomic_exchange",
    "atomic_fetch_add_explicit": "__c11_atomic_fetch_add",
    "atomic_compare_exchange_strong_explicit": "__c11_atomic_compare_exchange_strong",
    "atomic_compare_exchange_weak_explicit": "__c11_atomic_compare_exchange_weak",
    "atomic_thread_fence": "__c11_atomic_thread_fence",
}
_WORD = re.compile(r"\b(?:" + "|".join(_WORDS) + r")\b")
_FLAG_SET = re.compile(r"\batomic_flag_test_and_set_explicit\((&?[\w.\->\[\]]+)")
_FLAG_CLEAR = re.compile(r"\batomic_flag_clear_explicit\((&?[\w.\->\[\]]+)")


def as_source(body: str) -> str:
    return HEADERS + body


def as_preprocessed(body: str) -> str:
    body = _FLAG_SET.sub(r"__c11_atomic_exchange(&(\1)->_Value, 1", body)
    body = _FLAG_CLEAR.sub(r"__c11_atomic_store(&(\1)->_Value, 0", body)
    body = _WORD.sub(lambda match: _WORDS[match.group()], body)
    return f'# 1 "declarations.h"\n{DECLARATIONS}# 1 "program.c"\n{body}'


def compile_program(body: str, directory: Path) -> Program:
    """Compile in `directory`, which must exist; raises `InputError` for what is not C."""
    file = directory / "program.i"
    file.write_text(as_preprocessed(body), encoding="utf-8")
    return load(from_files([file]), cache=Cache(None))
