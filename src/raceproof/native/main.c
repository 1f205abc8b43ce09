/* main.c: rp_host, the process in which raceproof.explore runs a program. It is told what to do on its standard input, and
 * answers on its standard output (session.h); `rp_host --listen ADDRESS:PORT --secret-file FILE` serves hosts that come
 * over a network. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include "blocks.h"
#include "control.h"
#include "futures.h"
#include "heap.h"
#include "inputs.h"
#include "isolation.h"
#include "items.h"
#include "libc.h"
#include "processes.h"
#include "report.h"
#include "resources.h"
#include "sampled.h"
#include "session.h"
#include "watchdog.h"

void *reserve(size_t bytes) {
    int sharing = options.fork ? MAP_SHARED : MAP_PRIVATE;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("raceproof: not enough memory for the search");
        exit(4);
    }
    note_shared(memory, bytes);
    return memory;
}

static void reserve_all(void) {
    G = reserve(sizeof *G);
    events = reserve(sizeof *events * MAX_EVENTS);
    nodes = reserve(sizeof *nodes * MAX_EVENTS);
    clocks = reserve(sizeof *clocks * MAX_EVENTS * RP_MAX_THREADS);
    befores = reserve(sizeof *befores * MAX_EVENTS * RP_MAX_THREADS);
    sleepers = reserve(sizeof *sleepers * MAX_EVENTS * RP_MAX_THREADS);
    races = reserve(sizeof *races * MAX_RACES);
    wakes = reserve(sizeof *wakes * MAX_WAKES);
    segments = reserve(sizeof *segments * (MAX_SEGMENTS + 1));
    visible_access = reserve(options.access_limit + 1);
    memset(visible_access, options.algorithm->accesses, options.access_limit + 1);
}

/* Addresses must be the same in every run: the kernel is asked not to move things about, which takes effect when the
 * program is started again. */
static void fix_layout(char **argv) {
    int now = personality(0xffffffff);
    bool is_again = getenv("RACEPROOF_LAYOUT") != NULL;
    unsetenv("RACEPROOF_LAYOUT"); /* the program has the environment that it was given */
    if (now == -1 || (now & ADDR_NO_RANDOMIZE) || is_again) return;
    setenv("RACEPROOF_LAYOUT", "fixed", 1);
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) != -1) execv("/proc/self/exe", argv);
    unsetenv("RACEPROOF_LAYOUT");
}

/* Standard output is the program's as far as it can see: what we write goes elsewhere. */
static void separate_output(void) {
    int records = fcntl(1, F_DUPFD_CLOEXEC, 100);
    int into = rp_fork_mode ? memfd_create("output", 0) : open("/dev/null", O_WRONLY);
    if (records < 0 || into < 0) exit(4);
    fcntl(into, F_SETFL, O_APPEND);
    dup2(into, 1);
    dup2(into, 2);
    close(into);
    report_to(records);
}

/* What processes that the program has started wrote, and libraries by system calls of their own. */
static size_t output_of_others(char *text, size_t room) {
    ssize_t n = rp_fork_mode ? pread(1, text, room, 0) : 0;
    return n > 0 ? (size_t)n : 0;
}

/* ---- the search */

void report_output(void);

static double last_progress;

static void progress(void) {
    double now = now_seconds();
    if (now - last_progress < 0.5) return;
    last_progress = now;
    report_put("progress\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u", G->executions, G->blocked, G->transitions,
               G->prefix, options.pair_count - G->pairs_found);
    report_end();
}

/* Of a search over states: how many, and how many of them have something left to try. */
void report_states(uint64_t states, uint64_t frontier) {
    double now = now_seconds();
    if (now - last_progress < 0.5) return;
    last_progress = now;
    report_put("progress\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u", G->executions, states, G->transitions,
               (uint32_t)frontier, options.pair_count - G->pairs_found);
    report_end();
}

void report_races(void) {
    static struct segment *original;
    static struct hit hits[MAX_PAIRS_FOUND];
    uint32_t count = G->hit_count;
    if (count == 0) return;
    if (original == NULL) original = reserve(sizeof *original * (MAX_SEGMENTS + 1));
    size_t size = (G->segment_count + 1) * sizeof *original;
    memcpy(original, segments, size);
    memcpy(hits, G->hits, count * sizeof *hits);
    for (uint32_t i = 0; i < count; i++) {
        G->found[G->pairs_found++] = (struct found_race){hits[i].a, hits[i].b};
        memcpy(segments, original, size); /* driving overwrites it */
        drive(&hits[i]);
        report_hit(&hits[i]);
        if (!options.all) break;
    }
}

