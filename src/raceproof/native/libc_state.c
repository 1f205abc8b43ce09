/* libc_state.c: what the replaced functions keep, and how it is put back (talks to raceproof.explore; see libc.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"
#include "states.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <getopt.h>
#endif

struct libc_state libc;

enum { FIRST_SEED = 1, FIRST_C48 = 0xb };
static const uint64_t FIRST_A48 = 0x5deece66du, FIRST_X48 = 0;

void libc_init(void) {
    /* The same local time on every machine, unless the user has asked for one. */
    (void)setenv("TZ", "UTC0", 0);
    if (!rp_fork_mode) tzset(); /* in a process of its own the program's first question sets it, as in a real run */
    libc_init_output();
    if (rp_fork_mode) libc_load_input(); /* what a child reads would be lost for the next one */
    libc_reset();
}

/* getopt keeps its place in hidden variables; a scan with optind 0 (glibc) or optreset (BSD) sets them back. */
static void reset_getopt(void) {
    char name[] = "program";
    char *arguments[] = {name, NULL};
#ifdef __APPLE__
    optreset = 1;
    optind = 1;
#else
    optind = 0;
#endif
    opterr = 0;
    (void)getopt(1, arguments, "");
    optind = 1;
    opterr = 1;
    optopt = '?';
    optarg = NULL;
}

/* No memset: the tables are large. Counts, and the number of the execution, say which parts are in use. */
void libc_reset(void) {
    libc.handler_count = libc.quick_handler_count = 0;
    libc.exit_kind = EXIT_NORMAL;
    if (++libc.execution == 0) libc.execution = 1;
    libc.seed = FIRST_SEED;
    libc.seed48 = FIRST_X48;
    libc.a48 = FIRST_A48;
    libc.c48 = FIRST_C48;
    memset(libc.old48, 0, sizeof libc.old48);
    libc.strtok_next = NULL;
    memset(libc.timers, 0, sizeof libc.timers);
    memset(libc.redirected, 0, sizeof libc.redirected);
    if (rp_fork_mode) libc.real_pid = getpid();
    if (libc.input_used) libc_reset_input();
    if (libc.getopt_used) reset_getopt();
    libc.input_used = libc.getopt_used = 0;
}

/* ---- states: of what is above, programs whose states are told use nothing else (explore/captured_state.py) */

void libc_keep(void) { state_keep(&libc.exit_kind, sizeof libc.exit_kind); }

void libc_tell(void) { state_tell_number((uint64_t)libc.exit_kind); }
