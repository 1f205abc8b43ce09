/* report.c: records for raceproof.explore, as raceproof_rt.h lays them down. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "blocks.h"
#include "fiber.h"
#include "heap.h"
#include "isolation.h"
#include "libc.h"
#include "program.h"
#include "report.h"
#include "states.h"

static int out = 1;
static char *buffer;
static size_t used, room;

void report_to(int descriptor) { out = descriptor; }

static void put(const char *text, size_t length) {
    if (used + length > room) { /* not from the heap, where it would move what later executions get from the library */
        size_t more = 2 * (used + length) + 4096;
        char *larger = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (larger == MAP_FAILED) _exit(4);
        if (buffer != NULL) {
            memcpy(larger, buffer, used);
            munmap(buffer, room);
        }
        buffer = larger;
        room = more;
    }
    memcpy(buffer + used, text, length);
    used += length;
}

void report_put(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0) put(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void report_encoded(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c > 32 && c < 127 && c != '%')
            put((char *)&c, 1);
        else
            report_put("%%%02X", c);
    }
}

/* One record, one write: a child and its parent do not mix theirs. */
void report_end(void) {
    put("\n", 1);
    for (size_t at = 0; at < used;) {
        ssize_t n = write(out, buffer + at, used - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    used = 0;
}

static void put_schedule(uint32_t count) {
    put("\t", 1);
    for (uint32_t i = 0; i < count; i++) report_put(i ? " %u:%u" : "%u:%u", segments[i].tid, segments[i].steps);
    put("\t", 1);
    for (uint32_t i = 0; i < G->input_count; i++)
        report_put(i ? " %" PRId64 "@%u" : "%" PRId64 "@%u", (int64_t)G->input_values[i], G->input_sites[i]);
    put("\t", 1);
    bool first = true;
    for (uint32_t t = 0; t < G->paths; t++) {
        if (threads[t].state == T_UNUSED && G->final_state[t] == T_UNUSED) continue;
        report_put(first ? "%u:%d:%u" : " %u:%d:%u", t, G->thread_parent[t] == NO_THREAD ? -1 : G->thread_parent[t],
                   G->thread_site[t]);
        first = false;
    }
}

/* ---- names of addresses */

const char *address_name(uintptr_t address) {
    static char text[256];
    for (const struct rp_global *g = program.globals; g->name != NULL; g++) {
        uintptr_t begin = (uintptr_t)g->address;
        if (address < begin || address >= begin + g->size) continue;
        if (address == begin)
            snprintf(text, sizeof text, "%s", g->name);
        else
            snprintf(text, sizeof text, "%s+%zu", g->name, (size_t)(address - begin));
        return text;
    }
    void *base;
    size_t size;
    int owner, number;
    if (heap_contains((void *)address) && heap_find((void *)address, &base, &size, &owner, &number) != HEAP_NONE) {
        block_is_named(owner, number);
        snprintf(text, sizeof text, "heap %d.%d+%zu", owner, number, (size_t)(address - (uintptr_t)base));
        return text;
    }
    for (uint32_t t = 0; t < G->paths; t++) {
        uintptr_t base_address = (uintptr_t)threads[t].fiber.stack;
        if (base_address == 0 || address < base_address || address >= base_address + threads[t].fiber.stack_size) continue;
        snprintf(text, sizeof text, "stack %u+%zu", t, (size_t)(base_address + threads[t].fiber.stack_size - address));
        return text;
    }
    snprintf(text, sizeof text, "%#zx", (size_t)address);
    return text;
}

static void put_name(uintptr_t address) {
    const char *name = address_name(address);
    report_encoded(name, strlen(name));
}

/* ---- races */

static bool same_pair(const struct found_race *f, uint32_t a, uint32_t b) {
    return (f->a == a && f->b == b) || (f->a == b && f->b == a);
}

bool pair_is_new(uint32_t a, uint32_t b) {
    if (a == RP_NO_ACCESS || b == RP_NO_ACCESS || G->is_lock_lost) return false;
    for (uint32_t i = 0; i < G->pairs_found; i++)
        if (same_pair(&G->found[i], a, b)) return false;
    for (uint32_t i = 0; i < G->hit_count; i++) {
        struct found_race f = {G->hits[i].a, G->hits[i].b};
        if (same_pair(&f, a, b)) return false;
    }
    if (G->pairs_found + G->hit_count < MAX_PAIRS_FOUND) return true;
    G->stop = STOP_PAIRS; /* one that is not kept must not look race-free */
    return false;
}

void report_hit(const struct hit *hit) {
    report_put("race\t%u\t%u\t%u\t%u\t", hit->a, hit->tid_a, hit->b, hit->tid_b);
    put_name(hit->address);
    report_put("\t%d", hit->together);
    put_schedule(hit->segments);
    report_end();
}

/* Another order of the same events would show it, but that could not be executed. */
void report_possible(const struct hit *hit) {
    report_put("possible\t%u\t%u\t%u\t%u\t", hit->a, hit->tid_a, hit->b, hit->tid_b);
    put_name(hit->address);
    report_end();
}

/* ---- what bounds the search, as soon as it shows, and other findings: once for each place */

static uint64_t key_of(const char *text, uint32_t site) {
    uint64_t key = 1469598103934665603u ^ site;
    for (const char *c = text; *c != 0; c++) key = (key ^ (unsigned char)*c) * 1099511628211u;
    return key;
}

static bool is_new(uint64_t *keys, uint32_t *count, uint32_t room, const char *text, uint32_t site) {
    uint64_t key = key_of(text, site);
    for (uint32_t i = 0; i < *count; i++)
        if (keys[i] == key) return false;
    if (*count == room) return false;
    keys[(*count)++] = key;
    return true;
}

void report_bounded(const char *reason, uint32_t site) {
    if (states_peeks) states_peek_fails();
    if (driving || options.mode != MODE_SEARCH) return;
    if (!is_new(G->bound_keys, &G->bounds, MAX_BOUNDS, reason, site)) return; /* if full, others have been told */
    report_put("bounded\t");
    report_encoded(reason, strlen(reason));
    if (site != NONE) report_put("\t%u", site);
    report_end();
}

/* The program's own ends: it has chosen them, or no step is left. Everything else keeps something from being executed
 * that the program might do: it was cut short, or did what C does not define. */
static const char *why_bounded(const char *kind) {
    static const char *const own[] = {"deadlock", "livelock", "abort", "assertion", "reach_error"};
    static const char *const ours[] = {"memory", "limit", "unsupported"};
    static const char *const cuts[] = {"crash", "stack overflow", "exit", "signal", "double free", "invalid free"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(kind, own[i]) == 0) return NULL;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(kind, ours[i]) == 0) return "an execution met a limit of the explorer";
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (strcmp(kind, cuts[i]) == 0) return "an execution ended in a way that the program did not choose";
    return "an execution did what C does not define";
}

/* `key`: what tells it from others of its kind. */
static void put_other(const char *kind, const char *message, uint32_t site, uint32_t key) {
    if (driving || !is_new(G->other_keys, &G->others, MAX_OTHERS, kind, key)) return;
    if (self != NULL) record_switch();
    report_put("other\t");
    report_encoded(kind, strlen(kind));
    report_put("\t");
    report_encoded(message, strlen(message));
    report_put("\t%d\t%u", self != NULL ? self->tid : 0, site);
    put_schedule(G->segment_count);
    report_end();
}

void report_other(const char *kind, const char *message, uint32_t site) {
    if (states_peeks) states_peek_fails();
    const char *why = why_bounded(kind);
    if (why != NULL) {
        char reason[640];
        if (strcmp(kind, "uninitialised") == 0)
            snprintf(reason, sizeof reason, "%s", message);
        else
            snprintf(reason, sizeof reason, "%s: %s", why, message);
        bool is_access = strcmp(kind, "use after free") == 0; /* then it is the access that is told, not a site */
        if (!driving && !is_access && strcmp(kind, "uninitialised") != 0) G->failed = key_of(kind, site);
        report_bounded(reason, is_access ? NONE : site);
    }
    put_other(kind, message, site, site);
}

static const char *waits_for(const struct op *op) {
    switch (op->kind) {
    case OP_COND_WAKE: return "a condition variable";
    case OP_SEM_WAIT: return "a semaphore";
    case OP_BARRIER_LEAVE: return "a barrier";
    case OP_JOIN: return "the end of a thread";
    case OP_SPIN: return "a variable to change";
    case OP_ONCE:
    case OP_ONCE_WAIT: return "an initialiser";
    default: return "a lock";
    }
}

/* Told once for each set of places; its own place is that of a thread that does not wait for the end of another. */
void report_deadlock(tset blocked) {
    char text[512] = "";
    size_t at = 0;
    uint32_t places = 2166136261u, site = threads[__builtin_ctzll(blocked)].pending.site;
    for (tset rest = blocked; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        places = (places ^ t->pending.site) * 16777619u;
        if (at < sizeof text - 80)
            at += (size_t)snprintf(text + at, sizeof text - at, "%sthread %u waits for %s", at ? ", " : "", t->tid,
                                   waits_for(&t->pending));
    }
    for (tset rest = blocked; rest != 0; rest &= rest - 1) {
        const struct op *op = &threads[__builtin_ctzll(rest)].pending;
        if (op->kind == OP_JOIN) continue;
        site = op->site;
        break;
    }
    put_other("deadlock", text, site, places);
}

void rp_fail(const char *kind, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_other(kind, text, rp_site);
    if (strcmp(kind, "memory") == 0) return; /* the program gets NULL and goes on */
    stand_still(OP_EXIT);
}

/* ---- replays */

static struct {
    struct thread *thread;
    struct op op;
    const char *what;
    uint32_t steps;
    bool has_result;
    int64_t result, object;
    unsigned kind;
} last;

/* Objects that are made anew at an address are new ones: each has a number. */
static int64_t object_number(const struct op *op, unsigned *kind) {
    if (op->type == O_NONE || is_access(op)) return -1;
    const struct object *o = object_at((void *)op->object, op->type);
    *kind = o->mutex_kind | (unsigned)o->robust << 2;
    return op->type == O_SECTION ? 0 : object_index(o) + 1;
}

static void put_value(const struct op *op) {
    if (!is_access(op) || op->size > 16) return;
    uint64_t value = 0;
    memcpy(&value, (void *)op->object, op->size < 8 ? op->size : 8);
    report_put(op->size > 8 ? "%#" PRIx64 "..." : "%" PRId64, op->size == 4 ? (uint64_t)(int64_t)(int32_t)value : value);
}

/* A step is written when the next one begins: only then is the value of a store there. */
static void put_step(const char *record) {
    struct thread *t = last.thread;
    last.thread = NULL;
    report_put("%s\t%u\t%u\t", record, t->tid, last.steps);
    report_encoded(last.what, strlen(last.what));
    report_put("\t%d\t", last.op.kind == OP_MEMORY ? (int)last.op.id : (int)last.op.site);
    if (last.op.object != 0) put_name(last.op.object);
    put("\t", 1);
    put_value(&last.op);
    put("\t", 1);
    for (uint32_t i = 0; i < t->held_count; i++) {
        if (i) put(" ", 1);
        put_name(t->held[i].object);
    }
    put("\t", 1);
    for (uint32_t i = 0; i < t->depth && i < MAX_FRAMES; i++) report_put(i ? " %u" : "%u", t->frames[i].site);
    report_put("\t%u\t%u\t", is_access(&last.op) ? last.op.size : 0, last.op.order);
    if (last.has_result) report_put("%" PRId64, last.result);
    report_put("\t%" PRId64 "\t%u\t%d", last.object, last.kind, is_access(&last.op) ? (int)last.op.id : -1);
    report_end();
}

void report_flush_step(void) {
    if (options.mode == MODE_REPLAY && last.thread != NULL) put_step("step");
}

void report_result(int64_t result) {
    if (last.thread != self) return;
    last.has_result = true;
    last.result = result;
    last.object = object_number(&last.op, &last.kind);
}

/* What is no step, but has to be known to tell what happened before what. */
void put_event(const char *what, uintptr_t address, enum object_type type, int64_t value) {
    report_flush_step();
    struct op op = {.type = (uint8_t)type, .object = address};
    unsigned kind = 0;
    int64_t object = object_number(&op, &kind);
    report_put("event\t%u\t%u\t", self->tid, self->steps);
    report_encoded(what, strlen(what));
    put("\t", 1);
    if (address != 0) put_name(address);
    report_put("\t%" PRId64 "\t%" PRId64, object, value);
    report_end();
}

static const char *name_of(const struct op *op) {
    if (op->kind == OP_MEMORY) return op->writes ? "write" : "read";
    if (op->exchange) return "compare-exchange";
    return op->updates ? "atomic update" : op->writes ? "atomic store" : "atomic load";
}

/* The access before which a thread stands when the run ends. */
void report_next(struct thread *t) {
    if (options.mode != MODE_REPLAY) return;
    report_flush_step();
    report_step(t, &t->pending, name_of(&t->pending));
    put_step("next");
}

/* The operation in which a thread waits when the run ends in a deadlock. */
void report_blocked(struct thread *t) {
    if (options.mode != MODE_REPLAY) return;
    report_flush_step();
    const struct op *op = &t->pending;
    const char *what = op->kind == OP_JOIN            ? "pthread_join"
                       : op->kind == OP_BARRIER_LEAVE ? "pthread_barrier_wait"
                       : op->kind == OP_SPIN          ? "spin loop"
                       : op->kind == OP_OUTSIDE       ? "wait for the system"
                                                      : t->what;
    report_step(t, op, what);
    last.object = object_number(op, &last.kind);
    if (op->kind == OP_JOIN) {
        last.has_result = true;
        last.result = (int64_t)op->id;
    }
    put_step("next");
}

void report_step(struct thread *t, const struct op *op, const char *what) {
    last.thread = t;
    last.op = *op;
    last.what = what;
    last.steps = t->steps;
    last.has_result = false;
    last.object = -1;
    last.kind = 0;
}
