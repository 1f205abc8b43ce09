/* outside.h: what orders threads outside of the program's memory: descriptors, System V semaphores and queues, signals. */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <poll.h>
#include <signal.h>

#include "rt.h"

/* A thread has done something that another one may learn of by a system call, or may have learnt of it. C11 has no
 * happens-before there, but the machine has: whoever learns of it is ordered behind, so that nothing is called a race which
 * no run could show. Nothing is proved by that order: the search does not vary it (explore/outside.py). */
void outside_gives(void);
void outside_takes(void);

/* What a thread waits for, all at once; it waits on its own stack. */
struct outside_wait {
    struct pollfd *files;
    nfds_t count;
    uint64_t until;   /* in its own virtual time; FOREVER: without a limit */
    uint64_t signals; /* the set of them (thread_state.c) */
    bool looks_again; /* for what the system does not tell: locks of files, System V objects */
    bool for_children;
    bool timed_out;   /* the answer: `until` has come */
    bool is_ready;    /* the answer: one of the others has */
};
#define FOREVER UINT64_MAX

void outside_begin(void); /* of each call that may wait */

/* A call that would wait: let other threads run until one of them has done something outside, or until the outside has
 * when nobody can run. Then look again. False: a handler of a signal has run meanwhile, and the call ends with EINTR. */
bool outside_wait(struct outside_wait *wait);

/* Wait until one of the descriptors is ready, or `ns` are over: how many are ready. -1 and EINTR: a handler ran. */
int outside_ready(struct pollfd *files, nfds_t count, uint64_t ns);

/* All threads wait, so let time pass outside: one that can go on then, or NULL if nobody waits for the outside. */
struct thread *outside_waiter(void);
void outside_reset(void);
bool outside_has_changed(const struct thread *t);

/* ---- thread_state.c: what the system keeps for each thread of a real program */

void thread_state_start(struct thread *t);                      /* the creator, if any, is running */
void thread_state_switch(struct thread *from, struct thread *to); /* fork mode: to is about to run */
void thread_state_arrive(void);                                 /* it runs: signals that have come for it */
bool signal_is_blocked_by_all(int number);
bool signal_is_blocked(const struct thread *t, int number);
void signal_leave(struct thread *t, int number); /* pending, until t takes it; NULL: until anybody does */
bool signal_is_pending(const struct thread *t, uint64_t set); /* one of the set, for it or for the process */
void thread_mask_begin(const sigset_t *mask); /* NULL: as it is. While a call waits; then thread_mask_end, with the same */
void thread_mask_end(const sigset_t *mask);
void signal_from_user(int number); /* as signal_leave(NULL, ...), but nobody in the program has sent it */
uint32_t handlers_run(const struct thread *t, bool *restarts); /* so many; does a call go on behind the last one? */

#endif
