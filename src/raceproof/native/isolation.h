/* isolation.h: time, and how a run is stopped. */
#ifndef ISOLATION_H
#define ISOLATION_H

#include "sched.h"

enum stop { STOP_NOT, STOP_TIME, STOP_INTERRUPTED, STOP_EXECUTIONS, STOP_RACE, STOP_ITEMS, STOP_RESTART,
            STOP_INPUTS, STOP_PAIRS };

double now_seconds(void);
uint64_t cpu_microseconds(void); /* of this process and of its children that have ended */
enum stop stop_reason(void);
void set_deadline(double seconds);

#endif
