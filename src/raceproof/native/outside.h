/* outside.h: what orders threads outside of the program's memory: descriptors, System V semaphores and queues, signals. */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include "rt.h"

/* A thread has done something that another one may learn of by a system call, or may have learnt of it. C11 has no
 * happens-before there, but the machine has: whoever learns of it is ordered behind, so that nothing is called a race which
 * no run could show. Nothing is proved by that order: the search does not vary it (explore/outside.py). */
void outside_gives(void);
void outside_takes(void);

/* A call that would wait: let other threads run until one of them has done something outside. False: nobody else can run,
 * so wait for the system itself. */
bool outside_wait(void);

struct thread *outside_waiter(void); /* nobody can run: one that may wait for the system, or NULL */
void outside_reset(void);
bool outside_has_changed(const struct thread *t);

/* ---- thread_state.c: what the system keeps for each thread of a real program */

void thread_state_start(struct thread *t);                      /* the creator, if any, is running */
void thread_state_switch(struct thread *from, struct thread *to); /* fork mode: to is about to run */
void thread_state_arrive(void);                                 /* it runs: signals that have come for it */
bool signal_is_blocked_by_all(int number);
bool signal_is_blocked(const struct thread *t, int number);
void signal_leave(struct thread *t, int number); /* pending, until t takes it; NULL: until anybody does */

#endif