static void take_threads(void) {
    G->paths = options.path_count;
    for (uint32_t i = 0; i < options.path_count; i++) {
        G->path_parent[i] = options.paths[i].parent;
        G->path_number[i] = options.paths[i].number;
    }
}

/* Begin anew with the present set of scheduling points. */
static void begin_search(void) {
    G->prefix = 0;
    G->wake_free = NONE;
    G->wake_used = 0;
    G->restart = 0;
    if (options.algorithm->begin != NULL) options.algorithm->begin();
    items_begin();
}

/* A program whose first execution does not come to an end is searched in levels: first short executions, then longer
 * ones, so that the search does not lose itself in the depths of one of them. */
#define FIRST_LEVEL 256
#define LEVEL_FACTOR 4
#define LEVEL_SHARE 0.2 /* of the time limit */

/* With inputs, no assignment may use up the time of the others. */
#define INPUT_SHARE 0.03

static double level_begin, search_begin;

/* The same failure so often ends a search; twice does where schedules are drawn, or the search is slow. */
#define ALIKE_EXECUTIONS 1000
#define ALIKE_SECONDS 1.0

static void enter_level(uint32_t events) {
    G->event_limit = events < MAX_EVENTS ? events : MAX_EVENTS;
    level_begin = now_seconds();
    if (options.algorithm->fresh != NULL) options.algorithm->fresh();
    begin_search();
}

static bool level_is_over(void) {
    double share = options.time_limit * LEVEL_SHARE;
    return G->event_limit < MAX_EVENTS && now_seconds() - level_begin > (share > 1 ? share : 1);
}

static bool input_is_over(void) {
    double share = options.time_limit * INPUT_SHARE;
    return G->choice_count > 0 && options.time_limit > 0 && now_seconds() - search_begin > (share > 0.3 ? share : 0.3);
}

/* Has every execution come to the same failure? Then the others do so, too, before they do what matters. */
static bool fails_alike(void) {
    if (G->executions == 1) G->failure = G->failed;
    if (G->failed != G->failure) G->failure = 0;
    if (G->failure == 0 || G->executions == 1) return false;
    return options.samples || G->executions >= ALIKE_EXECUTIONS || now_seconds() - search_begin > ALIKE_SECONDS;
}

static enum stop one_search(void) {
    bool is_first = true;
    search_begin = now_seconds();
    G->event_limit = MAX_EVENTS;
    if (options.algorithm->fresh != NULL) options.algorithm->fresh();
    if (options.algorithm->search != NULL) return (enum stop)options.algorithm->search();
    if (options.begun && options.algorithm->resume != NULL) options.algorithm->resume();
    begin_search();
    for (;;) {
        G->failed = 0;
        run_execution();
        if (G->executions == 0) report_output();
        if (G->stop != STOP_NOT) {
            report_races();
            return (enum stop)G->stop;
        }
        if (G->restart) {
            if (items_divided()) return STOP_RESTART;
            begin_search();
            continue;
        }
        G->executions++;
        if (G->cut == CUT_BLOCKED) G->blocked++;
        bool is_endless = is_first && G->cut == CUT_EVENTS && !options.begun;
        is_first = false;
        bool has_races = G->hit_count > 0;
        bool goes_on = is_endless || options.algorithm->finish();
        if (has_races) {
            if (G->first_race == 0) G->first_race = G->executions;
            report_races();
            if (!options.all) return STOP_RACE;
        }
        if (options.algorithm->between != NULL) options.algorithm->between();
        if (fails_alike()) return STOP_FAILURE;
        if (G->cut == CUT_DEADLOCK && options.deadlocks == DEADLOCKS_FIRST) return STOP_DEADLOCK;
        if (must_stop()) return stop_reason(); /* the end of the search may have been cut short */
        if (items_divided() && G->choice_count > 0) return STOP_INPUTS;
        if (G->restart) {
            if (items_divided()) return STOP_RESTART;
            begin_search();
            continue;
        }
        if (is_endless) {
            enter_level(FIRST_LEVEL);
            continue;
        }
        if ((!goes_on && G->event_limit < MAX_EVENTS) || (pulse.tick && level_is_over())) {
            enter_level(G->event_limit * LEVEL_FACTOR);
            continue;
        }
        if (!goes_on) return STOP_NOT;
        if (pulse.tick && input_is_over()) {
            limit_reached(RP_LIMIT_INPUTS);
            return STOP_NOT;
        }
        if (options.max_executions != 0 && G->executions >= options.max_executions) return STOP_EXECUTIONS;
        enum stop pass = options.shares ? items_pass() : STOP_NOT;
        if (pass != STOP_NOT) return pass;
        if (pulse.tick || options.fork) {
            pulse.tick = 0;
            progress();
            enum stop stop = stop_reason();
            if (stop != STOP_NOT) return stop;
        }
    }
}

