/* sampled.h: programs that tell of every access, and are run once by each of many schedules; for raceproof.explore. */
#ifndef SAMPLED_H
#define SAMPLED_H

#include "rt.h"

/* The program tells of every access: its shadow is the one of sampled.c, in searches and in replays. */
extern bool samples;

/* So many plain accesses may be made before the scheduler is asked again. */
extern int64_t sample_left;

void sample_init(void);
void sample_reset(void);                       /* before an execution */
void sample_detect(const struct op *op);       /* races by happens-before, for what is no plain load or store */
void sample_freed(const void *block, size_t size, uint32_t access);
void sample_forget(void *base, size_t size);
void sample_arm(int64_t accesses);
int64_t sample_interval(void);                 /* search_sample.c: until the next point that is none of synchronisation */
void sample_run_begins(void);                  /* search_sample.c */
uint64_t sample_random(void);
void sample_yield(void);
void sample_met(void);                         /* search_sample.c: memory that another thread has used, too */

/* predict.c: what happened, and races that another order of it would show */
enum logged_kind {
    LOG_READ, LOG_WRITE, LOG_ATOMIC_READ, LOG_ATOMIC_WRITE, LOG_ACQUIRE, LOG_RELEASE, LOG_ORDERED, LOG_BARRIER, LOG_CREATE, LOG_JOIN,
};
void log_event(enum logged_kind kind, const struct thread *t, uint32_t steps, uintptr_t object, uint32_t id, uint8_t mask);
uint32_t log_now(void);
/* An access that was made when the log was at `now`, of which it shows only later that somebody else may care. */
void log_access(enum logged_kind kind, uint8_t tid, uint32_t steps, uintptr_t word, uint32_t id, uint8_t mask, uint32_t now);
void log_creation(const struct thread *t);
void log_join(const struct thread *t);
/* forked[t][u]: up to where u is ordered before what t does now by the creation and joining of threads alone. */
extern uint32_t forked[RP_MAX_THREADS][RP_MAX_THREADS];
void log_init(void);
void log_reset(void);
void predict(void);
extern bool logging;

/* follow.c: run the plan, then both threads of the hit up to their accesses; whether they stand there together. */
bool follow_to(struct segment *given, uint32_t count, struct hit *hit);

#endif
