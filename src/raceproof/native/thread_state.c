/* thread_state.c: what the system and the C library keep for each thread, for raceproof.explore: signal mask, pending
 * signals, alternate signal stack, locale, `h_errno`, name.
 *
 * To the system all threads of the program are one. Each has its own state here; in fork mode the real one follows the
 * thread that runs. A signal that a thread sends is kept here until a thread that may take it runs.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "isolation.h"
#include "libc.h"
#include "libraries.h"
#include "outside.h"
#include "program_types.h"
#include "threads.h"

#define SIGNALS 64
#define NAME 16 /* with the NUL, as the system has it */

/* Of a sigset_t the first 64 bits count, in glibc and musl alike. */
typedef uint64_t signal_set;
_Static_assert(sizeof(sigset_t) >= sizeof(signal_set), "64 signals");
#define SIGNAL(n) ((signal_set)1 << ((n) - 1))
#define UNBLOCKABLE (SIGNAL(SIGKILL) | SIGNAL(SIGSTOP) | SIGNAL(32) | SIGNAL(33)) /* the last two are the library's */
#define CRASHES (SIGNAL(SIGSEGV) | SIGNAL(SIGBUS) | SIGNAL(SIGFPE) | SIGNAL(SIGILL))

static struct state {
    signal_set mask, pending, outer_mask;
    stack_t alternate;
    locale_t locale;
    int host_error; /* h_errno */
    char name[NAME];
    uint32_t handlers; /* of signals that have run in it */
    bool restarts;     /* a call that the last one interrupted goes on */
} states[RP_MAX_THREADS];
static tset have_state;       /* threads for which nothing was set are not in there: most programs set nothing */
static signal_set of_process; /* pending for whoever takes them */

static struct state first_state(void) {
    struct state first = {.alternate = {.ss_flags = SS_DISABLE}, .locale = LC_GLOBAL_LOCALE};
    const char *path = options.argv[0], *last = strrchr(path, '/');
    strncpy(first.name, last != NULL ? last + 1 : path, NAME - 1);
    return first;
}

static struct state *state_of(const struct thread *t) {
    struct state *s = &states[t->tid];
    if (have_state & BIT(t->tid)) return s;
    have_state |= BIT(t->tid);
    *s = first_state();
    return s;
}

static struct state *own(void) { return state_of(self); }

static signal_set read_set(const sigset_t *set) {
    signal_set found;
    memcpy(&found, set, sizeof found);
    return found;
}

static void write_set(sigset_t *set, signal_set value) {
    sigemptyset(set);
    memcpy(set, &value, sizeof value);
}

static signal_set lowest(signal_set set) { return set & -set; }
static int number_of(signal_set one) { return __builtin_ctzll(one) + 1; }

/* ---- the real one follows */

static void set_real_mask(signal_set mask) {
    sigset_t real;
    if (!rp_fork_mode) return;
    write_set(&real, mask & ~CRASHES);
    sigprocmask(SIG_SETMASK, &real, NULL);
}

/* A new thread has the mask and the name of its creator. */
void thread_state_start(struct thread *t) {
    libraries_start(t);
    if (self == NULL) have_state = of_process = 0;
    have_state &= ~BIT(t->tid);
    if (self == NULL || !(have_state & BIT(self->tid))) return;
    state_of(t)->mask = own()->mask;
    memcpy(state_of(t)->name, own()->name, NAME);
}

void thread_state_switch(struct thread *from, struct thread *to) {
    libraries_switch(from, to);
    struct state *a = state_of(from), *b = state_of(to);
    a->host_error = h_errno;
    h_errno = b->host_error;
    if (a->mask != b->mask) set_real_mask(b->mask);
    if (a->locale != b->locale) uselocale(b->locale);
    if (a->alternate.ss_sp != b->alternate.ss_sp) set_alternate_stack(&b->alternate);
}

/* ---- locale, name */

RP_LIB locale_t rp_lib_uselocale(locale_t locale) {
    locale_t before = own()->locale;
    if (locale == (locale_t)0) return before;
    if (uselocale(locale) == (locale_t)0) return (locale_t)0;
    own()->locale = locale;
    return before;
}

RP_LIB int rp_lib_pthread_setname_np(pthread_t id, const char *name) {
    struct thread *t = thread_by_handle((uintptr_t)id);
    if (t == NULL) return ESRCH;
    if (strlen(name) >= NAME) return ERANGE;
    strcpy(state_of(t)->name, name);
    return 0;
}

