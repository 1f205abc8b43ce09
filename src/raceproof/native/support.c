/* support.c: what the replaced functions of the C library ask of the scheduler; for raceproof.explore. */

#include "fiber.h"
#include "libc.h"
#include "processes.h"
#include "program.h"
#include "sampled.h"
#include "sched.h"
#include "sync.h"

#define NANOSECONDS_A_CALL 1000

int rp_tid(void) { return self != NULL ? self->tid : 0; }

_Noreturn void rp_exit_program(int status) {
    if (!self->in_exit) {
        self->in_exit = 1;
        libc_run_exit_handlers(status);
        if (libc.exit_kind == EXIT_NORMAL) run_all(program.destructors);
        if (is_child_process) child_exits(status);
    }
    stand_still(OP_EXIT);
}

_Noreturn void rp_assume_failed(void) { stand_still(OP_NEVER); }

/* Every scheduling point lets others go first; a yield adds nothing to that. */
void rp_yield(void) {
    if (samples) sample_yield();
    cancellation_point();
}

/* Each thread has its own clock: what it shows does not depend on the schedule. */
uint64_t rp_now(void) { return self->virtual_time += NANOSECONDS_A_CALL; }

void rp_sleep_for(uint64_t ns) {
    self->virtual_time += ns;
    rp_yield();
}

void rp_sleep_until(uint64_t ns) {
    rp_sleep_for(ns > self->virtual_time ? ns - self->virtual_time : 0);
}

int rp_is_stack(const void *p) {
    uintptr_t base = (uintptr_t)self->fiber.stack;
    return (uintptr_t)p >= base && (uintptr_t)p < base + self->fiber.stack_size;
}