static const char *const stop_names[] = {"complete", "time", "interrupted", "executions", "race",
                                         "items", "restart", "inputs", "pairs", "deadlock", "failure"};

static void report_reason(const char *text) {
    report_put("bounded\t");
    report_encoded(text, strlen(text));
    report_end();
}

static void report_bounded_at(const char *text, uint32_t site) {
    report_put("bounded\t");
    report_encoded(text, strlen(text));
    report_put("\t%u", site);
    report_end();
}

static void report_bounds(void) {
#define TEXT(name, text) text,
    static const char *const limits[] = {RP_LIMITS(TEXT)};
    for (uint32_t i = 0; i < RP_LIMIT_COUNT; i++)
        if (G->limits >> i & 1) report_reason(limits[i]);
    static const char *const texts[] = {
        "an execution did not end",
        "the program did not do the same again under the same schedule",
        "a thread unlocks what it does not hold, and not all orders of that were tried",
        "a key is deleted while other threads may end, and not all orders of that were tried",
        "a wait that ends without a signal again and again, while nobody else does anything, was not tried",
    };
    const uint8_t flags[] = {G->bounded_endless, G->nondeterministic, G->bounded_unlock, G->bounded_keys,
                             G->bounded_timeouts};
    for (size_t i = 0; i < sizeof flags; i++)
        if (flags[i]) report_reason(texts[i]);
    if (G->bounded_unsure)
        report_bounded_at("a library function may read more than it needs, which another thread writes", G->unsure_site);
    if (G->bounded_weaker)
        report_bounded_at("atomics of weaker memory orders allow executions that are not sequentially consistent",
                          G->weaker_site);
}

static void report_number(const char *name, uint64_t value) {
    report_put("stat\t%s\t%" PRIu64, name, value);
    report_end();
}

void report_output(void) {
    static char others[65536];
    size_t length, more = output_of_others(others, sizeof others);
    const char *text = libc_output(&length);
    libc_capture = 0;
    if (length + more == 0) return;
    report_put("output\t");
    report_encoded(text, length);
    report_encoded(others, more);
    report_end();
}

/* What other processes have found out already. */
static void take_facts(void) {
    take_threads();
    G->has_try = options.has_try;
    G->has_cancel = options.has_cancel;
    G->barrier_ordered = options.barrier_ordered;
    for (uint32_t i = 0; i < options.visible_count; i++)
        if (options.visible[i] < options.access_limit) visible_access[options.visible[i]] = 1;
    for (uint32_t i = 0; i < options.found_count && G->pairs_found < MAX_PAIRS_FOUND; i++)
        G->found[G->pairs_found++] = options.found[i];
}

void run_search(void) {
    double begin = now_seconds();
    uint64_t cpu_begin = cpu_microseconds();
    G->event_limit = MAX_EVENTS;
    take_facts();
    if (options.shares) {
        items_listen();
        progress();
    }
    libc_capture = 1;
    enum stop stop;
    do
        stop = one_search();
    while (stop == STOP_NOT && next_inputs());
    double seconds = now_seconds() - begin;
    uint64_t cpu = cpu_microseconds() - cpu_begin;
    if (stop == STOP_RESTART) items_tell_facts();
    report_bounds();
    if (G->input_was_empty) report_number("input_was_empty", 1);
    if (G->client_failed != 0) report_number("client_failed", G->client_failed);
    report_number("executions", G->executions);
    report_number("blocked", G->blocked);
    report_number("transitions", G->transitions);
    report_number("subspace_checks", G->subspace_checks);
    report_number("subspace_race_free", G->subspace_race_free);
    report_number("backtracks_skipped", G->backtracks_skipped);
    report_number("data_conflicts", G->data_conflicts);
    if (G->classes != 0) report_number("classes", G->classes);
    report_number("threads", G->paths);
    if (options.samples) {
        report_put("stat\ttrace\t%" PRIu64, G->trace);
        report_end();
        report_number("predicted", G->predicted);
        report_number("first_race", G->first_race);
    }
    report_number("cpu_microseconds", cpu);
    report_put("stat\tseconds\t%.6f", seconds);
    report_end();
    report_put("end\t%s", stop_names[stop]);
    report_end();
}