RP_LIB int rp_lib_pthread_getname_np(pthread_t id, char *name, size_t size) {
    struct thread *t = thread_by_handle((uintptr_t)id);
    if (t == NULL) return ESRCH;
    if (strlen(state_of(t)->name) >= size) return ERANGE;
    strcpy(name, state_of(t)->name);
    return 0;
}

/* ---- alternate signal stack: ours serves threads that have none */

RP_LIB int rp_lib_sigaltstack(const stack_t *stack, stack_t *old) {
    stack_t before = own()->alternate;
    if (stack != NULL) {
        if (stack->ss_flags != 0 && stack->ss_flags != SS_DISABLE) return errno = EINVAL, -1;
        if (!(stack->ss_flags & SS_DISABLE) && stack->ss_size < 2048) return errno = ENOMEM, -1;
        own()->alternate = *stack;
        if (stack->ss_flags & SS_DISABLE) own()->alternate.ss_sp = NULL;
        set_alternate_stack(&own()->alternate);
    }
    if (old != NULL) *old = before;
    return 0;
}

/* ---- masks */

bool signal_is_blocked(const struct thread *t, int number) {
    return number >= 1 && number <= SIGNALS && (state_of(t)->mask & SIGNAL(number)) != 0;
}

static bool is_awaited_or_open(int number) {
    for (tset rest = live; rest != 0; rest &= rest - 1)
        if (!signal_is_blocked(&threads[__builtin_ctzll(rest)], number)) return true;
    return false;
}

bool signal_is_blocked_by_all(int number) { return !is_awaited_or_open(number); }

void signal_leave(struct thread *t, int number) {
    if (number < 1 || number > SIGNALS) return;
    *(t != NULL ? &state_of(t)->pending : &of_process) |= SIGNAL(number);
    outside_gives();
}

bool signal_is_pending(const struct thread *t, uint64_t set) {
    sigset_t real;
    signal_set found = set == 0 ? 0 : state_of(t)->pending | of_process;
    if (set != 0 && rp_fork_mode && sigpending(&real) == 0) found |= read_set(&real); /* from other processes */
    return (found & set) != 0;
}

void signal_from_user(int number) { of_process |= SIGNAL(number); }

uint32_t handlers_run(const struct thread *t, bool *restarts) {
    *restarts = state_of(t)->restarts;
    return state_of(t)->handlers;
}

static void note_handler(int number) {
    struct sigaction now;
    if (!libc_is_handled(number) || sigaction(number, NULL, &now) != 0) return;
    own()->handlers++;
    own()->restarts = (now.sa_flags & SA_RESTART) != 0;
}

/* What has come for this thread and is not blocked any more. How many there were. */
static int deliver(void) {
    int count = 0;
    signal_set ready;
    while ((ready = (own()->pending | of_process) & ~own()->mask) != 0) {
        signal_set one = lowest(ready);
        if (own()->pending & one) own()->pending &= ~one;
        else of_process &= ~one;
        outside_takes();
        note_handler(number_of(one));
        (void)libc_raise(number_of(one));
        count++;
    }
    return count;
}

void thread_state_arrive(void) {
    if (((own()->pending | of_process) & ~own()->mask) != 0) deliver();
}

static int change_mask(int how, const sigset_t *set, sigset_t *old) {
    signal_set before = own()->mask, given = set != NULL ? read_set(set) & ~UNBLOCKABLE : 0;
    if (set != NULL) {
        if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
        own()->mask = how == SIG_BLOCK ? before | given : how == SIG_UNBLOCK ? before & ~given : given;
        if (own()->mask != before) set_real_mask(own()->mask);
    }
    if (old != NULL) write_set(old, before);
    if (set != NULL) deliver();
    return 0;
}

void thread_mask_begin(const sigset_t *mask) {
    if (mask == NULL) return;
    own()->outer_mask = own()->mask;
    (void)change_mask(SIG_SETMASK, mask, NULL);
}

void thread_mask_end(const sigset_t *mask) {
    sigset_t outer;
    int before = errno;
    if (mask == NULL) return;
    write_set(&outer, own()->outer_mask);
    (void)change_mask(SIG_SETMASK, &outer, NULL);
    errno = before;
}

