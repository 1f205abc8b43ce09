/* watchdog.c: the process that watches over a search, for raceproof.explore.
 *
 * It is the parent of the process that runs the program, and what raceproof itself sees of rp_host: it passes the records
 * of the search on (session.c). Messages and signals to it become flags in a shared page, and so do the ticks of the
 * clock: no signal interrupts the program, which could see that in `poll`, `semop` and their like. An execution that does
 * not go on is cut by one signal, behind which it never runs again.
 *
 * Nothing is left behind, whoever dies first. If raceproof dies, nobody reads our output any more. If the search dies,
 * its orphans become children of ours. If we die, the search is killed by the system, and so are its children.
 */

#define _GNU_SOURCE
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session.h"

#define TICK 250000000u /* nanoseconds */
#define LATE_TICKS 12
#define ENDLESS_TICKS 40 /* ten seconds without a step: the program computes for ever, or waits outside */
#define STOPPED_TICKS 2  /* the same when the search is to end */
#define CUTS 8           /* that may be without effect */
#define STATUS_LATE 5    /* the search itself did not come to an end */
#define ALIVE_TICKS 4    /* without anything to say */
#define SILENT_TICKS 240 /* a host that is reached by a network has said nothing for a minute: it is not there */
#define LAST_WORDS 2000  /* bytes of what was written to standard error */

struct pulse pulse;
_Static_assert(sizeof pulse == WATCHDOG_PAGE, "shared as a page of its own");

static volatile sig_atomic_t must_end;

uint64_t now_nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- what is left of processes */

void end_with_parent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(4);
}

static void kill_children(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)syscall(SYS_gettid));
    FILE *file = fopen(path, "re");
    long child;
    if (file != NULL) {
        while (fscanf(file, "%ld", &child) == 1) kill((pid_t)child, SIGKILL);
        fclose(file);
    }
}

/* What a child leaves behind becomes ours: again, until there is nothing. */
bool end_children(void) {
    pid_t ended = waitpid(-1, NULL, WNOHANG | __WALL);
    bool any = false;
    while (ended >= 0 || errno != ECHILD) {
        any = true;
        if (ended == 0) {
            kill_children();
            (void)waitpid(-1, NULL, __WALL);
        }
        ended = waitpid(-1, NULL, WNOHANG | __WALL);
    }
    return any;
}

/* ---- what the host hears */

static int records = -1, words = -1; /* what the search writes: a pipe, and a file for standard error */
static int quiet, silent;            /* ticks since something was sent, received */

/* What the search has written, as long as what was taken before is on its way; false: that was all for now. */
static bool pass_records(void) {
    static char bytes[FRAME_LIMIT];
    ssize_t n = read(records, bytes, sizeof bytes);
    if (n <= 0) return false;
    session_put(FRAME_RECORDS, bytes, (size_t)n);
    quiet = 0;
    return true;
}

/* All that there is to say, if somebody takes it. */
static void say_last(const char *how, int number) {
    char text[LAST_WORDS + 64];
    int length = snprintf(text, 64, "%s %d\n", how, number);
    off_t end = lseek(words, 0, SEEK_END);
    ssize_t n = pread(words, text + length, LAST_WORDS, end > LAST_WORDS ? end - LAST_WORDS : 0);
    while (pass_records()) {
    }
    session_put(FRAME_LAST, text, (size_t)length + (size_t)(n > 0 ? n : 0));
    uint64_t until = now_nanoseconds() + (uint64_t)SILENT_TICKS * TICK;
    while (session_flush() && session_has_output() && now_nanoseconds() < until) {
        struct pollfd output = {.fd = session_output(), .events = POLLOUT};
        poll(&output, 1, TICK / 1000000);
    }
}

static _Noreturn void end_all(int status) {
    kill_children();
    end_children();
    _exit(status);
}

/* As the search has ended, so do we. */
static _Noreturn void end_like(int status) {
    end_children();
    if (WIFEXITED(status)) {
        say_last("status", WEXITSTATUS(status));
        _exit(WEXITSTATUS(status));
    }
    say_last("signal", WTERMSIG(status));
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    kill(getpid(), WTERMSIG(status));
    _exit(4);
}

/* ---- watching */

