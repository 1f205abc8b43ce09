/* watchdog.h: what the process that searches shares with the one that watches over it. */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WATCHDOG_PAGE 65536 /* a multiple of the page size on every machine */

/* One page, shared with the watchdog and with child processes. The search writes `steps_left` at every step. */
struct pulse {
    uint64_t steps_left;         /* of this execution: what has not changed has not run */
    volatile uint64_t execution; /* counts them */
    volatile uint64_t deadline;  /* in nanoseconds of the monotonic clock; 0: none */
    volatile uint64_t cut_at;    /* steps left when the watchdog decided that the execution does not go on */
    volatile pid_t running;      /* the process that runs the program now; 0: the search itself runs */
    volatile int tick;           /* set four times a second */
    volatile int interrupted;    /* the search is to end with what it has */
    volatile int asked;          /* for a part of the work (items.c) */
} __attribute__((aligned(WATCHDOG_PAGE)));
extern struct pulse pulse;

/* Glibc and musl keep this signal to themselves: a program can neither block it nor see that it is handled. */
#define CUT_SIGNAL 32

uint64_t now_nanoseconds(void);

/* Split in two: returns in a child process, which searches, reads `input` (-1: nothing), and whose standard output are the records. The other one keeps
 * the session with the host, stays until the search has ended, and leaves nothing behind of it, nor of what it has
 * started. */
void start_watchdog(int input);

void end_with_parent(pid_t parent); /* this process is killed when the parent dies, be it already */
bool end_children(void);            /* kill all of them and what they leave; false: there were none */

#endif
