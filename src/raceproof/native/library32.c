/* library32.c: functions of glibc that musl does not have, or has otherwise; for raceproof.explore
 * (explore/library32.py lists what programs may call). */
#ifdef RP_STATIC

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>

enum { ROBUST_BIT = 4 }; /* of an attribute of musl */

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attributes, int kind) {
    attributes->__attr[1] = (unsigned)kind; /* the runtime prefers nobody: it tries all orders */
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attributes, int *kind) {
    *kind = (int)attributes->__attr[1];
    return 0;
}

/* As in glibc, where the system is not asked whether it knows them (qemu does not): robust mutexes are the runtime's. */
int glibc_setrobust(pthread_mutexattr_t *attributes, int robust) {
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST) return EINVAL;
    attributes->__attr = (attributes->__attr & ~ROBUST_BIT) | (robust ? ROBUST_BIT : 0);
    return 0;
}

void *rawmemchr(const void *memory, int c) { return memchr(memory, c, (size_t)-1 / 2); }

/* Under these names glibc has functions of its own, and what POSIX says under others (__xpg_strerror_r). */
char *gnu_strerror_r(int error, char *text, size_t size) {
    (void)text, (void)size; /* as glibc does for errors that it knows */
    return strerror(error);
}

char *gnu_basename(const char *path) {
    char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : (char *)(size_t)path;
}

/* Macros in musl's headers, functions in glibc's. */
int __isnan(double x) { return __builtin_isnan(x); }
int __isnanf(float x) { return __builtin_isnan(x); }
int __isnanl(long double x) { return __builtin_isnan(x); }
int __isinf(double x) { return __builtin_isinf_sign(x); }
int __isinff(float x) { return __builtin_isinf_sign(x); }
int __isinfl(long double x) { return __builtin_isinf_sign(x); }
int __finite(double x) { return __builtin_isfinite(x); }
int __finitef(float x) { return __builtin_isfinite(x); }
int __finitel(long double x) { return __builtin_isfinite(x); }

#endif
