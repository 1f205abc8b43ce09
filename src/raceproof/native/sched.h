/* sched.h: between the scheduler and the parts of the runtime that start, follow and end executions. */
#ifndef SCHED_H
#define SCHED_H

#include "rt.h"
#include "watchdog.h"

extern struct fiber host;     /* the search's own stack */
extern tset live;             /* threads that have not ended */
extern uint8_t section_owner; /* thread in an atomic section, or NO_THREAD */

void resume(struct thread *t);
void stay_alone(void); /* of all threads only this one is left, and the search is over for it */
void run_execution(void);

/* follow.c: schedules that are given */
extern bool driving;
void follow(const struct op *op, const char *what);
void follow_blocked(void);
/* After an execution that had it: run it again until both threads stand before their accesses, if there is such a
 * schedule. Leaves the schedule to be reported in `segments`. */
void drive(struct hit *hit);

/* isolation.c */
void run_in_child(void (*body)(void));
void on_tick(void);
void catch_signals(void);

/* program.c */
void load_program(const char *path);
void reset_program(void);
_Noreturn void run_program(void);
void thread_locals(struct thread *t);
void *tls_address(struct thread *t, void *image);

/* threads.c */
void run_thread_exit(struct thread *t); /* destructors, locks that it leaves behind */
bool is_cancelled(const struct thread *t);

/* report.c */
void report_deadlock(tset blocked);
void report_blocked(struct thread *t);
void report_step(struct thread *t, const struct op *op, const char *what);
void report_flush_step(void);
void report_next(struct thread *t);
void report_result(int64_t result);
void put_event(const char *what, uintptr_t address, enum object_type type, int64_t value);

/* What the last step came to, for a replay. */
static inline int told(int result) {
    if (__builtin_expect(options.mode == MODE_REPLAY, 0)) report_result(result);
    return result;
}

/* What is no step, for a replay. */
static inline void report_event(const char *what, uintptr_t address, enum object_type type, int64_t value) {
    if (__builtin_expect(options.mode == MODE_REPLAY && self != NULL, 0)) put_event(what, address, type, value);
}

#endif