RP_LIB int rp_lib_pthread_sigmask(int how, const sigset_t *set, sigset_t *old) { return change_mask(how, set, old); }
RP_LIB int rp_lib_sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    int error = change_mask(how, set, old);
    return error == 0 ? 0 : (errno = error, -1);
}

RP_LIB int rp_lib_sigpending(sigset_t *set) {
    sigset_t real;
    signal_set found = own()->pending | of_process;
    if (rp_fork_mode && sigpending(&real) == 0) found |= read_set(&real); /* from other processes */
    write_set(set, found & own()->mask);
    return 0;
}

/* ---- waiting for signals */

/* One of the set: of this thread, of the process, or really sent by another process; 0 if there is none. */
static int take_signal(signal_set set, siginfo_t *info) {
    memset(info, 0, sizeof *info);
    signal_set one = lowest((own()->pending | of_process) & set);
    if (one == 0) {
        static const struct timespec at_once;
        sigset_t real;
        write_set(&real, set);
        int number = rp_fork_mode ? sigtimedwait(&real, info, &at_once) : -1;
        return number > 0 ? number : 0;
    }
    if (own()->pending & one) own()->pending &= ~one;
    else of_process &= ~one;
    info->si_signo = number_of(one);
    info->si_code = SI_TKILL;
    return info->si_signo;
}

/* -1: a handler of another signal has run. */
static int await_signal(const sigset_t *set, siginfo_t *info, uint64_t until) {
    struct outside_wait wait = {.signals = read_set(set), .until = until};
    int number;
    outside_begin();
    while ((number = take_signal(wait.signals, info)) == 0) {
        if (wait.timed_out) return errno = EAGAIN, -1;
        if (!outside_wait(&wait)) return -1;
    }
    outside_takes();
    return number;
}

RP_LIB int rp_lib_sigwait(const sigset_t *set, int *number) {
    siginfo_t info;
    while ((*number = await_signal(set, &info, FOREVER)) < 0) {
    }
    return 0;
}

RP_LIB int rp_lib_sigwaitinfo(const sigset_t *set, siginfo_t *info) {
    siginfo_t own_info;
    return await_signal(set, info != NULL ? info : &own_info, FOREVER);
}

RP_LIB int rp_lib_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct program_timespec *limit) {
    siginfo_t own_info;
    uint64_t until = FOREVER;
    if (!is_time(limit)) return errno = EINVAL, -1;
    if (limit != NULL) until = rp_now() + (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
    return await_signal(set, info != NULL ? info : &own_info, until);
}

/* Until a handler has run. Those of signals that other processes send run when they like. */
static int wait_for_handler(void) {
    static const struct timespec short_time = {.tv_nsec = 1000000};
    struct outside_wait wait = {.until = FOREVER, .looks_again = true};
    sigset_t mask;
    write_set(&mask, own()->mask & ~CRASHES);
    outside_begin();
    while (deliver() == 0 && outside_wait(&wait))
        if (rp_fork_mode && ppoll(NULL, 0, &short_time, &mask) < 0) break;
    outside_takes();
    return errno = EINTR, -1;
}

RP_LIB int rp_lib_pause(void) { return wait_for_handler(); }

RP_LIB int rp_lib_sigsuspend(const sigset_t *set) {
    signal_set before = own()->mask;
    own()->mask = read_set(set) & ~UNBLOCKABLE;
    set_real_mask(own()->mask);
    (void)wait_for_handler();
    own()->mask = before;
    set_real_mask(before);
    return errno = EINTR, -1;
}

/* ---- handlers: ours, which tell of crashes, are not the program's to see */

RP_LIB int rp_lib_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    struct sigaction before;
    if (number < 1 || number > SIGNALS || sigaction(number, NULL, &before) != 0) return errno = EINVAL, -1;
    bool is_ours = rp_is_own_handler(before.sa_handler);
    if (action != NULL) {
        bool is_default = action->sa_handler == SIG_DFL && !(action->sa_flags & SA_SIGINFO);
        if (is_default && is_crash_signal(number)) catch_crash(number);
        else if (sigaction(number, action, NULL) != 0) return -1;
    }
    if (old == NULL) return 0;
    *old = before;
    if (is_ours) {
        memset(old, 0, sizeof *old);
        old->sa_handler = SIG_DFL;
    }
    return 0;
}

RP_LIB sighandler_t rp_lib_signal(int number, sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, number);
    return rp_lib_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
