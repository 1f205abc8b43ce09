/* libc.h: the replaced functions of the C library. Internal to the runtime of raceproof.explore.
 *
 * A function is replaced where the real one would keep state from one execution to the next, reach outside the
 * process, end it, or answer differently in every run. All state of the replacements is in `libc`. What is not
 * replaced runs in the real library; explore/outside.py knows which of those memory mode can put up with.
 */
#ifndef RACEPROOF_LIBC_H
#define RACEPROOF_LIBC_H

#include "heap.h"
#include "raceproof_rt.h"
#include "rt.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/types.h>

/* ---- what the core of the runtime gives */

int rp_tid(void);
void rp_fail(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void rp_exit_program(int status);
_Noreturn void rp_assume_failed(void);
_Noreturn void rp_end_thread(void); /* as the system does it: nothing of the program runs, and a once-object is not left */
void rp_yield(void);
uint64_t rp_choose_input(int bits, int is_signed, const char *type);
uint64_t rp_now(void); /* virtual nanoseconds since the program's start */
void rp_sleep_for(uint64_t ns);
void rp_sleep_until(uint64_t ns);
extern int rp_fork_mode;
/* The access by which the program told that this thread writes all of that memory now, or RP_NO_ACCESS. */
uint32_t rp_written(const void *address, uint64_t length);

/* Is p in the stack of a thread of the program? Without it, a free() of such a pointer goes to the real one. */
int rp_is_stack(const void *p) __attribute__((weak));

/* Is this handler of a signal not the program's but the core's? */
int rp_is_own_handler(void (*handler)(int)) __attribute__((weak));

/* ---- what the core calls */

/* Once, behind heap_init. In fork mode it reads the whole standard input, otherwise the first use does. */
void libc_init(void);
/* Before each execution. */
void libc_reset(void);
/* On the thread that ends the program, from rp_exit_program: what atexit and its like have registered. Nothing behind
 * _exit. May be called again if a handler calls exit. */
void libc_run_exit_handlers(int status);

/* What the program writes to its standard output and error is kept while this is set, up to 64 KB. The text is in
 * memory shared with child processes; libc_reset leaves it, libc_clear_output empties it. */
extern int libc_capture;
const char *libc_output(size_t *length);
void libc_clear_output(void);

/* ---- state */

enum exit_kind { EXIT_NORMAL, EXIT_QUICK, EXIT_AT_ONCE };

struct exit_handler {
    enum { PLAIN_HANDLER, STATUS_HANDLER, OBJECT_HANDLER } type;
    union {
        void (*plain)(void);
        void (*with_status)(int, void *);
        void (*of_object)(void *);
    } call;
    void *argument;
};

enum { MAX_EXIT_HANDLERS = 256, RANDOM_DEGREE = 31 };

/* The random numbers of one thread. Each thread has its own sequence: with a common one, the order of calls that the
 * search takes to be independent would change what they return. */
struct random_state {
    int32_t table[RANDOM_DEGREE];
    int front;
    uint64_t x48;          /* of drand48 and its like */
    uint64_t unseeded;     /* of arc4random and getrandom */
    uint32_t table_of, x48_of, unseeded_of; /* the execution for which each was set up */
};

/* When a timer goes off next, in virtual nanoseconds (0: it is not set), and how often then. */
struct libc_timer {
    uint64_t at, every;
};

enum { TIMERS = 3 };

struct libc_state {
    struct exit_handler handlers[MAX_EXIT_HANDLERS], quick_handlers[MAX_EXIT_HANDLERS];
    int handler_count, quick_handler_count;
    enum exit_kind exit_kind;
    struct random_state random[RP_MAX_THREADS];
    uint32_t seed;             /* of srand; for the threads that have not called it themselves */
    uint64_t seed48, a48;
    uint16_t c48, old48[3];
    uint32_t execution;        /* counts libc_reset; never 0 */
    char *strtok_next;
    struct libc_timer timers[TIMERS]; /* real, virtual, of the profiler */
    int input_used, getopt_used;
    int redirected[3];         /* fork mode: freopen or dup2 has put something else there, which is real */
    pid_t real_pid;
};

extern struct libc_state libc;

/* ---- among the libc_*.c files */

enum { PROGRAM_PID = 4242, PROGRAM_PARENT_PID = 4241 };

void *libc_alloc(size_t size, size_t align);             /* NULL and ENOMEM if there is no memory */
void *libc_alloc_fresh(size_t size, size_t align);       /* likewise; the program has not written it yet (validity.h) */
void *libc_realloc(void *p, size_t size);
char *libc_copy_string(const char *text, size_t length); /* a new block, or NULL */
void libc_emit(const char *text, size_t length);         /* to standard output or error */
int libc_emit_format(const char *format, va_list arguments);
void libc_load_input(void);
FILE *libc_input_stream(FILE *stream);                   /* what to read instead of `stream` */
void libc_reset_input(void);
void libc_init_output(void);
_Noreturn void libc_die(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void libc_past_limit(enum rp_limit limit);       /* the execution is cut here */
int libc_raise(int signal);                              /* to the calling thread */
int libc_act_on(int signal);                             /* whoever gets it: nobody blocks it */
int libc_is_handled(int signal);                         /* by a function of the program */

/* outside.c: fork mode, descriptors that the program has opened */
struct pollfd;
ssize_t outside_read(int fd, void *data, size_t length);
ssize_t outside_write(int fd, const void *data, size_t length);
int outside_poll(struct pollfd *waiters, unsigned long count, int milliseconds);
void outside_until_readable(int fd);
int outside_select(int count, fd_set *reads, fd_set *writes, fd_set *errors, uint64_t ns);

static inline int libc_is_output(FILE *stream) {
    return (stream == stdout && !libc.redirected[1]) || (stream == stderr && !libc.redirected[2]);
}

static inline int libc_is_output_descriptor(int fd) { return (fd == 1 || fd == 2) && !libc.redirected[fd]; }

#endif