static void tick(void) {
    static uint64_t seen_steps, seen_execution;
    static int late, idle, cuts;
    pulse.tick = 1;
    bool stops = pulse.interrupted || (pulse.deadline != 0 && now_nanoseconds() >= pulse.deadline);
    late = stops ? late + 1 : 0;
    if (late > LATE_TICKS) {
        kill_children();
        end_children();
        say_last("status", STATUS_LATE);
        _exit(STATUS_LATE);
    }
    if (++quiet >= ALIVE_TICKS) {
        session_put(FRAME_ALIVE, NULL, 0);
        quiet = 0;
    }
    if (++silent >= SILENT_TICKS && session_is_keyed()) end_all(STATUS_LATE);
    uint64_t steps = *(volatile uint64_t *)&pulse.steps_left, execution = pulse.execution;
    pid_t running = pulse.running;
    bool is_idle = running != 0 && steps == seen_steps && execution == seen_execution;
    seen_steps = steps;
    seen_execution = execution;
    idle = is_idle ? idle + 1 : 0;
    if (idle < (stops ? STOPPED_TICKS : ENDLESS_TICKS)) {
        cuts = 0;
        return;
    }
    pulse.cut_at = steps;
    kill(running, ++cuts > CUTS ? SIGKILL : CUT_SIGNAL);
}

static void on_signal(int number) {
    if (number == SIGHUP) must_end = 1;
    if (number == SIGINT || number == SIGTERM) pulse.interrupted = pulse.tick = 1;
}

static void on_frame(enum message type) {
    silent = 0;
    if (type == FRAME_END) must_end = 1;
    if (type == FRAME_ASK) pulse.asked = 1;
    if (type == FRAME_INTERRUPT) pulse.interrupted = pulse.tick = 1;
}

static const int heard[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
enum { HEARD = sizeof heard / sizeof *heard };

static _Noreturn void watch(pid_t search) {
    sigset_t none;
    sigemptyset(&none);
    uint64_t next = now_nanoseconds() + TICK;
    for (;;) {
        uint64_t now = now_nanoseconds();
        if (now >= next) {
            tick();
            next = now + TICK;
        }
        /* While the host is slow, the search waits: nothing more is taken from it. */
        bool waits = session_has_output();
        struct pollfd files[] = {{.fd = session_output(), .events = waits ? POLLOUT : 0},
                                 {.fd = session_input(), .events = POLLIN},
                                 {.fd = waits ? -1 : records, .events = POLLIN}};
        struct timespec rest = {.tv_nsec = (long)(next > now ? next - now : 0)};
        int events = ppoll(files, 3, &rest, &none);
        if (events > 0 && files[1].revents && !session_listen(on_frame)) must_end = 1;
        if (must_end || (events > 0 && (files[0].revents & (POLLERR | POLLHUP)))) end_all(STATUS_LATE);
        if (events > 0 && (files[2].revents & POLLIN)) pass_records();
        if (session_has_output() && !session_flush()) end_all(STATUS_LATE);
        int status;
        while (waitpid(search, &status, WNOHANG) == search)
            if (WIFEXITED(status) || WIFSIGNALED(status)) end_like(status);
    }
}

/* Of the search: what it writes goes to the watchdog. */
static int make_streams(void) {
    int ends[2];
    words = memfd_create("words", MFD_CLOEXEC);
    if (words < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        perror("raceproof: cannot watch over the search");
        exit(4);
    }
    fcntl(ends[1], F_SETFL, 0); /* the search waits */
    records = ends[0];
    return ends[1];
}

static void take_streams(int input, int writing) {
    session_leave();
    if (input < 0) input = open("/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, 0) < 0 || dup2(writing, 1) < 0 || dup2(words, 2) < 0) _exit(4);
    close(input);
    close(writing);
    close(records);
    close(words);
}

void start_watchdog(int input) {
    if (mmap(&pulse, sizeof pulse, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        perror("raceproof: no shared memory");
        exit(4);
    }
    struct sigaction hear = {.sa_handler = on_signal};
    sigset_t ours, before;
    sigemptyset(&ours);
    for (int i = 0; i < HEARD; i++) sigaddset(&ours, heard[i]);
    sigprocmask(SIG_BLOCK, &ours, &before); /* heard while we wait, and at no other time */
    for (int i = 0; i < HEARD; i++) sigaction(heard[i], &hear, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int writing = make_streams();
    pid_t parent = getpid(), search = fork();
    if (search < 0) {
        perror("raceproof: cannot start a process");
        exit(4);
    }
    if (search > 0) {
        close(writing);
        if (input >= 0) close(input);
        watch(search);
    }
    take_streams(input, writing);
    end_with_parent(parent);
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < HEARD; i++) signal(heard[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}