static void replay(void) {
    G->event_limit = MAX_EVENTS;
    take_threads();
    run_replay();
    report_flush_step();
    struct thread *a = &threads[options.drive_a.tid], *b = &threads[options.drive_b.tid];
    if (G->driven) {
        struct hit hit = {.a = a->pending.id, .b = b->pending.id, .tid_a = a->tid, .tid_b = b->tid, .together = 1,
                          .address = a->pending.object > b->pending.object ? a->pending.object : b->pending.object,
                          .segments = G->segment_count};
        report_hit(&hit);
    }
    for (uint32_t i = 0; i < G->hit_count; i++) {
        G->hits[i].segments = G->segment_count;
        report_hit(&G->hits[i]);
    }
    blocks_tell();
    report_put("end\treplayed");
    report_end();
}

/* ---- from the arguments to the session */

static struct request serve(const char *address, const char *file) {
    static char secret[SECRET_LIMIT];
    size_t size = 0;
    const char *given = getenv("RACEPROOF_SECRET");
    if (file != NULL) {
        int from = open(file, O_RDONLY | O_CLOEXEC);
        ssize_t n = from < 0 ? -1 : read(from, secret, sizeof secret);
        if (n < 0) fprintf(stderr, "%s: %s\n", file, strerror(errno));
        if (from >= 0) close(from);
        size = n > 0 ? (size_t)n : 0;
    } else if (given != NULL) {
        size = strlen(given) < sizeof secret ? strlen(given) : sizeof secret;
        memcpy(secret, given, size);
    }
    unsetenv("RACEPROOF_SECRET"); /* the program is not to know it */
    while (size > 0 && (secret[size - 1] == '\n' || secret[size - 1] == '\r')) size--;
    if (size < SECRET_LEAST) {
        fprintf(stderr, "raceproof: give a secret of at least %d characters: --secret-file FILE, or in RACEPROOF_SECRET\n",
                SECRET_LEAST);
        exit(2);
    }
    return session_serve(address, secret, size);
}

static struct request take_request(int argc, char **argv) {
    if (argc == 1) return session_begin(STDIN_FILENO, STDOUT_FILENO, NULL, 0);
    bool has_file = argc == 5 && strcmp(argv[3], "--secret-file") == 0;
    if ((argc == 3 || has_file) && strcmp(argv[1], "--listen") == 0) return serve(argv[2], has_file ? argv[4] : NULL);
    fputs("usage: rp_host [--listen ADDRESS:PORT [--secret-file FILE]]\n", stderr);
    exit(2);
}

int main(int argc, char **argv) {
    fix_layout(argv);
    struct request request = take_request(argc, argv);
    read_control(request.control);
    start_watchdog(request.input);
    for (uint32_t i = 0; i < options.environment_count; i++) putenv(options.environment[i]);
    rp_fork_mode = options.fork;
    if (options.mode == MODE_REPLAY) {
        options.algorithm = &algorithm_race; /* for its way of finding races */
        options.fork = false;                /* one execution needs no process of its own */
    }
    if (rp_fork_mode) separate_from_others(); /* otherwise it calls nothing that could reach it */
    processes_init();
    reserve_all();
    heap_init();
    if (options.mode == MODE_REPLAY) blocks_init();
    heap_reused = shadow_forget;
    libc_init();
    load_program(request.program);
    if (request.file >= 0) close(request.file); /* the program opens files with the numbers that it expects */
    separate_output();
    futures_ready();
    if (options.samples) sample_init();
    limit_resources();
    catch_signals();
    set_deadline(options.time_limit);
    if (options.mode == MODE_REPLAY)
        replay();
    else
        run_search();
    return 0;
}
