/* isolation.h: time, and how a run is stopped. */
#ifndef ISOLATION_H
#define ISOLATION_H

#include <signal.h>

#include "sched.h"

enum stop { STOP_NOT, STOP_TIME, STOP_INTERRUPTED, STOP_EXECUTIONS, STOP_RACE, STOP_ITEMS, STOP_RESTART,
            STOP_INPUTS, STOP_PAIRS, STOP_DEADLOCK, STOP_FAILURE };

double now_seconds(void);
uint64_t cpu_microseconds(void); /* of this process and of its children that have ended */
enum stop stop_reason(void);
void set_deadline(double seconds);

/* Signals that end the program badly: told, and not seen by the program. */
bool is_crash_signal(int signal);
void catch_crash(int signal);
void set_alternate_stack(const stack_t *stack); /* null or disabled: our own */

#endif
