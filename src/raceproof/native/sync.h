/* sync.h: synchronisation as the runtime does it; the thread libraries' functions are thin covers of these.
 *
 * Results are errno values as pthread functions return them.
 */
#ifndef SYNC_H
#define SYNC_H

#include "sched.h"

int lock_take(const void *lock, enum object_type type, bool shared, const char *what);
int lock_try(const void *lock, enum object_type type, bool shared, bool timed, const char *what);
int lock_release(const void *lock, enum object_type type, const char *what);
int cond_wait(const void *cond, const void *mutex, bool timed, const char *what);
int cond_signal(const void *cond, bool all, const char *what);
int sem_start(const void *sem, unsigned value);
int sem_take(const void *sem, const char *what);
int sem_try(const void *sem, bool timed, const char *what);
int64_t sem_value(const void *sem, const char *what);
int sem_give(const void *sem, const char *what);
int barrier_start(const void *barrier, unsigned count);
int barrier_arrive(const void *barrier, bool asks_who, const char *what); /* 1 for one of them if `asks_who` */
void once_run(const void *control, void (*routine)(void), const char *what);
void note_once_left(void);
void once_leave(const void *outer); /* the routines that the thread runs inside of this place on its stack; NULL: all */

/* Behind waits at conditions, and requests to cancel threads, which let them go on where they wait, the optimal search
 * needs more than wakeup sequences: it begins anew without. */
void note_wait(void);

/* A place where a request to cancel this thread takes effect. */
void cancellation_point(void);

#endif
